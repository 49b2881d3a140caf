import "./sources.css";

import { Button, Skeleton, Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconArrowsDiff, IconBinaryTree2, IconFileCode, IconHelpCircle, type Icon } from "@tabler/icons-react";
import type { ReactNode } from "react";

import { sourceTotalsQuery, type SourceTotals } from "../../api";
import { CopyCommand, EmptyState, QueryResult, PageHeader } from "../../components";
import { count } from "../../format/numbers";
import { Disagreements } from "./Disagreements";
import { FileDetail } from "./FileDetail";
import { Files } from "./Files";
import { Gaps } from "./Gaps";
import { PARTS, type Part } from "./search";
import { Totals } from "./Totals";

const route = getRouteApi("/frame/lineage/sources");

/** What was read out of code, how much of it was understood, and where runs say otherwise. */
export default function SourcesPage() {
  const { file } = route.useSearch();
  if (file !== undefined) return <FileDetail key={file} file={file} />;
  return (
    <>
      <PageHeader
        title="Code that was read"
        about="Lineage out of SQL, Python and notebooks: how much of each file was understood, what was not, and where runs say otherwise."
        actions={
          <Button variant="default" leftSection={<IconBinaryTree2 size={16} aria-hidden />} renderRoot={(props) => <Link to="/lineage" {...props} />}>
            Lineage
          </Button>
        }
      />
      <All />
    </>
  );
}

function All() {
  const query = useQuery(sourceTotalsQuery());
  return (
    <QueryResult query={query} skeleton={<PageParts />}>
      {(totals) =>
        totals.files === 0 ? (
          <NothingRead />
        ) : (
          <Stack gap="lg">
            <Totals totals={totals} />
            <Parts totals={totals} />
          </Stack>
        )
      }
    </QueryResult>
  );
}

const LOOKS: Record<Part, { label: string; icon: Icon; many: (totals: SourceTotals) => number | undefined; shown: (totals: SourceTotals) => ReactNode }> = {
  files: { label: "Files", icon: IconFileCode, many: (totals) => totals.files, shown: (totals) => <Files totals={totals} /> },
  gaps: { label: "Gaps", icon: IconHelpCircle, many: (totals) => totals.gaps, shown: (totals) => <Gaps total={totals.gaps} /> },
  disagreements: { label: "Disagreements", icon: IconArrowsDiff, many: () => undefined, shown: () => <Disagreements /> },
};

function Parts({ totals }: { totals: SourceTotals }) {
  const { part = "files" } = route.useSearch();
  const navigate = route.useNavigate();
  // The filter of one list makes no sense in another.
  const open = (next: string | null): void =>
    void navigate({ search: { part: PARTS.find((one) => one === next && one !== "files") }, resetScroll: false });
  return (
    <Tabs value={part} onChange={open} keepMounted={false}>
      <Tabs.List className="sources-tabs" aria-label="Code that was read">
        {PARTS.map((one) => {
          const { label, icon: Sign, many } = LOOKS[one];
          const number = many(totals);
          return (
            <Tabs.Tab key={one} value={one} leftSection={<Sign size={16} stroke={1.7} aria-hidden className="sources-tab-icon" />}>
              {label}
              {number !== undefined && <span className="sources-number numbers"> {count(number)}</span>}
            </Tabs.Tab>
          );
        })}
      </Tabs.List>
      {PARTS.map((one) => (
        <Tabs.Panel key={one} value={one} pt="md">
          {part === one && LOOKS[one].shown(totals)}
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function NothingRead() {
  return (
    <div className="panel">
      <EmptyState icon={IconFileCode} title="No code was read yet" action={<CopyCommand command="forge ingest PATH" />}>
        A file or a folder of .sql and .py files, notebooks or a dbt project. Nothing in it is run, and no database is needed. What was not understood is listed here,
        line by line.
      </EmptyState>
    </div>
  );
}

function PageParts() {
  return (
    <Stack gap="lg">
      <Skeleton h={128} radius={12} />
      <Skeleton h={36} w={320} />
      <Skeleton h={320} radius={12} />
    </Stack>
  );
}

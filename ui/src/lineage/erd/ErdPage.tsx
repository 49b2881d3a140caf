import "./erd.css";

import { Button, Checkbox, Group, NativeSelect, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { IconFileTypeSvg, IconSchema, IconTable } from "@tabler/icons-react";

import type { ErdView } from "../../api";
import { erdQuery, fetchErdText } from "../../api/lineage";
import { EmptyState, notifyProblem, PageHeader, QueryResult } from "../../components";
import { download, fileName } from "../../components/download";
import { LineageNav } from "../Nav";
import { SnapshotSwitch } from "../SnapshotSwitch";
import { Drawing } from "./Drawing";
import { RelationPanel } from "./RelationPanel";
import type { ErdSearch } from "./search";
import { ErdTables } from "./Tables";
import { contentInWords, relationId, schemasOf } from "./words";

const route = getRouteApi("/frame/lineage/erd");

/** Tables with their keys, and how they belong together. */
export default function ErdPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: ErdSearch, replace = false): void => void navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false });
  const query = useQuery(erdQuery(search));
  return (
    <>
      <PageHeader title="Entity relationships" about="Tables with their keys, and how they belong together: as somebody declared it, or as code joins them." />
      <LineageNav at={search.at} />
      <Controls search={search} change={change} />
      <QueryResult query={query} skeleton={<Skeleton h={560} radius={12} />}>
        {(erd) => (erd.tables.length === 0 ? <Nothing /> : <Diagram erd={erd} search={search} change={change} stale={query.isPlaceholderData} />)}
      </QueryResult>
    </>
  );
}

interface PartProps {
  search: ErdSearch;
  change: (part: ErdSearch, replace?: boolean) => void;
}

function Controls({ search, change }: PartProps) {
  // Which schemas there are is in the answer of all of them.
  const { data } = useQuery(erdQuery({ at: search.at }));
  const schemas = [...new Set([...schemasOf(data?.tables ?? []), ...(search.schema === undefined ? [] : [search.schema])])];
  return (
    <div className="erd-controls" role="search" aria-label="What is drawn">
      <NativeSelect
        label="Schema"
        value={search.schema ?? ""}
        onChange={(event) => change({ schema: event.currentTarget.value === "" ? undefined : event.currentTarget.value, relation: undefined, open: undefined })}
        data={[{ value: "", label: "All schemas" }, ...schemas]}
      />
      <Checkbox
        className="erd-flows"
        label="with data flows"
        title="Also which table is made of which"
        checked={search.flows === "yes"}
        onChange={(event) => change({ flows: event.currentTarget.checked ? "yes" : undefined, relation: undefined })}
      />
      <SnapshotSwitch at={search.at} onChange={(at) => change({ at })} />
    </div>
  );
}

function Diagram({ erd, search, change, stale }: PartProps & { erd: ErdView; stale: boolean }) {
  const relations = erd.relations.filter((one) => one.type !== "lineage" || search.flows === "yes");
  const chosen = relations.find((one) => relationId(one) === search.relation);
  const open = search.open ?? [];
  const toggle = (table: string): void => {
    const next = open.includes(table) ? open.filter((one) => one !== table) : [...open, table];
    change({ open: next.length === 0 ? undefined : next }, true);
  };
  return (
    <div className="panel erd" aria-busy={stale}>
      {search.view === "table" ? (
        <ErdTables erd={erd} relations={relations} at={search.at} />
      ) : (
        <>
          <Drawing
            erd={erd}
            relations={relations}
            label={`Tables of ${erd.schema ?? "all schemas"}`}
            at={search.at}
            open={open}
            chosen={search.relation}
            onOpen={toggle}
            onChoose={(relation) => change({ relation }, true)}
          />
          {chosen !== undefined && <RelationPanel relation={chosen} at={search.at} onClose={() => change({ relation: undefined }, true)} />}
        </>
      )}
      <Group justify="space-between" gap="xs" className="erd-foot">
        <Text size="xs" c="dimmed" component="div">
          {contentInWords(erd)}
          <Legend flows={search.flows === "yes"} />
        </Text>
        <Tools search={search} change={change} />
      </Group>
    </div>
  );
}

function Legend({ flows }: { flows: boolean }) {
  return (
    <span className="erd-legend">
      <span className="erd-legend-entry" data-look="declared">
        declared
      </span>
      <span className="erd-legend-entry" data-look="inferred">
        inferred from code
      </span>
      {flows && (
        <span className="erd-legend-entry" data-look="flow">
          data flow
        </span>
      )}
    </span>
  );
}

function Tools({ search, change }: PartProps) {
  const look = { variant: "subtle", size: "compact-xs", color: "gray" } as const;
  const save = (): void => {
    fetchErdText({ schema: search.schema, at: search.at, format: "svg" }).then(
      (text) => download(fileName("erd", search.schema ?? "all", "svg"), "image/svg+xml", text),
      notifyProblem,
    );
  };
  const asTable = search.view === "table";
  return (
    <Group gap={4}>
      <Button {...look} leftSection={<IconFileTypeSvg size={15} aria-hidden />} onClick={save}>
        SVG
      </Button>
      <Button {...look} leftSection={asTable ? <IconSchema size={14} aria-hidden /> : <IconTable size={14} aria-hidden />} onClick={() => change({ view: asTable ? undefined : "table" })}>
        {asTable ? "Show as a picture" : "Show as a table"}
      </Button>
    </Group>
  );
}

function Nothing() {
  return (
    <div className="panel">
      <EmptyState icon={IconSchema} title="No tables yet">
        Lineage knows no tables. They come with the first run, or with code that is read.
      </EmptyState>
    </div>
  );
}

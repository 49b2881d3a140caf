import "../list/assets.css";
import "./pii.css";

import { Button, CloseButton, MultiSelect, SegmentedControl, Skeleton, Stack, Switch, Text } from "@mantine/core";
import { useHotkeys } from "@mantine/hooks";
import { useInfiniteQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { IconFilterOff, IconSearch, IconShieldLock, IconZoomQuestion } from "@tabler/icons-react";

import { asProblem, type PiiFindingView } from "../../api";
import { itemsOf } from "../../api/pages";
import { findingsQuery, useReview, useScan, useScanAll } from "../../api/pii";
import { useMayWrite } from "../../api/scope";
import { CopyCommand, EmptyState, notify, notifyProblem, PageHeader, Problem, QueryResult, ShowMore, TypedInput } from "../../components";
import { LongWork } from "../../components/LongWork";
import { plural } from "../../format/numbers";
import { isTyping } from "../keys";
import { CatalogNav } from "../Nav";
import { Finding } from "./Finding";
import { STATES, TYPES, type PiiSearch } from "./search";
import { nextOf, stepFrom, surestFirst, typeName, typesOf } from "./words";

const route = getRouteApi("/frame/pii");
const PAGE = 100;

type Decision = PiiFindingView["state"];

/** Columns that hold personal data, with what speaks for it; a person confirms or rejects each. */
export default function PiiPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const state = search.state ?? "open";
  const query = useInfiniteQuery(
    findingsQuery({
      state: state === "all" ? undefined : [state],
      type: search.types,
      table: search.table === undefined ? undefined : [search.table],
      closed: search.closed === "yes" ? true : undefined,
      limit: PAGE,
    }),
  );
  const change = (part: PiiSearch): void => {
    void navigate({ search: (before) => ({ ...before, finding: undefined, ...part }), replace: true, resetScroll: false });
  };
  return (
    <>
      <PageHeader title="Personal data" about="What scans and lineage found in columns, how sure that is, and what people decided. Values are never shown." actions={search.table === undefined ? <ScanAll /> : <Scan table={search.table} />} />
      <CatalogNav />
      <Stack gap="md">
        <Filters search={search} types={typesOf(itemsOf(query.data?.pages ?? []))} change={change} />
        <QueryResult query={query} skeleton={<ListSkeleton />}>
          {({ pages }) => {
            const findings = surestFirst(itemsOf(pages));
            return (
              <>
                <Findings findings={findings} search={search} change={change} stale={query.isPlaceholderData} />
                <ShowMore query={query} shown={findings.length} what="findings" />
              </>
            );
          }}
        </QueryResult>
      </Stack>
    </>
  );
}

function Scan({ table }: { table: string }) {
  const mayWrite = useMayWrite();
  const work = useScan();
  if (!mayWrite) return null;
  const scan = (): void => work.mutate(table, { onSuccess: () => notify("good", `${table} was scanned`), onError: notifyProblem });
  return (
    <div>
      <Button variant="default" loading={work.isPending} onClick={scan}>
        Scan {table}
      </Button>
      <LongWork runId={work.runId} what="The scan" />
    </div>
  );
}

function ScanAll() {
  const mayWrite = useMayWrite();
  const work = useScanAll();
  if (!mayWrite) return null;
  const scan = (): void =>
    work.mutate(undefined, {
      onSuccess: ({ scanned }) => notify("good", `${plural(scanned, "table")} of the lake ${scanned === 1 ? "is" : "are"} scanned`),
      onError: notifyProblem,
    });
  return (
    <div>
      <Button variant="default" loading={work.isPending} onClick={scan}>
        Scan all tables
      </Button>
      {work.isPending && (
        <Text size="sm" role="status" c="dimmed">
          {work.done.of === 0 ? "Looking which tables there are…" : `Table ${work.done.tables + 1} of ${work.done.of}; one that did not change is passed over.`}
        </Text>
      )}
      {work.data?.failed.map(({ table, error }) => (
        <Text key={table} size="sm" role="alert" className="name">
          {table} could not be scanned: {asProblem(error).message}
        </Text>
      ))}
    </div>
  );
}

function Filters({ search, types, change }: { search: PiiSearch; types: readonly string[]; change: (part: PiiSearch) => void }) {
  const chosen = search.types ?? [];
  return (
    <div role="search" className="pii-filters" aria-label="Filter findings">
      <div className="pii-state">
        <span className="catalog-label" id="pii-state">
          Decision
        </span>
        <SegmentedControl
          aria-labelledby="pii-state"
          fullWidth
          data={STATES.map((value) => ({ value, label: { open: "To decide", confirmed: "Confirmed", rejected: "Rejected", all: "All" }[value] }))}
          value={search.state ?? "open"}
          onChange={(value) => change({ state: STATES.find((one) => one === value && one !== "open") })}
        />
      </div>
      <MultiSelect
        className="assets-several"
        label="Type"
        placeholder={chosen.length === 0 ? "Any type" : undefined}
        searchable
        clearable
        hidePickedOptions
        withScrollArea={false}
        classNames={{ options: "assets-options" }}
        nothingFoundMessage="None of that name"
        clearButtonProps={{ "aria-label": "Any type: take the choice back" }}
        data={[...new Set([...TYPES, ...types, ...chosen])].map((value) => ({ value, label: typeName(value) }))}
        value={chosen}
        onChange={(value) => change({ types: value.length === 0 ? undefined : value })}
      />
      <TypedInput
        label="Table"
        placeholder="core.customers"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={search.table === undefined ? undefined : <CloseButton size="sm" aria-label="All tables" onClick={() => change({ table: undefined })} />}
        value={search.table ?? ""}
        onTyped={(table) => change({ table: table === "" ? undefined : table })}
      />
      <Switch className="pii-closed" label="Also what is gone" checked={search.closed === "yes"} onChange={(event) => change({ closed: event.currentTarget.checked ? "yes" : undefined })} />
    </div>
  );
}

interface FindingsProps {
  findings: readonly PiiFindingView[];
  search: PiiSearch;
  change: (part: PiiSearch) => void;
  stale: boolean;
}

function Findings({ findings, search, change, stale }: FindingsProps) {
  const mayWrite = useMayWrite();
  const review = useReview();
  const at = findings.find((one) => one.id === search.finding) ?? findings[0];
  const choose = (one: PiiFindingView | undefined): void => {
    if (one !== undefined) change({ finding: one.id });
  };
  const decide = (one: PiiFindingView, state: Decision, note?: string): void => {
    if (!mayWrite || review.isPending || one.state === state) return;
    const leaves = (search.state ?? "open") !== "all";
    review.mutate(
      { id: one.id, state, note: note ?? null, expected_version: one.version },
      {
        onSuccess: () => {
          if (leaves) choose(nextOf(findings, one.id));
          notify("good", `${one.table}.${one.column}: ${said(state)}`);
        },
      },
    );
  };
  const step = (by: number): void => choose(stepFrom(findings, at?.id, by));
  const decided = (state: Decision) => (event: KeyboardEvent): void => {
    if (at !== undefined && !isTyping(event)) decide(at, state);
  };
  // Arrows belong to a filter that has the focus.
  useHotkeys([
    ["ArrowDown", () => step(1)],
    ["ArrowUp", () => step(-1)],
  ]);
  useHotkeys(
    [
      ["j", (event) => !isTyping(event) && step(1), { preventDefault: false }],
      ["k", (event) => !isTyping(event) && step(-1), { preventDefault: false }],
      ["y", decided("confirmed"), { preventDefault: false }],
      ["n", decided("rejected"), { preventDefault: false }],
      ["o", decided("open"), { preventDefault: false }],
    ],
    ["TEXTAREA", "SELECT"],
  );
  if (findings.length === 0) return <Nothing search={search} change={change} />;
  return (
    <>
      <div className="pii-found">
        <Text size="sm" c="dimmed" role="status">
          {plural(findings.length, "finding")}
        </Text>
        <Text size="sm" c="dimmed" component="div" className="pii-keys">
          <kbd className="key">↑</kbd> <kbd className="key">↓</kbd> choose{mayWrite && <>, <kbd className="key">y</kbd> confirm, <kbd className="key">n</kbd> reject, <kbd className="key">o</kbd> open again</>}
        </Text>
      </div>
      {review.error !== null && <Problem error={review.error} />}
      <ul className="panel pii-list" aria-label="Findings" aria-busy={stale}>
        {findings.map((one) => (
          <Finding key={one.id} finding={one} opened={one.id === at?.id} mayWrite={mayWrite} busy={review.isPending} onOpen={() => choose(one)} onDecide={(state, note) => decide(one, state, note)} />
        ))}
      </ul>
    </>
  );
}

function said(state: Decision): string {
  return { open: "to be decided again", confirmed: "confirmed", rejected: "rejected" }[state];
}

function Nothing({ search, change }: { search: PiiSearch; change: (part: PiiSearch) => void }) {
  const filtered = search.types !== undefined || search.table !== undefined;
  if (!filtered && (search.state ?? "open") === "open") {
    return (
      <div className="panel">
        <EmptyState icon={IconShieldLock} title="Nothing waits for a decision" action={<CopyCommand command="forge pii scan --all" />}>
          Every published run looks through its tables. What people decided is under Confirmed and Rejected.
        </EmptyState>
      </div>
    );
  }
  return (
    <div className="panel">
      <EmptyState
        icon={filtered ? IconZoomQuestion : IconShieldLock}
        title={filtered ? "Nothing passes these filters" : "There is none"}
        action={
          <Button variant="default" leftSection={<IconFilterOff size={15} aria-hidden />} onClick={() => change({ state: "all", types: undefined, table: undefined })}>
            Show all findings
          </Button>
        }
      />
    </div>
  );
}

function ListSkeleton() {
  return (
    <div className="panel" style={{ padding: 16 }}>
      <Stack gap={12}>
        {Array.from({ length: 6 }, (_, index) => (
          <Skeleton key={index} h={44} />
        ))}
      </Stack>
    </div>
  );
}

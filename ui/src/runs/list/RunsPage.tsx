import { Autocomplete, Button, Group, Select, Skeleton, Stack, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconFilterOff, IconGitBranch, IconListCheck, IconPlayerPlay, IconPlugConnectedX, IconTable } from "@tabler/icons-react";
import { useState } from "react";

import "../run.css";
import { branchesQuery, hasEnded, runsQuery, suggestQuery, systemQuery, type RunView } from "../../api";
import { useMayWrite } from "../../api/scope";
import { BranchLink, CommitLink, CopyCommand, DataTable, EmptyState, QueryResult, PageHeader, RelativeTime, StatusBadge, type Column } from "../../components";
import { useNow } from "../../components/useNow";
import { whoOf } from "../../format/names";
import { duration, plural } from "../../format/numbers";
import { secondsOf } from "../../format/run";
import { RunAgain } from "../RunAgain";
import { lineOf, selectionOf } from "../words";
import { formFrom } from "./form";
import { RUN_WORDS } from "./search";
import { StartRun } from "./StartRun";

const route = getRouteApi("/frame/runs");
const REFRESH_MS = 3_000;

export default function RunsPage() {
  const search = route.useSearch();
  const { branch, status, table, run } = search;
  const navigate = route.useNavigate();
  const mayWrite = useMayWrite();
  const start = mayWrite ? (
    <Button leftSection={<IconPlayerPlay size={16} aria-hidden />} onClick={() => void navigate({ search: (before) => ({ ...before, run: "new" }) })}>
      Run…
    </Button>
  ) : undefined;
  return (
    <>
      <PageHeader title="Runs" about="Each run stages its tables, checks them, and publishes those that passed as one commit." actions={start} />
      <CutOff />
      <Filters />
      <RunList filter={{ branch, status, table }} start={start} />
      {run === "new" && mayWrite && (
        <StartRun
          filled={formFrom(search)}
          onClose={() => void navigate({ search: { branch, status, table }, replace: true })}
        />
      )}
    </>
  );
}

interface Filter {
  branch?: string | undefined;
  status?: RunView["status"] | undefined;
  table?: string | undefined;
}

function RunList({ filter, start }: { filter: Filter; start: React.ReactNode }) {
  const system = useQuery(systemQuery()).data;
  const busy = system !== undefined && system.jobs_running + system.jobs_queued > 0;
  const query = useInfiniteQuery({
    ...runsQuery(filter),
    // Also runs of a terminal, which the server's own queue knows nothing of.
    refetchInterval: ({ state }) =>
      busy || state.data?.pages.some((page) => page.items.some((run) => !hasEnded(run.status))) ? REFRESH_MS : false,
  });
  return (
    <div className="panel runs-list" aria-busy={query.isPlaceholderData} style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
      <QueryResult query={query} skeleton={<ListSkeleton />}>
        {({ pages }) => {
          const runs = pages.flatMap((page) => page.items);
          if (runs.length === 0) return <NoRuns filter={filter} start={start} />;
          return (
            <>
              <RunTable runs={runs} />
              {query.hasNextPage && (
                <Group justify="center" p="md" style={{ borderTop: "1px solid var(--forge-line)" }}>
                  <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    Show older runs
                  </Button>
                </Group>
              )}
            </>
          );
        }}
      </QueryResult>
    </div>
  );
}

const COLUMNS: readonly Column<RunView>[] = [
  { key: "run", label: "Run", cell: (run) => <RunName run={run} /> },
  { key: "status", label: "Status", cell: (run) => <StatusBadge word={run.status} /> },
  { key: "made", label: "Tables", cell: (run) => <Made run={run} /> },
  { key: "branch", label: "Branch", cell: (run) => <BranchLink branch={run.branch} /> },
  { key: "commit", label: "Commit", cell: (run) => (run.commit == null ? null : <CommitLink commit={run.commit} />) },
  { key: "took", label: "Took", align: "right", cell: (run) => <Took run={run} /> },
  { key: "user", label: "By", wide: true, cell: (run) => <span title={run.user}>{whoOf(run.user)}</span> },
  { key: "at", label: "Began", align: "right", cell: (run) => <RelativeTime time={run.started_at ?? run.queued_at} /> },
];

function RunTable({ runs }: { runs: readonly RunView[] }) {
  return <DataTable caption="Runs, newest first" columns={COLUMNS} rows={runs} rowKey={(run) => run.run_id} />;
}

function RunName({ run }: { run: RunView }) {
  return (
    <div className="runs-name">
      <Link to="/runs/$runId" params={{ runId: run.run_id }} className="link mono name">
        {run.run_id}
      </Link>
      <Text size="xs" c="dimmed" className="name" lineClamp={1} title={selectionOf(run)}>
        {selectionOf(run)}
      </Text>
    </div>
  );
}

function Made({ run }: { run: RunView }) {
  return (
    <Group gap={8} className="runs-made">
      <span>{lineOf(run)}</span>
      {run.status === "interrupted" && <RunAgain run={run} size="compact-xs" />}
    </Group>
  );
}

function Took({ run }: { run: RunView }) {
  const now = useNow(run.status === "running");
  const seconds = secondsOf(run, now);
  return seconds === null ? null : duration(seconds);
}

/** What the last stop of the server cut off and nobody has started again. */
function CutOff() {
  const cut = useQuery(systemQuery()).data?.interrupted ?? [];
  if (cut.length === 0) return null;
  return (
    <div className="run-lead panel" data-tone="warn" role="status">
      <IconPlugConnectedX size={20} aria-hidden />
      <div>
        <Text fw={600} size="sm">
          The last stop of the server cut off {plural(cut.length, "run")}
        </Text>
        <Text size="sm" component="p" m={0}>
          Nothing of {cut.length === 1 ? "it" : "them"} was published.{" "}
          <Link to="/runs" search={{ status: "interrupted" }} className="link">
            Look and run again
          </Link>
        </Text>
      </div>
    </div>
  );
}

function Filters() {
  const { branch, status, table } = route.useSearch();
  const navigate = route.useNavigate();
  const branches = useQuery(branchesQuery()).data?.items.map((one) => one.name) ?? [];
  const change = (part: Filter): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  const filtered = branch !== undefined || status !== undefined || table !== undefined;
  return (
    <search className="runs-filters" aria-label="Runs">
      <Select
        aria-label="Branch"
        placeholder="All branches"
        leftSection={<IconGitBranch size={16} aria-hidden />}
        data={branch === undefined || branches.includes(branch) ? branches : [branch, ...branches]}
        value={branch ?? null}
        onChange={(value) => change({ branch: value ?? undefined })}
        searchable
        clearable
        clearButtonProps={{ "aria-label": "All branches" }}
      />
      <Select
        aria-label="Status"
        placeholder="Any status"
        leftSection={<IconListCheck size={16} aria-hidden />}
        data={RUN_WORDS}
        value={status ?? null}
        onChange={(value) => change({ status: RUN_WORDS.find((word) => word === value) })}
        maxDropdownHeight={340}
        clearable
        clearButtonProps={{ "aria-label": "Any status" }}
      />
      <TableFilter key={table ?? ""} table={table} onChange={(value) => change({ table: value })} />
      {filtered && (
        <Button variant="subtle" leftSection={<IconFilterOff size={16} aria-hidden />} onClick={() => change({ branch: undefined, status: undefined, table: undefined })}>
          Clear
        </Button>
      )}
    </search>
  );
}

/** Taken when chosen or at Enter: half a name is not a table. */
function TableFilter({ table, onChange }: { table: string | undefined; onChange: (table: string | undefined) => void }) {
  const [text, setText] = useState(table ?? "");
  const [wanted] = useDebouncedValue(text.trim(), 150);
  const found = useQuery({ ...suggestQuery(wanted, 20), enabled: wanted !== "" && wanted !== table }).data ?? [];
  const tables = found.filter((one) => one.type === "table" || one.type === "view").map((one) => one.qualified_name);
  const take = (value: string): void => onChange(value.trim() === "" ? undefined : value.trim());
  return (
    <Autocomplete
      aria-label="Table"
      placeholder="Any table"
      leftSection={<IconTable size={16} aria-hidden />}
      data={[...new Set(wanted === "" ? [] : tables)]}
      value={text}
      onChange={setText}
      onOptionSubmit={take}
      onKeyDown={(event) => {
        if (event.key === "Enter") take(text);
      }}
      onBlur={() => take(text)}
      onClear={() => take("")}
      clearable
      clearButtonProps={{ "aria-label": "Any table" }}
    />
  );
}

function NoRuns({ filter, start }: { filter: Filter; start: React.ReactNode }) {
  const navigate = route.useNavigate();
  const words = [
    filter.status === undefined ? "No run" : `No ${filter.status} run`,
    filter.table === undefined ? "" : ` of ${filter.table}`,
    filter.branch === undefined ? "" : ` on ${filter.branch}`,
  ];
  if (words.join("") !== "No run") {
    return (
      <EmptyState
        icon={IconFilterOff}
        title={words.join("")}
        action={
          <Button variant="default" onClick={() => void navigate({ search: {}, replace: true })}>
            Show all runs
          </Button>
        }
      >
        Nothing matches these filters.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon={IconPlayerPlay} title="No run yet" action={start}>
      <Stack gap="xs" align="center">
        <span>A run reads the sources, makes the tables, checks them, and publishes what passed. Start the first here, or in a terminal:</span>
        <CopyCommand command="forge run" />
      </Stack>
    </EmptyState>
  );
}

function ListSkeleton() {
  return (
    <Stack gap={0} p="md">
      {Array.from({ length: 8 }, (_, index) => (
        <Skeleton key={index} height={30} my={10} />
      ))}
    </Stack>
  );
}

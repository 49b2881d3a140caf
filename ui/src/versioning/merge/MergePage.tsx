import { Button, Group, Skeleton, Stack, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconCircleCheck } from "@tabler/icons-react";

import "./merge.css";
import { asProblem, type ConflictSet } from "../../api";
import { useMayWrite } from "../../api/scope";
import { mergeQuery, OPEN_MERGES, useResolve } from "../../api/versioning";
import { BranchLink, CommitLink, EmptyState, PageHeader, Problem, RelativeTime, RunLink, StatusBadge } from "../../components";
import { Fact } from "../../components/Fact";
import { Pager } from "../../components/Pager";
import { plural } from "../../format/numbers";
import { RowCounts } from "../compare/RowCounts";
import { ConflictTable } from "./ConflictTable";
import { Decision } from "./Decision";
import { RuleBar } from "./RuleBar";
import type { MergeSearch } from "./search";
import { howInWords, mergeTitle, showRange } from "./words";

const route = getRouteApi("/frame/merges/$mergeId");
const SIZE = 50;
const FOLLOW_MS = 3_000;

/** One merge: its conflicts, who has to decide, and what became of it. */
export default function MergePage() {
  const { mergeId } = route.useParams();
  const { table, column, open, page = 1 } = route.useSearch();
  const wanted = { table, column, open: open === "yes" || undefined, limit: SIZE, offset: (page - 1) * SIZE };
  const query = useQuery({
    ...mergeQuery(mergeId, wanted),
    // Others decide, too: someone else, or another tab.
    refetchInterval: ({ state }) => (state.data !== undefined && OPEN_MERGES.includes(state.data.status) ? FOLLOW_MS : false),
    refetchOnWindowFocus: "always",
  });
  const merge = query.data;
  return (
    <>
      <PageHeader
        title={merge === undefined ? "Merge" : mergeTitle(merge)}
        documentTitle={merge === undefined ? "Merge" : `Merge ${mergeTitle(merge)}`}
        marks={merge !== undefined && <StatusBadge word={merge.status} label={merge.status === "pending" ? "waits for approval" : merge.status} />}
        about={merge === undefined ? " " : <About merge={merge} />}
        actions={merge?.kind === "merge" && <ToCompare merge={merge} />}
      />
      {merge !== undefined && <Shown merge={merge} stale={query.isPlaceholderData} />}
      {merge === undefined && query.error !== null && <NotThere error={query.error} retry={() => void query.refetch()} />}
      {merge === undefined && query.error === null && (
        <Stack gap="md" aria-busy>
          <span className="only-readers">Loading</span>
          <Skeleton h={130} radius="md" />
          <Skeleton h={420} radius="md" />
        </Stack>
      )}
    </>
  );
}

function About({ merge }: { merge: ConflictSet }) {
  return (
    <>
      {merge.message.split("\n")[0]} · {merge.author.name}, <RelativeTime time={merge.created_at} />
    </>
  );
}

function ToCompare({ merge }: { merge: ConflictSet }) {
  const range = showRange({ base: merge.target_branch, compare: merge.source_branch });
  return (
    <Button variant="default" renderRoot={(props) => <Link to="/compare/$range" params={{ range }} {...props} />}>
      Compare
    </Button>
  );
}

function Shown({ merge, stale }: { merge: ConflictSet; stale: boolean }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: MergeSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  return (
    <Stack gap="md">
      <Decision merge={merge} dialog={search.dialog} onDialog={(dialog) => change({ dialog })} />
      {merge.total_count > 0 && <Conflicts merge={merge} search={search} change={change} stale={stale} />}
      {merge.approvals.length > 0 && <Approvals merge={merge} />}
      <Facts merge={merge} />
    </Stack>
  );
}

interface ConflictsProps {
  merge: ConflictSet;
  search: MergeSearch;
  change: (part: MergeSearch) => void;
  stale: boolean;
}

function Conflicts({ merge, search, change, stale }: ConflictsProps) {
  const mayWrite = useMayWrite();
  const resolve = useResolve(merge.merge_id);
  const isOpen = OPEN_MERGES.includes(merge.status);
  const listed = merge.groups.find((group) => group.table === search.table && (group.column ?? undefined) === search.column);
  const total = search.table === undefined ? merge.total_count : search.column === undefined ? sumOf(merge, search.table) : (listed?.total ?? 0);
  const shown = search.open === "yes" ? Math.min(total, (search.page ?? 1) * SIZE + (merge.has_more ? SIZE : 0)) : total;
  return (
    <div className="compare-grid">
      <Groups merge={merge} search={search} />
      <section className="panel compared" aria-label="Conflicts">
        <div className="conflicts-head">
          {isOpen && mayWrite && <RuleBar merge={merge} table={search.table} column={search.column} busy={resolve.isPending} onResolve={(wanted) => resolve.mutate(wanted)} />}
          <Switch
            size="sm"
            label="Only open ones"
            checked={search.open === "yes"}
            onChange={(event) => change({ open: event.currentTarget.checked ? "yes" : undefined, page: undefined })}
          />
        </div>
        {resolve.error !== null && (
          <div className="conflicts-error">
            <Problem plain error={resolve.error} />
          </div>
        )}
        <div style={{ opacity: stale ? 0.6 : 1 }} aria-busy={stale}>
          {merge.conflicts.length === 0 ? (
            <EmptyState icon={IconCircleCheck} title={search.open === "yes" ? "None of these is open" : "No conflict here"} />
          ) : (
            <ConflictTable
              conflicts={merge.conflicts}
              target={merge.target_branch}
              source={merge.kind === "merge" ? merge.source_branch : merge.kind}
              withTable={search.table === undefined && new Set(merge.groups.map((group) => group.table)).size > 1}
              onResolve={isOpen && mayWrite ? (wanted) => resolve.mutate(wanted) : undefined}
            />
          )}
          <Pager page={search.page ?? 1} size={SIZE} total={shown} hasMore={merge.has_more} what="conflicts" onPage={(page) => change({ page: page === 1 ? undefined : page })} />
        </div>
      </section>
    </div>
  );
}

function sumOf(merge: ConflictSet, table: string): number {
  return merge.groups.filter((group) => group.table === table).reduce((total, group) => total + group.total, 0);
}

/** Tables and their columns with conflicts; each is a way to see only those. */
function Groups({ merge, search }: { merge: ConflictSet; search: MergeSearch }) {
  const tables = [...new Set(merge.groups.map((group) => group.table ?? ""))];
  const link = (table: string | undefined, column: string | undefined) => ({
    to: "/merges/$mergeId" as const,
    params: { mergeId: merge.merge_id },
    search: { table, column, open: search.open },
    replace: true,
    resetScroll: false,
  });
  return (
    <nav className="panel compare-tables" aria-label="Where the conflicts are">
      <h2 className="panel-title">Conflicts</h2>
      <ul>
        <li>
          <Link {...link(undefined, undefined)} className="compare-table" aria-current={search.table === undefined ? "true" : undefined}>
            <span className="compare-table-text">
              <span>All</span>
              <Left total={merge.total_count} open={merge.total_count - merge.resolved_count} />
            </span>
          </Link>
        </li>
        {tables.map((table) => (
          <li key={table}>
            <Link {...link(table, undefined)} className="compare-table" aria-current={search.table === table && search.column === undefined ? "true" : undefined}>
              <span className="compare-table-text">
                <span className="name">{table}</span>
                <Left total={sumOf(merge, table)} open={merge.groups.filter((group) => group.table === table).reduce((sum, group) => sum + group.open, 0)} />
              </span>
            </Link>
            <ul className="compare-columns">
              {merge.groups
                .filter((group) => group.table === table && group.column != null)
                .map((group) => (
                  <li key={group.column}>
                    <Link
                      {...link(table, group.column ?? undefined)}
                      className="compare-table"
                      aria-current={search.table === table && search.column === group.column ? "true" : undefined}
                    >
                      <span className="compare-table-text">
                        <span className="name">{group.column}</span>
                        <Left total={group.total} open={group.open} />
                      </span>
                    </Link>
                  </li>
                ))}
            </ul>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Left({ total, open }: { total: number; open: number }) {
  return (
    <span className="compare-table-about numbers">
      {plural(total, "conflict")}, {open === 0 ? "all resolved" : `${open} open`}
    </span>
  );
}

function Approvals({ merge }: { merge: ConflictSet }) {
  return (
    <section className="panel merge-facts" aria-labelledby="approvals">
      <h2 className="panel-title" id="approvals">
        Approvals
      </h2>
      <ul className="approvals">
        {merge.approvals.map((one) => (
          <li key={`${one.user} ${one.time}`}>
            <StatusBadge word={one.approved ? "passed" : "failed"} label={one.approved ? "approved" : "rejected"} />
            <span className="name">
              {one.user}, <RelativeTime time={one.time} />
              {one.comment !== "" && `: ${one.comment}`}
            </span>
            {!one.is_current && (
              <Text size="sm" c="dimmed" span>
                does not count any more: {merge.source_branch} has moved since
              </Text>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Facts({ merge }: { merge: ConflictSet }) {
  return (
    <section className="panel" aria-label="About it">
      <dl className="facts">
        <Fact label="Into (ours)">
          <BranchLink branch={merge.target_branch} /> at <CommitLink commit={merge.target_commit} />
        </Fact>
        <Fact label="From (theirs)">
          {merge.kind === "merge" && (
            <>
              <BranchLink branch={merge.source_branch} /> at{" "}
            </>
          )}
          <CommitLink commit={merge.source_commit} />
        </Fact>
        <Fact label="Base">{merge.base_commit == null ? "none" : <CommitLink commit={merge.base_commit} />}</Fact>
        {merge.kind === "merge" && <Fact label="Strategy">{merge.strategy.replaceAll("_", "-")}</Fact>}
        {merge.run_id != null && (
          <Fact label="Last try">
            <RunLink runId={merge.run_id} />
          </Fact>
        )}
        {merge.tables.map((tally) => (
          <Fact key={tally.table} label={tally.table}>
            {howInWords(tally.how)} · <RowCounts of={tally} />
            {tally.warning !== "" && <span role="note"> ⚠ {tally.warning}</span>}
          </Fact>
        ))}
      </dl>
    </section>
  );
}

function NotThere({ error, retry }: { error: unknown; retry: () => void }) {
  const gone = asProblem(error).status === 404;
  return (
    <Stack gap="md">
      <Problem error={error} retry={gone ? undefined : retry} />
      <Group gap="xs">
        <Button variant="default" renderRoot={(props) => <Link to="/branches" {...props} />}>
          Branches and open merges
        </Button>
      </Group>
    </Stack>
  );
}

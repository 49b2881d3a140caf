import { Button, NativeSelect, Skeleton, Stack, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconAlertTriangle, IconArrowsExchange, IconCheck, IconEqual, IconHelpCircle } from "@tabler/icons-react";

import "../merge/merge.css";
import { branchesQuery, type CompareView } from "../../api";
import { compareQuery } from "../../api/versioning";
import { CommitLink, EmptyState, PageHeader, Problem, RelativeTime } from "../../components";
import { plural } from "../../format/numbers";
import { compareInShort, markOf, parseRange, showRange } from "../merge/words";
import { MergeBox } from "./MergeBox";
import { MergeDirection } from "./MergeDirection";
import { RowCounts } from "./RowCounts";
import type { CompareSearch } from "./search";
import { TableDiff } from "./TableDiff";

const route = getRouteApi("/frame/compare/$range");

/** What merging one branch into another would do, and the button that does it. */
export default function ComparePage() {
  const { range } = route.useParams();
  const { checks } = route.useSearch();
  const { base, compare } = parseRange(range);
  // First what is known without reading data, then a trial of the merge, then, where wanted, its checks.
  const records = useQuery(compareQuery(base, compare, "records"));
  const wanted = records.data !== undefined && records.data.ahead > 0;
  const preview = useQuery({ ...compareQuery(base, compare, "preview"), enabled: wanted });
  const checked = useQuery({ ...compareQuery(base, compare, "checks"), enabled: wanted && checks === "yes" && preview.data?.has_conflicts === false });
  const view = checked.data ?? preview.data ?? records.data;
  const target = view?.base_branch?.name ?? base;
  return (
    <>
      <PageHeader
        title={<MergeDirection base={target} compare={compare} />}
        documentTitle={`Compare ${showRange({ base: target, compare })}`}
        about={view === undefined ? " " : compareInShort(view)}
        actions={<Choose base={target} compare={compare} />}
      />
      {view !== undefined && (
        <Shown view={view} previewing={wanted && preview.isPending} previewError={preview.error ?? checked.error} checking={checks === "yes" && checked.isFetching} />
      )}
      {view === undefined && records.error !== null && <NotThere error={records.error} retry={() => void records.refetch()} />}
      {view === undefined && records.error === null && (
        <Stack gap="md" aria-busy>
          <span className="only-readers">Loading</span>
          <Skeleton h={150} radius="md" />
          <Skeleton h={420} radius="md" />
        </Stack>
      )}
    </>
  );
}

/** Both sides can be changed, and changed over. */
function Choose({ base, compare }: { base: string; compare: string }) {
  const navigate = route.useNavigate();
  const { data } = useQuery(branchesQuery());
  const names = (data?.items ?? []).filter((branch) => branch.status !== "archived").map((branch) => branch.name);
  const to = (range: { base: string; compare: string }): void => void navigate({ params: { range: showRange(range) }, search: {} });
  const choices = (name: string): string[] => (names.includes(name) ? names : [name, ...names]);
  return (
    <div className="compare-choose">
      <NativeSelect size="xs" label="Into" value={base} data={choices(base)} onChange={(event) => to({ base: event.currentTarget.value, compare })} />
      <Tooltip label="The other way round" withArrow>
        <Button size="xs" variant="default" px={8} aria-label="The other way round" onClick={() => to({ base: compare, compare: base })}>
          <IconArrowsExchange size={16} aria-hidden />
        </Button>
      </Tooltip>
      <NativeSelect size="xs" label="From" value={compare} data={choices(compare)} onChange={(event) => to({ base, compare: event.currentTarget.value })} />
    </div>
  );
}

interface ShownProps {
  view: CompareView;
  previewing: boolean;
  previewError: unknown;
  checking: boolean;
}

function Shown({ view, previewing, previewError, checking }: ShownProps) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const change = (part: CompareSearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const worst = view.tables.find((table) => markOf(table, view).word === "conflicts");
  const chosen = view.tables.find((table) => table.table === search.table) ?? worst ?? view.tables[0];
  return (
    <Stack gap="md">
      <MergeBox view={view} previewing={previewing} previewError={previewError} checking={checking} onCheck={() => change({ checks: "yes" })} />
      {chosen === undefined ? (
        <div className="panel">
          <EmptyState icon={IconEqual} title="No table differs">
            {view.ahead === 0 ? `Nothing was done on ${view.compare} that ${view.base} does not have.` : "Its commits changed no table in the end."}
          </EmptyState>
        </div>
      ) : (
        <div className="compare-grid">
          <Tables view={view} chosen={chosen.table} previewing={previewing} />
          <TableDiff key={chosen.table} view={view} table={chosen} search={search} change={change} checking={checking} />
        </div>
      )}
      {view.commits.length > 0 && <Commits view={view} />}
    </Stack>
  );
}

const SIGNS = { conflicts: IconAlertTriangle, clean: IconCheck, unknown: IconHelpCircle };
const TONES = { conflicts: "warn", clean: "good", unknown: "calm" };

function Tables({ view, chosen, previewing }: { view: CompareView; chosen: string; previewing: boolean }) {
  return (
    <nav className="panel compare-tables" aria-label="Tables that differ">
      <h2 className="panel-title">Tables</h2>
      <ul>
        {view.tables.map((table) => {
          const mark = markOf(table, view);
          const Sign = SIGNS[mark.word];
          return (
            <li key={table.table}>
              <Link
                to="/compare/$range"
                params={(before) => ({ range: before.range ?? "" })}
                search={(before) => ({ checks: before.checks, table: table.table })}
                resetScroll={false}
                replace
                className="compare-table"
                aria-current={table.table === chosen ? "true" : undefined}
              >
                <Sign size={16} role="img" aria-label={mark.word} style={{ color: `var(--forge-${TONES[mark.word]})`, flex: "none" }} />
                <span className="compare-table-text">
                  <span className="name">{table.table}</span>
                  <span className="compare-table-about">
                    {previewing && mark.word === "unknown" ? "looking…" : mark.text}
                    {table.inserted != null && (
                      <>
                        {" · "}
                        <RowCounts of={table} />
                      </>
                    )}
                  </span>
                </span>
              </Link>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}

function Commits({ view }: { view: CompareView }) {
  return (
    <section className="panel compare-commits" aria-labelledby="its-commits">
      <h2 className="panel-title" id="its-commits">
        {plural(view.ahead, "commit")} that only {view.compare} has
      </h2>
      <ul className="compare-commit-list">
        {view.commits.map((commit) => (
          <li key={commit.id} className="compare-commit">
            <CommitLink commit={commit.id} />
            <Link to="/commits/$commit" params={{ commit: commit.id }} className="quiet-link name compare-commit-message">
              {commit.message.split("\n")[0]}
            </Link>
            <RowCounts of={{ inserted: commit.rows_added, updated: commit.rows_modified, deleted: commit.rows_deleted }} />
            <Text size="sm" c="dimmed" component="span">
              {commit.author.name}, <RelativeTime time={commit.time} />
            </Text>
          </li>
        ))}
      </ul>
    </section>
  );
}

function NotThere({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <Stack gap="md">
      <Problem error={error} retry={retry} />
      <div>
        <Button variant="default" renderRoot={(props) => <Link to="/branches" {...props} />}>
          All branches
        </Button>
      </div>
    </Stack>
  );
}

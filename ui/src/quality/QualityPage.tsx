import "./quality.css";

import { Button, CloseButton, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconFilterOff, IconPlus, IconSearch, IconShieldQuestion, IconZoomQuestion } from "@tabler/icons-react";

import type { DatasetHealth, TrendDay } from "../api";
import { datasetsQuery, incidentsQuery, trendQuery } from "../api/quality";
import { useMayWrite } from "../api/scope";
import { DataTable, EmptyState, QueryResult, Name, PageHeader, RefSwitch, RelativeTime, ShowMore, TypedInput, type Column } from "../components";
import { TrendBars } from "../components/TrendBars";
import { count, percent, plural } from "../format/numbers";
import { DayCells } from "./DayCells";
import { FailingChecks } from "./FailingChecks";
import { QualityNav } from "./Nav";
import { DATASET_STATES, type QualitySearch } from "./search";
import { tallyInWords, toneOfScore } from "./words";

const route = getRouteApi("/frame/quality");

/** How well the data is: what fails now, thirty days of checks, and every dataset with its score. */
export default function QualityPage() {
  const { branch } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMayWrite();
  return (
    <>
      <PageHeader
        title="Quality"
        about="What fails now, how it was over thirty days, and how healthy each dataset is."
        actions={
          <>
            <RefSwitch at={branch} branchesOnly onChange={(next) => void navigate({ search: (before) => ({ ...before, branch: next }) })} />
            {mayWrite && (
              <Button leftSection={<IconPlus size={16} aria-hidden />} renderRoot={(props) => <Link to="/quality/monitors/new" {...props} />}>
                New monitor
              </Button>
            )}
          </>
        }
      />
      <QualityNav />
      <Stack gap="md">
        <div className="quality-top">
          <Now branch={branch} />
          <Trend branch={branch} />
        </div>
        <Datasets branch={branch} />
      </Stack>
    </>
  );
}

/** What is broken, the worst first; each leads to where something can be done. */
function Now({ branch }: { branch: string | undefined }) {
  const incidents = useInfiniteQuery(incidentsQuery({ branch, limit: 6 }));
  const datasets = useInfiniteQuery(datasetsQuery({ branch, state: ["failing"], limit: 6 }));
  return (
    <section className="panel quality-now" aria-labelledby="now">
      <h2 className="panel-title" id="now">
        What fails now
      </h2>
      <QueryResult query={incidents} skeleton={<Skeleton h={150} mt="sm" radius="md" />}>
        {(found) => (
          <QueryResult query={datasets} skeleton={<Skeleton h={150} mt="sm" radius="md" />}>
            {(failing) => <FailingChecks incidents={found.pages.flatMap((page) => page.items)} total={found.pages[0]?.total_count ?? null} datasets={failing.pages.flatMap((page) => page.items)} />}
          </QueryResult>
        )}
      </QueryResult>
    </section>
  );
}

function Trend({ branch }: { branch: string | undefined }) {
  const query = useQuery(trendQuery(branch));
  return (
    <section className="panel quality-trend" aria-labelledby="trend">
      <h2 className="panel-title" id="trend">
        Checks, 30 days
      </h2>
      <QueryResult query={query} skeleton={<Skeleton h={190} mt="sm" radius="md" />}>
        {(days) => <TrendNumbers days={days} />}
      </QueryResult>
    </section>
  );
}

function TrendNumbers({ days }: { days: readonly TrendDay[] }) {
  const sum = (of: (one: TrendDay) => number): number => days.reduce((total, one) => total + of(one), 0);
  const [passed, failed, unknown] = [sum((one) => one.passed), sum((one) => one.failed), sum((one) => one.not_measured)];
  const all = passed + failed + unknown;
  return (
    <>
      <div className="quality-rate">
        <span className="quality-large numbers">{all === 0 ? "–" : percent((100 * passed) / all)}</span>
        <Text size="sm" c="dimmed" component="span">
          {all === 0 ? "no check was made" : "passed"}
        </Text>
      </div>
      <TrendBars days={days} />
      <ul className="quality-legend" aria-label="The bars">
        <li data-of="passed">{count(passed)} passed</li>
        <li data-of="failed">{count(failed)} failed</li>
        <li data-of="unknown">{count(unknown)} not measured</li>
      </ul>
    </>
  );
}

const STATES: Record<(typeof DATASET_STATES)[number], string> = { failing: "With failures", "not measured": "Not measured", ok: "All passed", unchecked: "Not checked" };

/** Every dataset with its score and its days. */
function Datasets({ branch }: { branch: string | undefined }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { q, health: state } = search;
  const query = useInfiniteQuery(datasetsQuery({ branch, q, state: state === undefined ? undefined : [state] }));
  const change = (part: QualitySearch): void => void navigate({ search: (before) => ({ ...before, ...part }), replace: true, resetScroll: false });
  const filtered = q !== undefined || state !== undefined;
  const clear = (): void => change({ q: undefined, health: undefined });
  return (
    <section aria-labelledby="datasets">
      <div className="quality-bar">
        <h2 className="quality-heading" id="datasets">
          Health by dataset
        </h2>
        <search className="quality-filters" aria-label="Datasets">
          <TypedInput
            aria-label="Part of a name"
            placeholder="Part of a name"
            leftSection={<IconSearch size={16} aria-hidden />}
            rightSection={q === undefined ? undefined : <CloseButton size="sm" aria-label="Empty the filter" onClick={() => change({ q: undefined })} />}
            value={q ?? ""}
            onTyped={(text) => change({ q: text === "" ? undefined : text })}
            spellCheck={false}
          />
          <NativeSelect
            aria-label="State"
            value={state ?? ""}
            onChange={(event) => change({ health: DATASET_STATES.find((one) => one === event.currentTarget.value) })}
            data={[{ value: "", label: "Any state" }, ...DATASET_STATES.map((one) => ({ value: one, label: STATES[one] }))]}
          />
        </search>
      </div>
      <QueryResult query={query} skeleton={<Skeleton h={320} radius={12} />}>
        {({ pages }) => {
          const datasets = pages.flatMap((page) => page.items);
          const total = pages[0]?.total_count ?? datasets.length;
          return (
            <>
              <div className="quality-found">
                <span role="status">{plural(total, "dataset")}</span>
                {filtered && (
                  <Button variant="subtle" size="compact-sm" leftSection={<IconFilterOff size={15} aria-hidden />} onClick={clear}>
                    Clear filters
                  </Button>
                )}
              </div>
              <div className="panel quality-list" aria-busy={query.isPlaceholderData} data-stale={query.isPlaceholderData || undefined}>
                {datasets.length === 0 ? (
                  <NoDatasets filtered={filtered} onClear={clear} />
                ) : (
                  <DataTable caption="Health by dataset" columns={columnsOf(branch)} rows={datasets} rowKey={(one) => one.dataset} />
                )}
                <ShowMore query={query} shown={datasets.length} total={total} what="datasets" />
              </div>
            </>
          );
        }}
      </QueryResult>
    </section>
  );
}

function columnsOf(branch: string | undefined): Column<DatasetHealth>[] {
  return [
    { key: "dataset", label: "Dataset", cell: (one) => <Named one={one} branch={branch} /> },
    { key: "score", label: "Score", cell: (one) => <Score one={one} /> },
    { key: "days", label: "30 days", cell: (one) => <DayCells days={one.days} /> },
    { key: "monitors", label: "Monitors", align: "right", cell: (one) => <Monitors one={one} /> },
    { key: "checked", label: "Checked", align: "right", wide: true, cell: (one) => (one.checked_at === null ? <span className="quality-quiet">never</span> : <RelativeTime time={one.checked_at} />) },
  ];
}

function Named({ one, branch }: { one: DatasetHealth; branch: string | undefined }) {
  return (
    <span className="quality-named">
      <Link to="/assets/$assetId" params={{ assetId: one.dataset }} search={{ tab: "quality", at: branch }} className="link name">
        <Name text={one.dataset} />
      </Link>
      {one.failing !== null && (
        <span className="quality-said name">
          {one.failing_result_id === null ? (
            one.failing
          ) : (
            <Link to="/quality/results/$resultId" params={{ resultId: one.failing_result_id }} className="quiet-link">
              {one.failing}
            </Link>
          )}
        </span>
      )}
    </span>
  );
}

function Score({ one }: { one: DatasetHealth }) {
  const tone = toneOfScore(one.score);
  return (
    <span className="quality-score">
      <span className="quality-score-number numbers" data-tone={tone}>
        {percent(one.score)}
      </span>
      <span className="quality-score-bar" aria-hidden>
        {one.score !== null && <span data-tone={tone} style={{ width: `${Math.max(one.score, 2)}%` }} />}
      </span>
      <span className="quality-quiet numbers">{one.score === null ? "not checked" : tallyInWords(one)}</span>
    </span>
  );
}

function Monitors({ one }: { one: DatasetHealth }) {
  if (one.monitors === 0) return <span className="quality-quiet">none</span>;
  return (
    <Link to="/quality/monitors" search={{ dataset: one.dataset }} className="link" aria-label={`${plural(one.monitors, "monitor")} of ${one.dataset}`}>
      {count(one.monitors)}
    </Link>
  );
}

function NoDatasets({ filtered, onClear }: { filtered: boolean; onClear: () => void }) {
  if (filtered) {
    return (
      <EmptyState
        icon={IconZoomQuestion}
        title="No dataset passes these filters"
        action={
          <Button variant="default" onClick={onClear}>
            Show all datasets
          </Button>
        }
      />
    );
  }
  return (
    <EmptyState icon={IconShieldQuestion} title="There is no dataset yet">
      A run publishes tables and checks them before it does; each is listed here with its score.
    </EmptyState>
  );
}


import "../quality.css";

import { Button, NativeSelect, Skeleton, Stack, Text } from "@mantine/core";
import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconAlertTriangle, IconArrowBackUp, IconChartDots, IconCheck } from "@tabler/icons-react";

import type { AnomalyView, DatasetHealth, MetricView, SeriesPoint, SeriesView } from "../../api";
import { datasetsQuery, metricsQuery, newestAnomaliesQuery, seriesQuery, useFeedback } from "../../api/quality";
import { useMayWrite } from "../../api/scope";
import { CommitLink, CopyCommand, DataTable, EmptyState, FocusPicker, QueryResult, Name, notifyProblem, PageHeader, RelativeTime, RunLink, StatusBadge, TableLink, type Column } from "../../components";
import { exact, moment, plural } from "../../format/numbers";
import { Line } from "../Line";
import { QualityNav } from "../Nav";
import { METHODS, type AnomaliesSearch } from "../search";
import { BandChart } from "./BandChart";
import { anomaliesOf, isOpen, methodInWords, metricInWords, metricsInOrder, pointInWords, pointOf, seasonInWords, trendInWords, valueInWords } from "./words";

const route = getRouteApi("/frame/quality/anomalies");

/** Numbers of a dataset over time, with the band in which they were expected. */
export default function AnomaliesPage() {
  const { dataset } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <PageHeader
        title={dataset === undefined ? "Anomalies" : <Name text={dataset} />}
        documentTitle={dataset === undefined ? "Anomalies" : `Anomalies of ${dataset}`}
        about={dataset === undefined ? "Numbers of each dataset over time, and the band in which they were expected." : <TableLine table={dataset} />}
        actions={<FocusPicker key={dataset} focus={dataset} label="Dataset" onChoose={(id) => void navigate({ search: { dataset: id } })} />}
      />
      <QualityNav />
      {dataset === undefined ? <Choose /> : <Metrics key={dataset} dataset={dataset} />}
    </>
  );
}

function TableLine({ table }: { table: string }) {
  return (
    <>
      its numbers over time · <TableLink table={table} />
    </>
  );
}

const CHOICES: readonly Column<DatasetHealth>[] = [
  {
    key: "dataset",
    label: "Dataset",
    cell: (one) => (
      <Link to="/quality/anomalies" search={{ dataset: one.dataset }} className="link name">
        <Name text={one.dataset} />
      </Link>
    ),
  },
  { key: "checked", label: "Checked", align: "right", cell: (one) => <RelativeTime time={one.checked_at} /> },
];

const NEWEST: readonly Column<AnomalyView>[] = [
  {
    key: "what",
    label: "What",
    cell: (one) => (
      <span className="quality-named">
        <Link to="/quality/anomalies" search={{ dataset: one.dataset_id, branch: one.branch, metric: one.metric, at: one.time, around: one.time }} className="link name">
          <Name text={one.dataset_id} />: {one.metric}
        </Link>
        <span className="quality-said name">{one.explanation}</span>
      </span>
    ),
  },
  { key: "value", label: "Value", align: "right", cell: (one) => valueInWords(one.value, one.unit) },
  { key: "said", label: "Judged", wide: true, cell: (one) => <span className="quality-quiet">{one.feedback ?? "not yet"}</span> },
  { key: "when", label: "When", align: "right", cell: (one) => <RelativeTime time={one.time} /> },
];

function Newest() {
  const query = useQuery(newestAnomaliesQuery());
  return (
    <section aria-labelledby="newest">
      <h2 className="quality-heading quality-gap" id="newest">
        Flagged in 30 days
      </h2>
      <QueryResult query={query} skeleton={<Skeleton h={160} radius={12} />}>
        {(found) => (
          <div className="panel quality-list">
            {found.length === 0 ? (
              <EmptyState icon={IconChartDots} title="No anomaly">
                All numbers lay where they were expected, or there is too little history yet.
              </EmptyState>
            ) : (
              <DataTable caption="Anomalies, newest first" columns={NEWEST} rows={found} rowKey={(one) => `${one.dataset_id} ${one.branch} ${one.metric} ${one.time}`} />
            )}
          </div>
        )}
      </QueryResult>
    </section>
  );
}

function Choose() {
  return (
    <Stack gap="lg">
      <Newest />
      <Datasets />
    </Stack>
  );
}

function Datasets() {
  const query = useInfiniteQuery(datasetsQuery({ limit: 200 }));
  return (
    <QueryResult query={query} skeleton={<Skeleton h={280} radius={12} />}>
      {({ pages }) => {
        const datasets = pages.flatMap((page) => page.items);
        return (
          <section aria-labelledby="all">
            <h2 className="quality-heading" id="all">
              Datasets
            </h2>
            <Text size="sm" c="dimmed" mb="xs">
              Rows, NULLs, means, sizes: whatever its checks and runs measured.
            </Text>
            <div className="panel quality-list">
              {datasets.length === 0 ? (
                <EmptyState icon={IconChartDots} title="Nothing was measured yet" action={<CopyCommand command="forge run" />}>
                  Each run and each check leaves numbers; after some of them it is known what to expect.
                </EmptyState>
              ) : (
                <DataTable caption="Datasets" columns={CHOICES} rows={datasets} rowKey={(one) => one.dataset} />
              )}
            </div>
          </section>
        );
      }}
    </QueryResult>
  );
}

function Metrics({ dataset }: { dataset: string }) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(metricsQuery(dataset, search.branch));
  const change = (part: AnomaliesSearch, replace = true): void => void navigate({ search: (before) => ({ ...before, ...part }), replace, resetScroll: false });
  return (
    <QueryResult query={query} skeleton={<Skeleton h={480} radius={12} />}>
      {(found) => {
        const metrics = metricsInOrder(found);
        const chosen = metrics.find((one) => one.metric === search.metric) ?? metrics[0];
        if (chosen === undefined) return <NoMetrics dataset={dataset} />;
        return (
          <div className="anomaly-page">
            <MetricList metrics={metrics} chosen={chosen} dataset={dataset} />
            <Series key={chosen.metric} dataset={dataset} metric={chosen} search={search} change={change} />
          </div>
        );
      }}
    </QueryResult>
  );
}

function NoMetrics({ dataset }: { dataset: string }) {
  return (
    <div className="panel">
      <EmptyState icon={IconChartDots} title="Nothing was measured of it yet" action={<CopyCommand command={`forge quality run ${dataset}`} />}>
        Each run that publishes it and each check of it leaves numbers; after some of them it is known what to expect.
      </EmptyState>
    </div>
  );
}

function MetricList({ metrics, chosen, dataset }: { metrics: readonly MetricView[]; chosen: MetricView; dataset: string }) {
  return (
    <nav className="panel metric-list" aria-label={`Metrics of ${dataset}`}>
      <ul>
        {metrics.map((one) => (
          <li key={one.metric}>
            <Link
              to="/quality/anomalies"
              search={(before) => ({ ...before, dataset, metric: one.metric, at: undefined, around: undefined })}
              replace
              resetScroll={false}
              className="metric-link"
              aria-current={one.metric === chosen.metric ? "page" : undefined}
            >
              <span className="name">{metricInWords(one)}</span>
              {isOpen(one) && <IconAlertTriangle size={15} role="img" aria-label="an anomaly now" className="metric-flag" />}
              <span className="numbers metric-value">{valueInWords(one.value, one.unit)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

interface SeriesProps {
  dataset: string;
  metric: MetricView;
  search: AnomaliesSearch;
  change: (part: AnomaliesSearch, replace?: boolean) => void;
}

function Series({ dataset, metric, search, change }: SeriesProps) {
  const { method, limit, branch, around } = search;
  const query = useQuery(seriesQuery({ dataset, metric: metric.metric, branch, method, limit, around }));
  // Prophet is an extra that not every server has.
  const offered = METHODS.filter((one) => one === method || query.data === undefined || query.data.methods.includes(one));
  return (
    <Stack gap="md" className="anomaly-main">
      <section className="panel quality-pad" aria-labelledby="series">
        <div className="sla-head">
          <h2 className="quality-heading" id="series">
            {metricInWords(metric)}
          </h2>
          <div className="anomaly-controls">
            <NativeSelect
              aria-label="How it is expected"
              size="xs"
              value={method ?? "seasonal"}
              onChange={(event) => change({ method: METHODS.find((one) => one === event.currentTarget.value && one !== "seasonal") })}
              data={offered.map((one) => ({ value: one, label: methodInWords(one) }))}
            />
            <NativeSelect
              aria-label="How many points"
              size="xs"
              value={String(limit ?? 90)}
              onChange={(event) => change({ limit: event.currentTarget.value === "90" ? undefined : Number(event.currentTarget.value) })}
              data={[...new Set([30, 90, 365, limit ?? 90])].sort((one, other) => one - other).map((one) => ({ value: String(one), label: `${one} points` }))}
            />
          </div>
        </div>
        <QueryResult query={query} skeleton={<Skeleton h={300} mt="sm" radius="md" />}>
          {(series) => <Chart series={series} at={search.at} onAt={(at) => change({ at })} stale={query.isPlaceholderData} />}
        </QueryResult>
      </section>
      {query.data !== undefined && <ChosenPoint series={query.data} at={search.at} dataset={dataset} branch={branch} onAt={(at) => change({ at })} />}
    </Stack>
  );
}

function Chart({ series, at, onAt, stale }: { series: SeriesView; at: string | undefined; onAt: (at: string) => void; stale: boolean }) {
  const point = pointOf(series, at);
  const label = `${metricInWords(series)} of ${series.dataset_id}`;
  return (
    <div aria-busy={stale} style={{ opacity: stale ? 0.6 : 1 }}>
      <BandChart label={label} points={series.points} chosen={point?.time} onChoose={onAt} say={(one) => pointInWords(one as SeriesPoint, series.unit)} />
      <ul className="band-legend" aria-label="What is drawn">
        <li data-of="value">measured</li>
        <li data-of="band">expected</li>
        <li data-of="flag">anomaly</li>
        <li data-of="spoken">judged by someone</li>
      </ul>
    </div>
  );
}

interface ChosenPointProps {
  series: SeriesView;
  at: string | undefined;
  dataset: string;
  branch: string | undefined;
  onAt: (at: string) => void;
}

function ChosenPoint({ series, at, dataset, branch, onAt }: ChosenPointProps) {
  const point = pointOf(series, at);
  if (point === undefined) return null;
  return (
    <div className="anomaly-point">
      <OnePoint point={point} series={series} dataset={dataset} branch={branch} />
      <Flags series={series} chosen={point} onAt={onAt} />
    </div>
  );
}

/** The point that is looked at: what it is, what was expected and why, and what a person says of it. */
function OnePoint({ point, series, dataset, branch }: { point: SeriesPoint; series: SeriesView; dataset: string; branch: string | undefined }) {
  const season = seasonInWords(point);
  const trend = trendInWords(point);
  return (
    <section className="panel quality-pad" aria-labelledby="point">
      <div className="point-head">
        <h2 className="panel-title" id="point">
          {moment(point.time)} UTC
        </h2>
        {point.is_anomaly && <StatusBadge word="warning" label="anomaly" />}
        {point.held_back && <StatusBadge word="held back" />}
      </div>
      <p className="point-value">
        <span className="quality-large numbers">{valueInWords(point.value, series.unit)}</span>
        {point.low !== null && point.high !== null && (
          <span className="quality-quiet">
            expected {valueInWords(point.low, series.unit)} to {valueInWords(point.high, series.unit)}
          </span>
        )}
      </p>
      <p className="name">{point.explanation}</p>
      <dl className="result-numbers">
        {season !== null && <Line name="Season">{season}</Line>}
        {trend !== null && <Line name="Trend">{trend}</Line>}
        {point.is_anomaly && (
          <Line name="How far out">
            <span className="numbers">{Math.round(Math.abs(point.score) * 10) / 10}</span> <span className="quality-quiet">flagged from {series.threshold}</span>
          </Line>
        )}
        {point.commit !== null && (
          <Line name="Commit">
            <CommitLink commit={point.commit} />
          </Line>
        )}
        {point.run_id !== null && (
          <Line name="Run">
            <RunLink runId={point.run_id} />
          </Line>
        )}
      </dl>
      <Feedback point={point} series={series} dataset={dataset} branch={branch} />
    </section>
  );
}

function Feedback({ point, series, dataset, branch }: { point: SeriesPoint; series: SeriesView; dataset: string; branch: string | undefined }) {
  const mayWrite = useMayWrite();
  const feedback = useFeedback(dataset, branch);
  const say = (verdict: "expected" | "incident" | null): void => feedback.mutate({ metric: series.metric, time: point.time, verdict, note: "" }, { onError: notifyProblem });
  return (
    <div className="point-feedback" role="group" aria-label="What you say of it">
      {point.feedback !== null && (
        <p className="point-said" role="status">
          {point.feedback === "expected" ? "Said to be expected: it counts towards what is normal." : "Said to be an incident: it is kept out of what is normal."}
          {point.feedback_by !== null && (
            <span className="quality-quiet" title={exact(point.feedback_at)}>
              {" "}
              {point.feedback_by}, <RelativeTime time={point.feedback_at} />
            </span>
          )}
        </p>
      )}
      {mayWrite && (
        <div className="cause-ways">
          <Button size="xs" variant={point.feedback === "expected" ? "filled" : "default"} aria-pressed={point.feedback === "expected"} leftSection={<IconCheck size={15} aria-hidden />} disabled={feedback.isPending} onClick={() => say("expected")}>
            This was expected
          </Button>
          <Button size="xs" variant={point.feedback === "incident" ? "filled" : "default"} aria-pressed={point.feedback === "incident"} leftSection={<IconAlertTriangle size={15} aria-hidden />} disabled={feedback.isPending} onClick={() => say("incident")}>
            This is an incident
          </Button>
          {point.feedback !== null && (
            <Button size="xs" variant="subtle" leftSection={<IconArrowBackUp size={15} aria-hidden />} disabled={feedback.isPending} onClick={() => say(null)}>
              Take it back
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

/** All that was flagged or spoken of, newest first; a click shows it in the chart. */
function Flags({ series, chosen, onAt }: { series: SeriesView; chosen: SeriesPoint; onAt: (at: string) => void }) {
  const flags = anomaliesOf(series);
  return (
    <section className="panel quality-pad" aria-labelledby="flags">
      <h2 className="panel-title" id="flags">
        {flags.length === 0 ? "No anomaly" : plural(flags.filter((one) => one.is_anomaly).length, "anomaly", "anomalies")}
      </h2>
      {flags.length === 0 ? (
        <p className="quality-quiet">All {plural(series.points.length, "point")} lie where they were expected, or there is too little history yet.</p>
      ) : (
        <ul className="flag-list">
          {flags.map((one) => (
            <li key={one.time}>
              <button type="button" className="flag-button" aria-current={one.time === chosen.time ? "true" : undefined} onClick={() => onAt(one.time)}>
                <span className="numbers">{moment(one.time)}</span>
                <span className="numbers">{valueInWords(one.value, series.unit)}</span>
                <span className="quality-quiet">{one.feedback ?? (one.is_anomaly ? "not judged" : "")}</span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

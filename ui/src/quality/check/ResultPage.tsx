import "../quality.css";

import { Button, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { getRouteApi, Link } from "@tanstack/react-router";
import { IconAlertTriangle, IconRefresh } from "@tabler/icons-react";

import type { ResultDetail } from "../../api";
import { resultQuery } from "../../api/quality";
import { ColumnLink, DataTable, QueryResult, Name, PageHeader, RelativeTime, StatusBadge, TableLink, type Column } from "../../components";
import { lookOf } from "../../components/StatusBadge";
import { plural } from "../../format/numbers";
import { Line } from "../Line";
import { ExecutionTime } from "../monitor/Results";
import { QualityNav } from "../Nav";
import { PairSkeleton } from "../PairSkeleton";
import { listOfDetails, nameOfResult, partitionsOf, type PartitionLine } from "../words";
import { Cause } from "./Cause";
import { PastChart } from "./PastChart";
import { rowsIn, Sample } from "./Sample";
import { VerdictOrigin } from "./VerdictOrigin";

const route = getRouteApi("/frame/quality/results/$resultId");

/** What one check said of one version: the number, the rule, the rows, and where it came from. */
export default function ResultPage() {
  const { resultId } = route.useParams();
  const query = useQuery(resultQuery(resultId));
  const result = query.data;
  return (
    <>
      <PageHeader
        title={result === undefined ? "One result" : <Title result={result} />}
        documentTitle={result === undefined ? "One result" : `${result.verdict} · ${result.dataset}`}
        marks={result !== undefined && <Marks result={result} />}
        about={result !== undefined && <About result={result} />}
        actions={result !== undefined && <Actions result={result} />}
      />
      <QualityNav />
      <QueryResult query={query} skeleton={<PairSkeleton />}>
        {(found) => <Content result={found} />}
      </QueryResult>
    </>
  );
}

function Title({ result }: { result: ResultDetail }) {
  return (
    <>
      <Name text={result.dataset} />: {nameOfResult(result)}
    </>
  );
}

function Marks({ result }: { result: ResultDetail }) {
  return (
    <>
      <StatusBadge word={result.verdict} />
      {result.verdict === "failed" && <StatusBadge word={result.severity} />}
    </>
  );
}

function About({ result }: { result: ResultDetail }) {
  return (
    <>
      <RelativeTime time={result.executed_at} /> · <VerdictOrigin by={result.judged_by} />
    </>
  );
}

function Actions({ result }: { result: ResultDetail }) {
  const newest = result.history[0];
  return (
    <>
      {newest !== undefined && newest.id !== result.id && (
        <Button variant="default" leftSection={<IconRefresh size={16} aria-hidden />} renderRoot={(props) => <Link to="/quality/results/$resultId" params={{ resultId: newest.id }} {...props} />}>
          Newest result
        </Button>
      )}
      {result.incident_id != null && (
        <Button
          leftSection={<IconAlertTriangle size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/quality/incidents/$incidentId" params={{ incidentId: result.incident_id ?? "" }} {...props} />}
        >
          Open the incident
        </Button>
      )}
    </>
  );
}

function Content({ result }: { result: ResultDetail }) {
  const rows = rowsIn(result.details);
  const { tone, icon: Sign } = lookOf(result.verdict);
  const [column] = result.columns;
  const subject = column === undefined ? result.dataset : `${result.dataset}.${column}`;
  return (
    <Stack gap="md">
      <div className="panel result-lead" data-tone={tone}>
        <Sign size={22} aria-hidden />
        <div>
          <Text fw={600} className="name">
            {result.message}
          </Text>
          {typeof result.details["note"] === "string" && (
            <Text size="sm" className="name">
              {result.details["note"]}
            </Text>
          )}
        </div>
      </div>
      <div className="result-pair">
        <Numbers result={result} />
        <Stack gap="md">
          {result.verdict === "failed" && <Cause cause={result.cause} subject={subject} />}
          <Past result={result} />
        </Stack>
      </div>
      {result.verdict === "failed" && <Rows result={result} rows={rows} />}
      <Partitions result={result} />
    </Stack>
  );
}

function Numbers({ result }: { result: ResultDetail }) {
  const readings = [...listOfDetails(result.details, "readings"), ...listOfDetails(result.details, "statistics")];
  const thresholds = listOfDetails(result.details, "thresholds");
  return (
    <section className="panel quality-pad" aria-labelledby="numbers">
      <h2 className="panel-title" id="numbers">
        What was measured
      </h2>
      <dl className="result-numbers">
        {readings.map(([name, value]) => (
          <Line key={name} name={name}>
            <span className="numbers">{value}</span>
          </Line>
        ))}
        {result.columns.length > 0 && (
          <Line name={result.columns.length === 1 ? "Column" : "Columns"}>
            {result.columns.map((name, index) => (
              <span key={name}>
                {index > 0 && ", "}
                <ColumnLink column={`${result.dataset}.${name}`} name={name} />
              </span>
            ))}
          </Line>
        )}
        {typeof result.details["where"] === "string" && (
          <Line name="Only rows where">
            <code className="mono name">{result.details["where"]}</code>
          </Line>
        )}
        <Line name="Dataset">
          <TableLink table={result.dataset} at={result.commit ?? undefined} />
        </Line>
        <Line name="Took">
          <ExecutionTime one={result} />
        </Line>
      </dl>
      {thresholds.length > 0 && (
        <>
          <h3 className="quality-sub">What the rule allows</h3>
          <dl className="result-numbers">
            {thresholds.map(([name, value]) => (
              <Line key={name} name={name}>
                <span className="numbers">{value}</span>
              </Line>
            ))}
          </dl>
        </>
      )}
      <Text size="xs" c="dimmed" className="mono name">
        {result.check_id}
      </Text>
    </section>
  );
}

function Rows({ result, rows }: { result: ResultDetail; rows: Record<string, unknown>[] }) {
  return (
    <section className="panel quality-list" aria-labelledby="rows">
      <div className="quality-pad result-rows-head">
        <h2 className="panel-title" id="rows">
          Rows that failed
        </h2>
        <Text size="sm" c="dimmed">
          {typeof result.details["sample_missing"] === "string" ? `None could be taken: ${result.details["sample_missing"]}` : rows.length === 0 ? "This kind of check points to no single rows, or none were kept." : `${plural(rows.length, "row")} of them, as it was kept; personal data is masked.`}
        </Text>
      </div>
      {rows.length > 0 && <Sample rows={rows} columns={result.columns} caption={`Rows of ${result.dataset} that failed: ${nameOfResult(result)}`} />}
    </section>
  );
}

const PARTITIONS: readonly Column<PartitionLine>[] = [
  { key: "verdict", label: "Verdict", cell: (one) => <StatusBadge word={one.verdict} /> },
  { key: "name", label: "Partition", cell: (one) => <span className="name">{one.name}</span> },
  { key: "message", label: "What it saw", cell: (one) => <span className="name">{one.message}</span> },
];

function Partitions({ result }: { result: ResultDetail }) {
  const found = partitionsOf(result.details);
  if (found.length === 0) return null;
  return (
    <section className="panel quality-list" aria-labelledby="partitions">
      <h2 className="panel-title quality-pad" id="partitions">
        By partition
      </h2>
      <DataTable caption="Verdicts by partition" columns={PARTITIONS} rows={found} rowKey={(one) => one.name} />
    </section>
  );
}

function Past({ result }: { result: ResultDetail }) {
  return (
    <section className="panel quality-pad" aria-labelledby="past">
      <h2 className="panel-title" id="past">
        The same check before
      </h2>
      {result.history.length < 2 ? (
        <p className="quality-quiet">This is its first result.</p>
      ) : (
        <>
          <p className="quality-quiet">
            {plural(result.history.length, "result")}, {result.history.filter((one) => one.verdict === "failed").length} failed
          </p>
          <PastChart past={result.history} now={result.id} />
        </>
      )}
    </section>
  );
}

import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconActivity, IconAlertTriangle, IconChartDots, IconHandStop, IconPlus, IconShieldQuestion } from "@tabler/icons-react";

import { healthQuery, type AssetDetail, type HealthView, type ResultView } from "../../api";
import { useMayWrite } from "../../api/scope";
import { DataTable, EmptyState, QueryResult, RelativeTime, RunLink, StatusBadge, type Column } from "../../components";
import { useBadColumns } from "../../components/sampleColumns";
import { count, percent, plural } from "../../format/numbers";
import { HEAD } from "../../format/refs";
import { showValue } from "../../format/values";
import { badRows, nameOfCheck, whatWentWrong, worstFirst } from "../../format/verdicts";

interface Props {
  asset: AssetDetail;
  at: string | undefined;
}

/** What the checks said of this version, and above it what stopped a newer one. */
export function AssetQuality({ asset, at }: Props) {
  const query = useQuery(healthQuery(asset.id, at ?? HEAD));
  return (
    <QueryResult query={query} skeleton={<QualitySkeleton />}>
      {(health) => (
        <Stack gap="md">
          {health.held_back.length > 0 && <HeldBack health={health} asset={asset} at={at} />}
          <Score health={health} asset={asset} />
          <Verdicts health={health} asset={asset} at={at} />
          <Ways asset={asset} monitors={health.monitors} />
        </Stack>
      )}
    </QueryResult>
  );
}

/** The box about an attempt that was stopped: what it saw, where to look, and that readers were spared. */
function HeldBack({ health, asset, at }: Props & { health: HealthView }) {
  const wrong = whatWentWrong(health.held_back);
  const [first] = health.held_back;
  return (
    <section className="held" aria-labelledby="held-title">
      <Group gap={8} wrap="nowrap" align="flex-start">
        <IconHandStop size={20} aria-hidden className="held-sign" />
        <h2 id="held-title" className="held-title">
          The newest attempt was held back
        </h2>
      </Group>
      <p>
        Run {first?.run_id != null && <RunLink runId={first.run_id} />}
        {first?.executed_at != null && (
          <>
            , <RelativeTime time={first.executed_at} />,
          </>
        )}{" "}
        made a new version that did not pass. It was not published: readers still have version {asset.version}.
      </p>
      {wrong.length === 0 ? (
        <p>Its own checks passed; another table of the same run failed.</p>
      ) : (
        <ul className="held-list">
          {wrong.map((verdict) => (
            <li key={verdict.check_id}>
              <Group gap={8}>
                <StatusBadge word={verdict.outcome === "failed" ? verdict.severity : verdict.outcome} />
                <Link to="/quality/results/$resultId" params={{ resultId: verdict.id }} className="link asset-check">
                  {nameOfCheck(verdict)}
                </Link>
                <Columns verdict={verdict} at={at} />
              </Group>
              <Text size="sm" mt={4} className="name">
                {verdict.message}
              </Text>
              <BadRows verdict={verdict} />
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** A few of the rows that were refused, as the check kept them. */
function BadRows({ verdict }: { verdict: ResultView }) {
  const rows = badRows(verdict);
  const names = useBadColumns(rows, verdict.columns);
  if (rows.length === 0) return null;
  const columns: Column<Record<string, unknown>>[] = names.map((name) => ({
    key: name,
    label: name,
    cell: (row) => {
      const shown = showValue(row[name]) ?? "NULL";
      return verdict.columns.includes(name) ? <strong className="held-value">{shown}</strong> : shown;
    },
  }));
  return (
    <div className="held-rows numbers">
      <DataTable caption={`Rows that ${nameOfCheck(verdict)} refused`} columns={columns} rows={rows} rowKey={(row) => JSON.stringify(row)} narrow="scroll" />
    </div>
  );
}

function Score({ health, asset }: { health: HealthView; asset: AssetDetail }) {
  if (health.checks.length === 0) return null;
  const parts = [`${count(health.passed)} passed`, `${count(health.failed)} failed`];
  if (health.not_measured > 0) parts.push(`${count(health.not_measured)} not measured`);
  return (
    <div className="score">
      <span className="score-number numbers">{percent(health.score)}</span>
      <div>
        <Text fw={600}>
          of {plural(health.checks.length, "check")} passed for version {asset.version}
        </Text>
        <Text size="sm" c="dimmed" component="div" className="name">
          {parts.join(", ")} · checked <RelativeTime time={health.checked_at} />
          {health.run_id !== null && (
            <>
              {" by run "}
              <RunLink runId={health.run_id} />
            </>
          )}
        </Text>
      </div>
    </div>
  );
}

function Verdicts({ health, asset, at }: Props & { health: HealthView }) {
  if (health.checks.length === 0) {
    return (
      <div className="panel">
        <EmptyState icon={IconShieldQuestion} title={asset.type === "view" ? "A view is not checked" : "Nothing checks this version"}>
          {asset.type === "view" ? (
            "It stores nothing. The tables made of it are checked before they are published."
          ) : (
            <>
              Write checks for it into the project’s <code>checks</code> folder, or promise it in a contract; the next run checks it before it publishes.
            </>
          )}
        </EmptyState>
      </div>
    );
  }
  const columns: Column<ResultView>[] = [
    { key: "outcome", label: "Outcome", cell: (verdict) => <StatusBadge word={verdict.outcome} /> },
    { key: "check", label: "Check", cell: (verdict) => <Named verdict={verdict} /> },
    { key: "column", label: "Column", cell: (verdict) => <Columns verdict={verdict} at={at} /> },
    { key: "saw", label: "What it saw", cell: (verdict) => <span className="name">{verdict.message}</span> },
    { key: "severity", label: "If it fails", wide: true, cell: (verdict) => <span className="quiet">{verdict.severity}</span> },
  ];
  return (
    <div className="panel asset-verdicts">
      <DataTable caption={`Checks of ${asset.qualified_name}, version ${asset.version}`} columns={columns} rows={worstFirst(health.checks)} rowKey={(verdict) => verdict.check_id} />
    </div>
  );
}

/** What else is known of its quality, and who watches it. */
function Ways({ asset, monitors }: { asset: AssetDetail; monitors: number }) {
  const mayWrite = useMayWrite();
  return (
    <Group gap="xs">
      {monitors > 0 && (
        <Button variant="default" size="xs" leftSection={<IconActivity size={15} aria-hidden />} renderRoot={(props) => <Link to="/quality/monitors" search={{ dataset: asset.id }} {...props} />}>
          {plural(monitors, "monitor")}
        </Button>
      )}
      {mayWrite && (
        <Button variant="default" size="xs" leftSection={<IconPlus size={15} aria-hidden />} renderRoot={(props) => <Link to="/quality/monitors/new" search={{ dataset: asset.id }} {...props} />}>
          Watch it
        </Button>
      )}
      <Button variant="default" size="xs" leftSection={<IconChartDots size={15} aria-hidden />} renderRoot={(props) => <Link to="/quality/anomalies" search={{ dataset: asset.id }} {...props} />}>
        Its numbers over time
      </Button>
      <Button variant="default" size="xs" leftSection={<IconAlertTriangle size={15} aria-hidden />} renderRoot={(props) => <Link to="/quality/incidents" search={{ dataset: asset.id, status: "all" }} {...props} />}>
        Its incidents
      </Button>
    </Group>
  );
}

function Named({ verdict }: { verdict: ResultView }) {
  const name = nameOfCheck(verdict);
  const kind = verdict.type.replaceAll("_", " ");
  return (
    <span title={verdict.check_id}>
      <Link to="/quality/results/$resultId" params={{ resultId: verdict.id }} className="link">
        {name}
      </Link>
      {name !== kind && <span className="asset-kind">{kind}</span>}
    </span>
  );
}

function Columns({ verdict, at }: { verdict: ResultView; at: string | undefined }) {
  if (verdict.columns.length === 0) return <span className="quiet">the whole table</span>;
  return (
    <span className="asset-sources">
      {verdict.columns.map((column) => (
        <Link key={column} to="/assets/$assetId" params={{ assetId: verdict.table }} search={{ at, tab: "lineage", col: column }} className="link name" title={`Lineage of ${column}`}>
          {column}
        </Link>
      ))}
    </span>
  );
}

function QualitySkeleton() {
  return (
    <Stack gap="md">
      <Skeleton h={56} />
      <Skeleton h={420} radius="md" />
    </Stack>
  );
}

import { Button, Skeleton, Stack } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconPlayerPlay } from "@tabler/icons-react";

import type { MonitorView, ResultView } from "../../api";
import { monitorResultsQuery } from "../../api/quality";
import { CommitLink, DataTable, EmptyState, QueryResult, RelativeTime, StatusBadge, type Column } from "../../components";
import { nameOfResult, took } from "../words";

interface Props {
  monitor: MonitorView;
  /** Whose results; without it the newest that has some. */
  run: string | undefined;
  onNewest: () => void;
}

/** What the checks said in one run, the worst first. */
export function MonitorResults({ monitor, run, onNewest }: Props) {
  const wanted = run ?? monitor.last_run?.id;
  const query = useQuery({ ...monitorResultsQuery(monitor.id, wanted), enabled: wanted !== undefined });
  if (wanted === undefined) return <NeverRan />;
  return (
    <QueryResult query={query} skeleton={<Skeleton h={280} radius={12} />}>
      {({ items }) => (
        <Stack gap="sm">
          <div className="quality-found">
            <span role="status">
              <About items={items} run={wanted} />
            </span>
            {run !== undefined && run !== monitor.last_run?.id && (
              <Button variant="subtle" size="compact-sm" onClick={onNewest}>
                Show the newest
              </Button>
            )}
          </div>
          <div className="panel quality-list results-list">
            {items.length === 0 ? (
              <EmptyState icon={IconPlayerPlay} title="This run has no results">
                It was cut off, cancelled, or works still.
              </EmptyState>
            ) : (
              <DataTable caption={`Results of ${monitor.name}`} columns={RESULT_COLUMNS} rows={worstFirst(items)} rowKey={(one) => one.id} />
            )}
          </div>
        </Stack>
      )}
    </QueryResult>
  );
}

function About({ items, run }: { items: readonly ResultView[]; run: string }) {
  const [first] = items;
  return (
    <>
      Run{" "}
      <Link to="/runs/$runId" params={{ runId: run }} className="link mono">
        {run}
      </Link>
      {first !== undefined && (
        <>
          {" "}
          looked at commit <CommitLink commit={first.commit} />, <RelativeTime time={first.executed_at} />
        </>
      )}
    </>
  );
}

const OUTCOMES = ["failed", "not measured", "passed"];
const SEVERITIES = ["critical", "error", "warning", "info"];

export function worstFirst<T extends Pick<ResultView, "verdict" | "severity">>(results: readonly T[]): T[] {
  const rank = (one: T): number => OUTCOMES.indexOf(one.verdict) * 10 + SEVERITIES.indexOf(one.severity);
  return results.toSorted((one, other) => rank(one) - rank(other));
}

export const RESULT_COLUMNS: readonly Column<ResultView>[] = [
  { key: "verdict", label: "Verdict", cell: (one) => <StatusBadge word={one.verdict} /> },
  { key: "check", label: "Check", cell: (one) => <Named one={one} /> },
  { key: "saw", label: "What it saw", cell: (one) => <span className="name">{one.message}</span> },
  { key: "severity", label: "Severity", wide: true, cell: (one) => (one.verdict === "failed" ? <StatusBadge word={one.severity} /> : <span className="quality-quiet">{one.severity}</span>) },
  { key: "took", label: "Took", align: "right", wide: true, cell: (one) => <ExecutionTime one={one} /> },
];

function Named({ one }: { one: ResultView }) {
  return (
    <Link to="/quality/results/$resultId" params={{ resultId: one.id }} className="link name" title={one.check_id}>
      {nameOfResult(one)}
    </Link>
  );
}

/** Of a scan that several checks share, the time is that of the scan. */
export function ExecutionTime({ one }: { one: Pick<ResultView, "execution_ms" | "shared"> }) {
  if (one.execution_ms === null) return <span className="quality-quiet">–</span>;
  return (
    <span className="numbers" title={one.shared ? "Of one scan that several checks share" : undefined}>
      {took(one.execution_ms)}
      {one.shared && <span className="quality-quiet"> shared</span>}
    </span>
  );
}

function NeverRan() {
  return (
    <div className="panel">
      <EmptyState icon={IconPlayerPlay} title="It has not run yet">
        Run it now, or wait for its schedule. Every result is kept, with the rows that failed and the commit it looked at.
      </EmptyState>
    </div>
  );
}

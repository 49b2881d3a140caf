import { Skeleton } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconHistory } from "@tabler/icons-react";

import type { MonitorRunView, MonitorView } from "../../api";
import { itemsOf } from "../../api/pages";
import { monitorRunsQuery } from "../../api/quality";
import { CommitLink, DataTable, EmptyState, QueryResult, RelativeTime, ShowMore, StatusBadge, type Column } from "../../components";
import { duration } from "../../format/numbers";
import { runInWords, triggerInWords } from "../words";

/** Every run of a monitor, newest first. */
export function MonitorHistory({ monitor }: { monitor: MonitorView }) {
  const query = useInfiniteQuery(monitorRunsQuery(monitor.id));
  return (
    <QueryResult query={query} skeleton={<Skeleton h={280} radius={12} />}>
      {({ pages }) => {
        const runs = itemsOf(pages);
        return (
          <div className="panel quality-list">
            {runs.length === 0 ? (
              <EmptyState icon={IconHistory} title="It has not run yet">
                Each run is kept here: when and why it began, what it looked at and what it found.
              </EmptyState>
            ) : (
              <DataTable caption={`Runs of ${monitor.name}`} columns={columnsOf(monitor.id)} rows={runs} rowKey={(one) => one.id} />
            )}
            <ShowMore query={query} shown={runs.length} total={pages[0]?.total_count} what="runs" />
          </div>
        );
      }}
    </QueryResult>
  );
}

function columnsOf(monitorId: string): Column<MonitorRunView>[] {
  return [
    { key: "status", label: "Came to", cell: (one) => <StatusBadge word={one.status} /> },
    { key: "when", label: "Began", cell: (one) => <When one={one} monitorId={monitorId} /> },
    { key: "found", label: "Checks", cell: (one) => <span className="numbers">{runInWords(one)}</span> },
    { key: "commit", label: "Commit", wide: true, cell: (one) => <CommitLink commit={one.commit} /> },
    { key: "why", label: "Why", wide: true, cell: (one) => <span className="quality-quiet">{triggerInWords(one)}</span> },
    { key: "took", label: "Took", align: "right", wide: true, cell: (one) => duration(secondsBetween(one)) },
  ];
}

function When({ one, monitorId }: { one: MonitorRunView; monitorId: string }) {
  return (
    <Link to="/quality/monitors/$monitorId" params={{ monitorId }} search={{ run: one.id }} className="link">
      <RelativeTime time={one.started_at ?? one.queued_at} />
    </Link>
  );
}

export function secondsBetween({ started_at: from, ended_at: to }: Pick<MonitorRunView, "started_at" | "ended_at">): number | null {
  return from === null || to === null ? null : Math.max(0, (Date.parse(to) - Date.parse(from)) / 1000);
}

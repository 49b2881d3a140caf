import { Button, CloseButton, Group, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";

import { ApiProblem, hasEnded, useCancelRun, useRunEvents, type RunDetail } from "../../api";
import { refreshQuality } from "../../api/quality";
import { useMayWrite } from "../../api/scope";
import { notifyProblem, Problem } from "../../components";
import { lookOf } from "../../components/StatusBadge";
import { useNow } from "../../components/useNow";
import { duration, plural } from "../../format/numbers";
import { secondsOf } from "../../format/run";

/** A monitor's run as it happens, above what it will change. */
export function LiveMonitorRun({ runId, onClose }: { runId: string; onClose: () => void }) {
  const queries = useQueryClient();
  const { query } = useRunEvents(runId);
  const run = query.data;
  const ended = run !== undefined && hasEnded(run.status);
  useEffect(() => {
    if (ended) refreshQuality(queries);
  }, [ended, queries]);
  if (query.error !== null && run === undefined) return <Problem error={query.error} retry={() => void query.refetch()} retrying={query.isFetching} />;
  const word = run?.status ?? "queued";
  const { icon: Sign, turning, tone } = lookOf(word === "succeeded" && hasFailed(run) ? "failed" : word);
  return (
    <section className="panel live-run" data-tone={tone} aria-label="The run that was started">
      <Sign size={22} aria-hidden className={turning ? "turning" : undefined} />
      <div className="live-text">
        <div role="status">
          <Text fw={640}>{titleOf(run)}</Text>
          <Text size="sm" className="name">
            {run === undefined ? "It was queued." : stepOf(run)}
          </Text>
        </div>
        {run?.error != null && <Problem error={new ApiProblem(-1, run.error)} plain />}
        <Group gap="xs" mt={6}>
          <Link to="/runs/$runId" params={{ runId }} className="link mono">
            {runId}
          </Link>
          {run !== undefined && !ended && <Clock run={run} />}
        </Group>
      </div>
      {run !== undefined && !ended ? <Cancel run={run} /> : ended && <CloseButton aria-label="Close this" onClick={onClose} />}
    </section>
  );
}

function Clock({ run }: { run: RunDetail }) {
  const now = useNow(run.status === "running");
  return (
    <Text size="sm" c="dimmed" className="numbers" component="span">
      {duration(secondsOf(run, now))}
    </Text>
  );
}

function Cancel({ run }: { run: RunDetail }) {
  const mayWrite = useMayWrite();
  const cancel = useCancelRun();
  if (!mayWrite || !run.can_cancel) return null;
  return (
    <Button variant="default" size="xs" loading={cancel.isPending} onClick={() => cancel.mutate(run.run_id, { onError: notifyProblem })}>
      Cancel
    </Button>
  );
}

function hasFailed(run: RunDetail | undefined): boolean {
  return run?.verdicts.some((verdict) => verdict.outcome === "failed") === true;
}

/** What came of it, or how far it is. */
export function titleOf(run: RunDetail | undefined): string {
  if (run === undefined || run.status === "queued") return "Waits for its turn";
  if (run.status === "running") return "Checks are running";
  if (run.status === "cancelled") return "It was cancelled";
  if (run.status === "interrupted") return "It was cut off";
  if (run.status === "failed") return "It could not run";
  return hasFailed(run) ? "Checks failed" : "It has run";
}

/** The newest thing that happened, and how much Spark has done. */
export function stepOf(run: RunDetail): string {
  if (run.status === "queued") {
    const before = run.progress?.queue_position ?? 0;
    return before === 0 ? "It is next." : `${plural(before, "run")} before it.`;
  }
  const tables = run.progress?.tables ?? [];
  const table = tables.find((one) => one.step !== "waiting") ?? tables[0];
  const event = run.progress?.events.at(-1);
  if (hasEnded(run.status)) return event?.detail === undefined || event.detail === "" ? "Its results are below." : event.detail;
  const stages = table !== undefined && table.stages_known > 0 ? ` · stage ${Math.min(table.stages_done + 1, table.stages_known)} of ${table.stages_known} known` : "";
  const words = [event?.step ?? table?.step ?? "started", event?.detail ?? ""].filter((part) => part !== "").join(": ");
  return `${words}${stages}`;
}

/** One run, live: the server sends the whole run whenever something changed; it goes into the query cache. */
import { useQuery, useQueryClient, type QueryClient, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useState } from "react";

import { runQuery } from "./queries";
import type { RunDetail, RunWord } from "./types";

const POLL_MS = 2_000;
const ENDED: ReadonlySet<RunWord> = new Set<RunWord>([
  "succeeded",
  "blocked",
  "failed",
  "conflict",
  "nothing to do",
  "cancelled",
  "interrupted",
]);

export function hasEnded(status: RunWord): boolean {
  return ENDED.has(status);
}

/** A run that came in late never overwrites a newer one: after its end nothing changes. */
export function mergeRun(known: RunDetail | undefined, sent: RunDetail): RunDetail {
  if (known === undefined || known.run_id !== sent.run_id) return sent;
  return hasEnded(known.status) && !hasEnded(sent.status) ? known : sent;
}

export function parseRun(data: string): RunDetail | null {
  try {
    const sent: unknown = JSON.parse(data);
    return typeof sent === "object" && sent !== null && "run_id" in sent ? (sent as RunDetail) : null;
  } catch {
    return null;
  }
}

/** What lists and the home page say has changed, too. */
export function refreshAfterRun(queries: QueryClient): void {
  for (const key of ["runs", "overview", "system", "branches", "branch", "asset", "search", "graph", "quality"]) {
    void queries.invalidateQueries({ queryKey: [key] });
  }
}

export interface LiveRun {
  query: UseQueryResult<RunDetail>;
  /** How the page hears of changes: not at all once the run has ended. */
  mode: "live" | "polling" | "ended";
}

/** Follows a run until it ends. Where the stream breaks it is polled, and the stream is tried again by the browser. */
export function useRunEvents(runId: string): LiveRun {
  const queries = useQueryClient();
  const [streaming, setStreaming] = useState(false);
  const query = useQuery({
    ...runQuery(runId),
    refetchInterval: ({ state }) => (streaming || (state.data && hasEnded(state.data.status)) ? false : POLL_MS),
  });
  const ended = query.data !== undefined && hasEnded(query.data.status);
  const started = query.data !== undefined;

  useEffect(() => {
    if (!started || ended || typeof EventSource === "undefined") return;
    const stream = new EventSource(`/api/v1/runs/${encodeURIComponent(runId)}/events`);
    stream.addEventListener("open", () => setStreaming(true));
    stream.addEventListener("error", () => setStreaming(false));
    stream.addEventListener("run", (event: MessageEvent<string>) => {
      const sent = parseRun(event.data);
      if (sent === null) return;
      queries.setQueryData(runQuery(runId).queryKey, (known) => mergeRun(known, sent));
    });
    stream.addEventListener("end", () => {
      stream.close();
      setStreaming(false);
      void queries.invalidateQueries({ queryKey: runQuery(runId).queryKey });
      refreshAfterRun(queries);
    });
    return () => {
      stream.close();
      setStreaming(false);
    };
  }, [runId, started, ended, queries]);

  return { query, mode: ended ? "ended" : streaming ? "live" : "polling" };
}

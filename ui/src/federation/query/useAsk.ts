import { useMutation } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import type { PlanView, QueryOrder, QueryResultView } from "../../api";
import { askPlan, askRows, cancelQuery, type Asking } from "../../api/federation";

export interface Order {
  what: "rows" | "plan";
  body: QueryOrder;
}

export interface Answer {
  order: Order;
  /** None: only its plan was asked for. */
  result: QueryResultView | null;
  plan: PlanView | null;
}

/** One query at a time. It ends where it is cancelled, and when the page is left: here and in the sources. */
export function useAsk() {
  const control = useRef<AbortController>(null);
  const [runId, setRunId] = useState<string | null>(null);
  const running = useRef<string>(null);
  const asked = useMutation({
    mutationFn: async (order: Order): Promise<Answer> => {
      const ended = new AbortController();
      control.current = ended;
      const asking: Asking = {
        signal: ended.signal,
        onRun: (id) => {
          running.current = id;
          setRunId(id);
        },
      };
      if (order.what === "rows") {
        const result = await askRows(order.body, asking);
        return { order, result, plan: result.plan ?? null };
      }
      const { sql, parameters, at, engine, cache } = order.body;
      return { order, result: null, plan: await askPlan({ sql, parameters, at, engine, cache }, asking) };
    },
    onSettled: () => {
      control.current = null;
      running.current = null;
      setRunId(null);
    },
  });
  const cancel = (): void => {
    control.current?.abort();
    // Where it went on as a run nobody waits for it any more; it may have ended by then.
    if (running.current !== null) void cancelQuery(running.current).catch(() => undefined);
  };
  useEffect(
    () => () => {
      control.current?.abort();
      if (running.current !== null) void cancelQuery(running.current).catch(() => undefined);
    },
    [],
  );
  const cancelled = asked.error instanceof DOMException && asked.error.name === "AbortError";
  return { asked, runId, cancel, cancelled };
}

/** Whether Forge answers. Every request reports here; while nothing answers, a probe asks until it does. */
import { useSyncExternalStore } from "react";

export interface Connection {
  reachable: boolean;
  /** When an answer came last. */
  heardAt: number;
}

type Listener = () => void;

const PROBE_AFTER_MS = 2_000;
const PROBE_AT_MOST_MS = 30_000;
const STEADY_MS = 15_000;
const PROBE = "/healthz";

let state: Connection = { reachable: true, heardAt: Date.now() };
let timer: ReturnType<typeof setTimeout> | undefined;
let delay = PROBE_AFTER_MS;
let recoveredAt = 0;
const listeners = new Set<Listener>();
const recoveries = new Set<Listener>();

function tell(next: Connection): void {
  state = next;
  for (const listener of listeners) listener();
}

/** An answer came. It ends no outage: where one route answers and another does not, pages would refresh in a circle. */
export function heard(): void {
  if (state.reachable) state = { ...state, heardAt: Date.now() };
}

/** No answer came. A connection that breaks again and again is probed less and less often. */
export function lost(): void {
  if (state.reachable) {
    const steady = Date.now() - recoveredAt > STEADY_MS;
    delay = steady ? PROBE_AFTER_MS : Math.min(delay * 2, PROBE_AT_MOST_MS);
    tell({ ...state, reachable: false });
  }
  timer ??= setTimeout(probe, delay);
}

function recover(): void {
  if (state.reachable) return;
  recoveredAt = Date.now();
  tell({ reachable: true, heardAt: recoveredAt });
  for (const recovered of recoveries) recovered();
}

/** Asks at once; used by the banner's button and when the browser says that the network is back. */
export function probe(): void {
  clearTimeout(timer);
  timer = undefined;
  fetch(PROBE, { cache: "no-store" }).then(
    (answer) => (answer.status === 502 || answer.status === 504 ? lost() : recover()),
    () => lost(),
  );
}

export function onRecovery(listener: Listener): () => void {
  recoveries.add(listener);
  return () => recoveries.delete(listener);
}

export function watchBrowser(): void {
  addEventListener("online", probe);
  addEventListener("offline", lost);
}

function subscribe(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useConnection(): Connection {
  return useSyncExternalStore(subscribe, () => state);
}

import { useSyncExternalStore } from "react";

import { exact, relative } from "../format/numbers";

const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** One clock for all times on the page; it stands still where nothing shows one. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
    for (const one of listeners) one();
  }, 30_000);
  return () => {
    listeners.delete(listener);
    if (listeners.size === 0) {
      clearInterval(timer);
      timer = undefined;
    }
  };
}

/** "3 min ago"; the exact time, in UTC, is its title. */
export function RelativeTime({ time }: { time: string | null | undefined }) {
  useSyncExternalStore(subscribe, () => now);
  if (time == null) return <span>–</span>;
  return (
    <time dateTime={time} title={exact(time)} style={{ whiteSpace: "nowrap" }}>
      {relative(time)}
    </time>
  );
}

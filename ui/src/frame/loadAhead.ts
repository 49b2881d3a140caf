/** Fetches the files of all pages while there is nothing else to do. Without a network, and after the server was stopped,
 * a page that was never opened before then still opens, and says itself what it could not load. */

const FILES: readonly (() => Promise<unknown>)[] = [
  () => import("../pages/home"),
  () => import("../pages/runs"),
  () => import("../pages/run"),
  () => import("../pages/assets"),
  () => import("../pages/asset"),
  () => import("../pages/lineage"),
  () => import("../pages/sources"),
  () => import("../pages/impact"),
  () => import("../pages/quality"),
  () => import("../pages/quality.monitors"),
  () => import("../pages/quality.monitor"),
  () => import("../pages/quality.newMonitor"),
  () => import("../pages/quality.editMonitor"),
  () => import("../pages/quality.result"),
  () => import("../pages/quality.incidents"),
  () => import("../pages/quality.incident"),
  () => import("../pages/quality.anomalies"),
  () => import("../pages/quality.remediations"),
  () => import("../pages/quality.remediation"),
  () => import("../pages/contracts"),
  () => import("../pages/contract"),
  () => import("../pages/branches"),
  () => import("../pages/branch"),
  () => import("../pages/commit"),
  () => import("../pages/compare"),
  () => import("../pages/merge"),
  () => import("../pages/settings"),
  () => import("../pages/login"),
  () => import("../lineage/Canvas"),
];
const WAIT_MS = 1_000;

export function loadAhead(): void {
  // A key opens it, and people type on at once.
  whenIdle(() => void import("./SearchDialog").catch(() => undefined));
  setTimeout(() => {
    // One after the other: what the page asks for meanwhile goes first.
    void FILES.reduce<Promise<unknown>>((before, load) => before.then(load), Promise.resolve()).catch(() => undefined);
  }, WAIT_MS);
}

/** Not every browser can say when it is idle. */
function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: WAIT_MS });
  else setTimeout(work, WAIT_MS / 4);
}

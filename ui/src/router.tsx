/** Every page and its address. Pages are lazy: each is a file of its own, loaded when it is wanted. */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
} from "@tanstack/react-router";

import { Frame } from "./frame/Frame";
import { NotFound } from "./frame/NotFound";
import { PageProblem } from "./frame/PageProblem";
import { PageSkeleton } from "./frame/PageSkeleton";
import { assetSearch } from "./pages/asset.search";
import { assetsSearch } from "./pages/assets.search";
import { branchSearch } from "./pages/branch.search";
import { branchesSearch } from "./pages/branches.search";
import { commitSearch } from "./pages/commit.search";
import { compareSearch } from "./pages/compare.search";
import { contractSearch, contractsSearch } from "./pages/contracts.search";
import { impactSearch } from "./pages/impact.search";
import { lineageSearch } from "./pages/lineage.search";
import { loginSearch } from "./pages/login.search";
import { mergeSearch } from "./pages/merge.search";
import {
  anomaliesSearch,
  incidentsSearch,
  monitorSearch,
  monitorsSearch,
  newMonitorSearch,
  qualitySearch,
  remediationSearch,
  remediationsSearch,
} from "./pages/quality.search";
import { runSearch } from "./pages/run.search";
import { runsSearch } from "./pages/runs.search";
import { settingsSearch } from "./pages/settings.search";
import { sourcesSearch } from "./pages/sources.search";
import { optional, parseSearch, stringifySearch, text } from "./search";

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ notFoundComponent: NotFound });

/** All pages but the sign-in stand in the frame. */
const frame = createRoute({ getParentRoute: () => root, id: "frame", component: Frame });

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  validateSearch: (raw: Record<string, unknown>) => optional({ branch: text(raw, "branch") }),
  component: lazyRouteComponent(() => import("./pages/home")),
});
const runs = createRoute({
  getParentRoute: () => frame,
  path: "/runs",
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import("./pages/runs")),
});
const run = createRoute({
  getParentRoute: () => frame,
  path: "/runs/$runId",
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import("./pages/run")),
});
const assets = createRoute({
  getParentRoute: () => frame,
  path: "/assets",
  validateSearch: assetsSearch,
  component: lazyRouteComponent(() => import("./pages/assets")),
});
const asset = createRoute({
  getParentRoute: () => frame,
  path: "/assets/$assetId",
  validateSearch: assetSearch,
  component: lazyRouteComponent(() => import("./pages/asset")),
});
const lineage = createRoute({
  getParentRoute: () => frame,
  path: "/lineage",
  validateSearch: lineageSearch,
  component: lazyRouteComponent(() => import("./pages/lineage")),
});
const sources = createRoute({
  getParentRoute: () => frame,
  path: "/lineage/sources",
  validateSearch: sourcesSearch,
  component: lazyRouteComponent(() => import("./pages/sources")),
});
const impact = createRoute({
  getParentRoute: () => frame,
  path: "/impact",
  validateSearch: impactSearch,
  component: lazyRouteComponent(() => import("./pages/impact")),
});
const quality = createRoute({
  getParentRoute: () => frame,
  path: "/quality",
  validateSearch: qualitySearch,
  component: lazyRouteComponent(() => import("./pages/quality")),
});
const monitors = createRoute({
  getParentRoute: () => frame,
  path: "/quality/monitors",
  validateSearch: monitorsSearch,
  component: lazyRouteComponent(() => import("./pages/quality.monitors")),
});
const newMonitor = createRoute({
  getParentRoute: () => frame,
  path: "/quality/monitors/new",
  validateSearch: newMonitorSearch,
  component: lazyRouteComponent(() => import("./pages/quality.newMonitor")),
});
const monitor = createRoute({
  getParentRoute: () => frame,
  path: "/quality/monitors/$monitorId",
  validateSearch: monitorSearch,
  component: lazyRouteComponent(() => import("./pages/quality.monitor")),
});
const editMonitor = createRoute({
  getParentRoute: () => frame,
  path: "/quality/monitors/$monitorId/edit",
  component: lazyRouteComponent(() => import("./pages/quality.editMonitor")),
});
const result = createRoute({
  getParentRoute: () => frame,
  path: "/quality/results/$resultId",
  component: lazyRouteComponent(() => import("./pages/quality.result")),
});
const incidents = createRoute({
  getParentRoute: () => frame,
  path: "/quality/incidents",
  validateSearch: incidentsSearch,
  component: lazyRouteComponent(() => import("./pages/quality.incidents")),
});
const incident = createRoute({
  getParentRoute: () => frame,
  path: "/quality/incidents/$incidentId",
  component: lazyRouteComponent(() => import("./pages/quality.incident")),
});
const anomalies = createRoute({
  getParentRoute: () => frame,
  path: "/quality/anomalies",
  validateSearch: anomaliesSearch,
  component: lazyRouteComponent(() => import("./pages/quality.anomalies")),
});
const remediations = createRoute({
  getParentRoute: () => frame,
  path: "/quality/remediations",
  validateSearch: remediationsSearch,
  component: lazyRouteComponent(() => import("./pages/quality.remediations")),
});
const remediation = createRoute({
  getParentRoute: () => frame,
  path: "/quality/remediations/$remediationId",
  validateSearch: remediationSearch,
  component: lazyRouteComponent(() => import("./pages/quality.remediation")),
});
const contracts = createRoute({
  getParentRoute: () => frame,
  path: "/contracts",
  validateSearch: contractsSearch,
  component: lazyRouteComponent(() => import("./pages/contracts")),
});
const contract = createRoute({
  getParentRoute: () => frame,
  path: "/contracts/$contractId",
  validateSearch: contractSearch,
  component: lazyRouteComponent(() => import("./pages/contract")),
});
const branches = createRoute({
  getParentRoute: () => frame,
  path: "/branches",
  validateSearch: branchesSearch,
  component: lazyRouteComponent(() => import("./pages/branches")),
});
const branch = createRoute({
  getParentRoute: () => frame,
  path: "/branches/$branch",
  validateSearch: branchSearch,
  component: lazyRouteComponent(() => import("./pages/branch")),
});
const commit = createRoute({
  getParentRoute: () => frame,
  path: "/commits/$commit",
  validateSearch: commitSearch,
  component: lazyRouteComponent(() => import("./pages/commit")),
});
const compare = createRoute({
  getParentRoute: () => frame,
  path: "/compare/$range",
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import("./pages/compare")),
});
const merge = createRoute({
  getParentRoute: () => frame,
  path: "/merges/$mergeId",
  validateSearch: mergeSearch,
  component: lazyRouteComponent(() => import("./pages/merge")),
});
const settings = createRoute({
  getParentRoute: () => frame,
  path: "/settings",
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import("./pages/settings")),
});
const nowhere = createRoute({ getParentRoute: () => frame, path: "$", component: NotFound });
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: loginSearch,
  component: lazyRouteComponent(() => import("./pages/login")),
});

const ofQuality = [quality, monitors, newMonitor, monitor, editMonitor, result, incidents, incident, anomalies, remediations, remediation] as const;
const tree = root.addChildren([
  frame.addChildren([home, runs, run, assets, asset, lineage, sources, impact, ...ofQuality, contracts, contract, branches, branch, commit, compare, merge, settings, nowhere]),
  login,
]);

/** `history` is given by tests; in a browser it is the browser's own. */
export function makeRouter(queries: QueryClient, history?: RouterHistory) {
  return createRouter({
    routeTree: tree,
    history,
    context: { queries },
    parseSearch,
    stringifySearch,
    defaultPreload: "intent",
    defaultPreloadStaleTime: 0,
    scrollRestoration: true,
    defaultErrorComponent: PageProblem,
    defaultPendingComponent: PageSkeleton,
    defaultNotFoundComponent: NotFound,
  });
}

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}

/** Every page and its address. Pages are lazy: each is a file of its own, loaded when it is wanted. */
import type { QueryClient } from "@tanstack/react-query";
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  type RouterHistory,
} from "@tanstack/react-router";

import { assetSearch } from "../catalog/asset/search";
import { browseSearch } from "../catalog/browse/search";
import { glossarySearch } from "../catalog/glossary/search";
import { assetsSearch } from "../catalog/list/search";
import { piiSearch } from "../catalog/pii/search";
import { catalogSearch } from "../catalog/search/search";
import { contractSearch, contractsSearch } from "../contracts/search";
import { querySearch } from "../federation/query/search";
import { declaredSearch } from "../federation/source/search";
import { virtualTableSearch, virtualTablesSearch } from "../federation/virtual/search";
import { Frame } from "../frame/Frame";
import { NotFound } from "../frame/NotFound";
import { PageProblem } from "../frame/PageProblem";
import { PageSkeleton } from "../frame/PageSkeleton";
import { erdSearch } from "../lineage/erd/search";
import { lineageSearch } from "../lineage/graph/search";
import { impactSearch } from "../lineage/impact/search";
import { sourcesSearch } from "../lineage/sources/search";
import {
  anomaliesSearch,
  incidentsSearch,
  monitorSearch,
  monitorsSearch,
  newMonitorSearch,
  qualitySearch,
  remediationSearch,
  remediationsSearch,
} from "../quality/search";
import { runsSearch } from "../runs/list/search";
import { runSearch } from "../runs/record/search";
import { settingsSearch } from "../upkeep/access/search";
import { loginSearch } from "../upkeep/login/search";
import { branchesSearch } from "../versioning/branch/listSearch";
import { branchSearch } from "../versioning/branch/search";
import { commitSearch } from "../versioning/commit/search";
import { compareSearch } from "../versioning/compare/search";
import { mergeSearch } from "../versioning/merge/search";
import { optional, parseSearch, stringifySearch, text } from "./search";

const root = createRootRouteWithContext<{ queries: QueryClient }>()({ notFoundComponent: NotFound });

/** All pages but the sign-in stand in the frame. */
const frame = createRoute({ getParentRoute: () => root, id: "frame", component: Frame });

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  validateSearch: (raw: Record<string, unknown>) => optional({ branch: text(raw, "branch") }),
  component: lazyRouteComponent(() => import("../runs/overview/HomePage")),
});
const runs = createRoute({
  getParentRoute: () => frame,
  path: "/runs",
  validateSearch: runsSearch,
  component: lazyRouteComponent(() => import("../runs/list/RunsPage")),
});
const run = createRoute({
  getParentRoute: () => frame,
  path: "/runs/$runId",
  validateSearch: runSearch,
  component: lazyRouteComponent(() => import("../runs/record/RunPage")),
});
const assets = createRoute({
  getParentRoute: () => frame,
  path: "/assets",
  validateSearch: assetsSearch,
  component: lazyRouteComponent(() => import("../catalog/list/AssetsPage")),
});
const asset = createRoute({
  getParentRoute: () => frame,
  path: "/assets/$assetId",
  validateSearch: assetSearch,
  component: lazyRouteComponent(() => import("../catalog/asset/AssetPage")),
});
const catalog = createRoute({
  getParentRoute: () => frame,
  path: "/catalog",
  validateSearch: browseSearch,
  component: lazyRouteComponent(() => import("../catalog/browse/CatalogPage")),
});
const search = createRoute({
  getParentRoute: () => frame,
  path: "/search",
  validateSearch: catalogSearch,
  component: lazyRouteComponent(() => import("../catalog/search/SearchPage")),
});
const glossary = createRoute({
  getParentRoute: () => frame,
  path: "/glossary",
  validateSearch: glossarySearch,
  component: lazyRouteComponent(() => import("../catalog/glossary/GlossaryPage")),
});
const pii = createRoute({
  getParentRoute: () => frame,
  path: "/pii",
  validateSearch: piiSearch,
  component: lazyRouteComponent(() => import("../catalog/pii/PiiPage")),
});
const query = createRoute({
  getParentRoute: () => frame,
  path: "/query",
  validateSearch: querySearch,
  component: lazyRouteComponent(() => import("../federation/query/QueryPage")),
});
const declared = createRoute({
  getParentRoute: () => frame,
  path: "/sources",
  validateSearch: declaredSearch,
  component: lazyRouteComponent(() => import("../federation/source/SourcesPage")),
});
const virtualTables = createRoute({
  getParentRoute: () => frame,
  path: "/virtual-tables",
  validateSearch: virtualTablesSearch,
  component: lazyRouteComponent(() => import("../federation/virtual/VirtualTablesPage")),
});
const virtualTable = createRoute({
  getParentRoute: () => frame,
  path: "/virtual-tables/$tableId",
  validateSearch: virtualTableSearch,
  component: lazyRouteComponent(() => import("../federation/virtual/VirtualTablePage")),
});
const lineage = createRoute({
  getParentRoute: () => frame,
  path: "/lineage",
  validateSearch: lineageSearch,
  component: lazyRouteComponent(() => import("../lineage/graph/LineagePage")),
});
const sources = createRoute({
  getParentRoute: () => frame,
  path: "/lineage/sources",
  validateSearch: sourcesSearch,
  component: lazyRouteComponent(() => import("../lineage/sources/SourcesPage")),
});
const erd = createRoute({
  getParentRoute: () => frame,
  path: "/lineage/erd",
  validateSearch: erdSearch,
  component: lazyRouteComponent(() => import("../lineage/erd/ErdPage")),
});
const impact = createRoute({
  getParentRoute: () => frame,
  path: "/impact",
  validateSearch: impactSearch,
  component: lazyRouteComponent(() => import("../lineage/impact/ImpactPage")),
});
const quality = createRoute({
  getParentRoute: () => frame,
  path: "/quality",
  validateSearch: qualitySearch,
  component: lazyRouteComponent(() => import("../quality/QualityPage")),
});
const monitors = createRoute({
  getParentRoute: () => frame,
  path: "/quality/monitors",
  validateSearch: monitorsSearch,
  component: lazyRouteComponent(() => import("../quality/monitor/MonitorsPage")),
});
const newMonitor = createRoute({
  getParentRoute: () => frame,
  path: "/quality/monitors/new",
  validateSearch: newMonitorSearch,
  component: lazyRouteComponent(() => import("../quality/monitor/NewMonitorPage")),
});
const monitor = createRoute({
  getParentRoute: () => frame,
  path: "/quality/monitors/$monitorId",
  validateSearch: monitorSearch,
  component: lazyRouteComponent(() => import("../quality/monitor/MonitorPage")),
});
const editMonitor = createRoute({
  getParentRoute: () => frame,
  path: "/quality/monitors/$monitorId/edit",
  component: lazyRouteComponent(() => import("../quality/monitor/EditMonitorPage")),
});
const result = createRoute({
  getParentRoute: () => frame,
  path: "/quality/results/$resultId",
  component: lazyRouteComponent(() => import("../quality/check/ResultPage")),
});
const incidents = createRoute({
  getParentRoute: () => frame,
  path: "/quality/incidents",
  validateSearch: incidentsSearch,
  component: lazyRouteComponent(() => import("../quality/incident/IncidentsPage")),
});
const incident = createRoute({
  getParentRoute: () => frame,
  path: "/quality/incidents/$incidentId",
  component: lazyRouteComponent(() => import("../quality/incident/IncidentPage")),
});
const anomalies = createRoute({
  getParentRoute: () => frame,
  path: "/quality/anomalies",
  validateSearch: anomaliesSearch,
  component: lazyRouteComponent(() => import("../quality/anomaly/AnomaliesPage")),
});
const remediations = createRoute({
  getParentRoute: () => frame,
  path: "/quality/remediations",
  validateSearch: remediationsSearch,
  component: lazyRouteComponent(() => import("../quality/remediation/RemediationsPage")),
});
const remediation = createRoute({
  getParentRoute: () => frame,
  path: "/quality/remediations/$remediationId",
  validateSearch: remediationSearch,
  component: lazyRouteComponent(() => import("../quality/remediation/RemediationPage")),
});
const contracts = createRoute({
  getParentRoute: () => frame,
  path: "/contracts",
  validateSearch: contractsSearch,
  component: lazyRouteComponent(() => import("../contracts/ContractsPage")),
});
const contract = createRoute({
  getParentRoute: () => frame,
  path: "/contracts/$contractId",
  validateSearch: contractSearch,
  component: lazyRouteComponent(() => import("../contracts/ContractPage")),
});
const branches = createRoute({
  getParentRoute: () => frame,
  path: "/branches",
  validateSearch: branchesSearch,
  component: lazyRouteComponent(() => import("../versioning/branch/BranchesPage")),
});
const branch = createRoute({
  getParentRoute: () => frame,
  path: "/branches/$branch",
  validateSearch: branchSearch,
  component: lazyRouteComponent(() => import("../versioning/branch/BranchPage")),
});
const commit = createRoute({
  getParentRoute: () => frame,
  path: "/commits/$commit",
  validateSearch: commitSearch,
  component: lazyRouteComponent(() => import("../versioning/commit/CommitPage")),
});
const compare = createRoute({
  getParentRoute: () => frame,
  path: "/compare/$range",
  validateSearch: compareSearch,
  component: lazyRouteComponent(() => import("../versioning/compare/ComparePage")),
});
const merge = createRoute({
  getParentRoute: () => frame,
  path: "/merges/$mergeId",
  validateSearch: mergeSearch,
  component: lazyRouteComponent(() => import("../versioning/merge/MergePage")),
});
const settings = createRoute({
  getParentRoute: () => frame,
  path: "/settings",
  validateSearch: settingsSearch,
  component: lazyRouteComponent(() => import("../upkeep/access/SettingsPage")),
});
const nowhere = createRoute({ getParentRoute: () => frame, path: "$", component: NotFound });
const login = createRoute({
  getParentRoute: () => root,
  path: "/login",
  validateSearch: loginSearch,
  component: lazyRouteComponent(() => import("../upkeep/login/LoginPage")),
});

const ofCatalog = [catalog, search, assets, asset, glossary, pii] as const;
const ofQuality = [quality, monitors, newMonitor, monitor, editMonitor, result, incidents, incident, anomalies, remediations, remediation] as const;
const ofFederation = [query, declared, virtualTables, virtualTable] as const;
const tree = root.addChildren([
  frame.addChildren([home, runs, run, ...ofCatalog, ...ofFederation, lineage, sources, erd, impact, ...ofQuality, contracts, contract, branches, branch, commit, compare, merge, settings, nowhere]),
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

/** Fetches the files of all pages while there is nothing else to do. Without a network, and after the server was stopped,
 * a page that was never opened before then still opens, and says itself what it could not load. */

const FILES: readonly (() => Promise<unknown>)[] = [
  () => import("../runs/overview/HomePage"),
  () => import("../runs/list/RunsPage"),
  () => import("../runs/record/RunPage"),
  () => import("../catalog/list/AssetsPage"),
  () => import("../catalog/asset/AssetPage"),
  () => import("../catalog/browse/CatalogPage"),
  () => import("../catalog/search/SearchPage"),
  () => import("../catalog/glossary/GlossaryPage"),
  () => import("../catalog/pii/PiiPage"),
  () => import("../federation/query/QueryPage"),
  () => import("../federation/source/SourcesPage"),
  () => import("../federation/virtual/VirtualTablesPage"),
  () => import("../federation/virtual/VirtualTablePage"),
  () => import("../lineage/graph/LineagePage"),
  () => import("../lineage/sources/SourcesPage"),
  () => import("../lineage/erd/ErdPage"),
  () => import("../lineage/impact/ImpactPage"),
  () => import("../quality/QualityPage"),
  () => import("../quality/monitor/MonitorsPage"),
  () => import("../quality/monitor/MonitorPage"),
  () => import("../quality/monitor/NewMonitorPage"),
  () => import("../quality/monitor/EditMonitorPage"),
  () => import("../quality/check/ResultPage"),
  () => import("../quality/incident/IncidentsPage"),
  () => import("../quality/incident/IncidentPage"),
  () => import("../quality/anomaly/AnomaliesPage"),
  () => import("../quality/remediation/RemediationsPage"),
  () => import("../quality/remediation/RemediationPage"),
  () => import("../contracts/ContractsPage"),
  () => import("../contracts/ContractPage"),
  () => import("../versioning/branch/BranchesPage"),
  () => import("../versioning/branch/BranchPage"),
  () => import("../versioning/commit/CommitPage"),
  () => import("../versioning/compare/ComparePage"),
  () => import("../versioning/merge/MergePage"),
  () => import("../upkeep/access/SettingsPage"),
  () => import("../upkeep/login/LoginPage"),
  () => import("../lineage/graph/Canvas"),
  () => import("../federation/query/Editor"),
];
const WAIT_MS = 1_000;

export function preloadPages(): void {
  // A key opens it, and people type on at once.
  whenIdle(() => void import("../frame/SearchDialog").catch(() => undefined));
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

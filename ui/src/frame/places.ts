import {
  IconActivity,
  IconAlertTriangle,
  IconBandage,
  IconBinaryTree2,
  IconBook2,
  IconChartDots,
  IconDatabase,
  IconFileCertificate,
  IconFileCode,
  IconFolders,
  IconGitBranch,
  IconHeartbeat,
  IconHome,
  IconPlayerPlay,
  IconSearch,
  IconSettings,
  IconShieldLock,
  IconTable,
  IconTableAlias,
  IconTerminal2,
  type Icon,
} from "@tabler/icons-react";

export interface Place {
  to:
    | "/"
    | "/runs"
    | "/catalog"
    | "/search"
    | "/assets"
    | "/glossary"
    | "/pii"
    | "/query"
    | "/sources"
    | "/virtual-tables"
    | "/lineage"
    | "/lineage/sources"
    | "/quality"
    | "/quality/monitors"
    | "/quality/incidents"
    | "/quality/anomalies"
    | "/quality/remediations"
    | "/contracts"
    | "/branches"
    | "/settings";
  label: string;
  icon: Icon;
  /** Where little room is, it is reached from a page beside it. */
  wide?: true;
  /** Pages that are reached from it, and have no place of their own in every menu. */
  near?: readonly string[];
}

/** The way through the app, in the order of its menu. */
export const PLACES: readonly Place[] = [
  { to: "/", label: "Home", icon: IconHome },
  { to: "/runs", label: "Runs", icon: IconPlayerPlay },
  { to: "/catalog", label: "Catalog", icon: IconFolders, near: ["/search", "/assets", "/glossary", "/pii"] },
  { to: "/assets", label: "Assets", icon: IconTable, wide: true },
  { to: "/query", label: "Query", icon: IconTerminal2, near: ["/sources", "/virtual-tables"] },
  { to: "/lineage", label: "Lineage", icon: IconBinaryTree2 },
  { to: "/quality", label: "Quality", icon: IconHeartbeat },
  { to: "/contracts", label: "Contracts", icon: IconFileCertificate },
  { to: "/glossary", label: "Glossary", icon: IconBook2, wide: true },
  { to: "/pii", label: "Personal data", icon: IconShieldLock, wide: true },
  { to: "/branches", label: "Branches", icon: IconGitBranch },
  { to: "/settings", label: "Settings", icon: IconSettings },
];

/** The place of a menu in which a page stands. */
export function placeOn(path: string, menu: readonly Place[]): Place | undefined {
  const isOf = (to: string): boolean => path === to || (to !== "/" && path.startsWith(`${to}/`));
  return menu.find(({ to }) => isOf(to)) ?? menu.find(({ near = [] }) => near.some(isOf));
}

/** All pages that have a name: also those that one reaches from another. */
export const NAMED: readonly Place[] = [
  ...PLACES,
  { to: "/search", label: "Search", icon: IconSearch },
  { to: "/sources", label: "Sources", icon: IconDatabase },
  { to: "/virtual-tables", label: "Virtual tables", icon: IconTableAlias },
  { to: "/lineage/sources", label: "Code that was read", icon: IconFileCode },
  { to: "/quality/monitors", label: "Monitors", icon: IconActivity },
  { to: "/quality/incidents", label: "Incidents", icon: IconAlertTriangle },
  { to: "/quality/anomalies", label: "Anomalies", icon: IconChartDots },
  { to: "/quality/remediations", label: "Remedies", icon: IconBandage },
];

import {
  IconActivity,
  IconAlertTriangle,
  IconBandage,
  IconBinaryTree2,
  IconChartDots,
  IconFileCertificate,
  IconFileCode,
  IconGitBranch,
  IconHeartbeat,
  IconHome,
  IconPlayerPlay,
  IconSettings,
  IconTable,
  type Icon,
} from "@tabler/icons-react";

export interface Place {
  to:
    | "/"
    | "/runs"
    | "/assets"
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
}

/** The way through the app, in the order of its menu. */
export const PLACES: readonly Place[] = [
  { to: "/", label: "Home", icon: IconHome },
  { to: "/runs", label: "Runs", icon: IconPlayerPlay },
  { to: "/assets", label: "Assets", icon: IconTable },
  { to: "/lineage", label: "Lineage", icon: IconBinaryTree2 },
  { to: "/quality", label: "Quality", icon: IconHeartbeat },
  { to: "/contracts", label: "Contracts", icon: IconFileCertificate },
  { to: "/branches", label: "Branches", icon: IconGitBranch },
  { to: "/settings", label: "Settings", icon: IconSettings },
];

/** All pages that have a name: also those that one reaches from another. */
export const NAMED: readonly Place[] = [
  ...PLACES,
  { to: "/lineage/sources", label: "Code that was read", icon: IconFileCode },
  { to: "/quality/monitors", label: "Monitors", icon: IconActivity },
  { to: "/quality/incidents", label: "Incidents", icon: IconAlertTriangle },
  { to: "/quality/anomalies", label: "Anomalies", icon: IconChartDots },
  { to: "/quality/remediations", label: "Remedies", icon: IconBandage },
];

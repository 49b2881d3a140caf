import {
  IconBinaryTree2,
  IconFileCode,
  IconGitBranch,
  IconHome,
  IconPlayerPlay,
  IconSettings,
  IconTable,
  type Icon,
} from "@tabler/icons-react";

export interface Place {
  to: "/" | "/runs" | "/assets" | "/lineage" | "/lineage/sources" | "/branches" | "/settings";
  label: string;
  icon: Icon;
}

/** The way through the app, in the order of its menu. */
export const PLACES: readonly Place[] = [
  { to: "/", label: "Home", icon: IconHome },
  { to: "/runs", label: "Runs", icon: IconPlayerPlay },
  { to: "/assets", label: "Assets", icon: IconTable },
  { to: "/lineage", label: "Lineage", icon: IconBinaryTree2 },
  { to: "/branches", label: "Branches", icon: IconGitBranch },
  { to: "/settings", label: "Settings", icon: IconSettings },
];

/** All pages that have a name: also those that one reaches from another. */
export const NAMED: readonly Place[] = [...PLACES, { to: "/lineage/sources", label: "Code that was read", icon: IconFileCode }];

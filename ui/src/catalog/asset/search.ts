import { oneOf, optional, text, whole } from "../../routing/search";

export const TABS = ["schema", "quality", "profile", "lineage", "usage", "history", "sample"] as const;
export type Tab = (typeof TABS)[number];

/** `at`: branch, commit, HEAD~1 or a time; `col`, `direction`, `depth` and `view` belong to the lineage,
 * `col` and `since` (what it is compared with) to the profile, `period` to the usage. */
export function assetSearch(raw: Record<string, unknown>) {
  return optional({
    at: text(raw, "at"),
    tab: oneOf(raw, "tab", TABS),
    col: text(raw, "col"),
    direction: oneOf(raw, "direction", ["upstream", "downstream", "both"]),
    depth: whole(raw, "depth", 1, 50),
    view: oneOf(raw, "view", ["picture", "table"]),
    since: text(raw, "since"),
    period: oneOf(raw, "period", ["day", "week"]),
  });
}

export type AssetSearch = ReturnType<typeof assetSearch>;

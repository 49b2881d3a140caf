import { oneOf, optional, text, whole } from "../../routing/search";

export const COMPARE_TABS = ["rows", "conflicts", "schema", "stats", "quality"] as const;
export type CompareTab = (typeof COMPARE_TABS)[number];

/** `table` and `tab` choose what the right side shows, `page` the page of its rows; `checks` asks the checks on the merge result. */
export function compareSearch(raw: Record<string, unknown>) {
  return optional({
    table: text(raw, "table"),
    tab: oneOf(raw, "tab", COMPARE_TABS),
    page: whole(raw, "page", 1, 100),
    checks: oneOf(raw, "checks", ["yes"]),
  });
}

export type CompareSearch = ReturnType<typeof compareSearch>;

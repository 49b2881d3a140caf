import { oneOf, optional, text, whole } from "../../routing/search";

/** Which conflicts are shown: of a table, of a column, only open ones, and which page of them. */
export function mergeSearch(raw: Record<string, unknown>) {
  return optional({
    table: text(raw, "table"),
    column: text(raw, "column"),
    open: oneOf(raw, "open", ["yes"]),
    page: whole(raw, "page", 1, 1000),
    dialog: oneOf(raw, "dialog", ["abort", "reject"]),
  });
}

export type MergeSearch = ReturnType<typeof mergeSearch>;

import { oneOf, optional, text } from "../../routing/search";

/** `q`: letters of names, sources and descriptions. */
export function virtualTablesSearch(raw: Record<string, unknown>) {
  return optional({ q: text(raw, "q") });
}

/** `dialog`: a form that is open over it. */
export function virtualTableSearch(raw: Record<string, unknown>) {
  return optional({
    tab: oneOf(raw, "tab", ["sources", "sql", "lineage"]),
    dialog: oneOf(raw, "dialog", ["edit", "delete"]),
  });
}

export type VirtualTablesSearch = ReturnType<typeof virtualTablesSearch>;
export type VirtualTableSearch = ReturnType<typeof virtualTableSearch>;

import { oneOf, optional, text } from "../../routing/search";

/** `source`: the one that is shown; `dialog`: a form that is open over it. */
export function declaredSearch(raw: Record<string, unknown>) {
  return optional({
    q: text(raw, "q"),
    source: text(raw, "source"),
    table: text(raw, "table"),
    tab: oneOf(raw, "tab", ["drift", "about"]),
    dialog: oneOf(raw, "dialog", ["new", "edit", "remove"]),
  });
}

export type DeclaredSearch = ReturnType<typeof declaredSearch>;

import { oneOf, optional, text } from "../../routing/search";

export const TERM_STATES = ["approved", "draft"] as const;

/** `term`: the one that is shown; `dialog`: a form that is open over it. */
export function glossarySearch(raw: Record<string, unknown>) {
  return optional({
    q: text(raw, "q"),
    domain: text(raw, "domain"),
    state: oneOf(raw, "state", TERM_STATES),
    term: text(raw, "term"),
    dialog: oneOf(raw, "dialog", ["new", "edit", "delete", "import"]),
  });
}

export type GlossarySearch = ReturnType<typeof glossarySearch>;

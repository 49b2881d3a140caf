import { oneOf, optional, text, texts } from "../../routing/search";

/** `schema`: none is all of them; `open`: tables that show all their columns; `relation`: the line that is looked at. */
export function erdSearch(raw: Record<string, unknown>) {
  return optional({
    schema: text(raw, "schema"),
    at: text(raw, "at"),
    view: oneOf(raw, "view", ["table"]),
    flows: oneOf(raw, "flows", ["yes"]),
    open: texts(raw, "open"),
    relation: text(raw, "relation"),
  });
}

export type ErdSearch = ReturnType<typeof erdSearch>;

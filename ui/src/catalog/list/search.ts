import { oneOf, optional, text, texts } from "../../routing/search";

/** No type: tables and views. */
export const TYPES = ["table", "view", "column"] as const;
export const STATES = ["failing", "ok", "unchecked"] as const;
export const SORTS = ["relevance", "name", "freshness"] as const;

export function assetsSearch(raw: Record<string, unknown>) {
  return optional({
    q: text(raw, "q"),
    type: oneOf(raw, "type", TYPES),
    state: oneOf(raw, "state", STATES),
    owners: texts(raw, "owners"),
    tags: texts(raw, "tags"),
    sort: oneOf(raw, "sort", SORTS),
  });
}

export type AssetsSearch = ReturnType<typeof assetsSearch>;

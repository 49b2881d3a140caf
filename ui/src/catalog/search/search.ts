import { oneOf, optional, someOf, text, texts } from "../../routing/search";

export const TYPES = ["table", "view", "dataset", "pipeline", "dashboard", "model", "feature", "metric", "database", "schema", "term", "column"] as const;
export const LEVELS = ["public", "internal", "confidential", "restricted"] as const;
export const BANDS = ["excellent", "good", "fair", "poor", "unknown"] as const;
export const SORTS = ["relevance", "popularity", "freshness", "name"] as const;
/** What results can be narrowed by, under the names that the address has. */
export const FACETS = ["types", "domains", "tags", "owners", "classification", "pii", "quality"] as const;
export type Facet = (typeof FACETS)[number];

export function catalogSearch(raw: Record<string, unknown>) {
  return optional({
    q: text(raw, "q"),
    types: someOf(raw, "types", TYPES),
    domains: texts(raw, "domains"),
    tags: texts(raw, "tags"),
    owners: texts(raw, "owners"),
    classification: someOf(raw, "classification", LEVELS),
    pii: texts(raw, "pii"),
    quality: someOf(raw, "quality", BANDS),
    sort: oneOf(raw, "sort", SORTS),
  });
}

export type CatalogSearch = ReturnType<typeof catalogSearch>;

import { oneOf, optional, text } from "../../routing/search";

/** `at`: the database or schema that is opened, or, by domain and of what is popular, the domain;
 * `period`: in which it was used, thirty days unless said. */
export function browseSearch(raw: Record<string, unknown>) {
  return optional({
    by: oneOf(raw, "by", ["domain", "popular"]),
    at: text(raw, "at"),
    period: oneOf(raw, "period", ["day", "week"]),
  });
}

export type BrowseSearch = ReturnType<typeof browseSearch>;

import { oneOf, optional, text } from "../../routing/search";

/** `at`: the database or schema that is opened, or, by domain, the domain. */
export function browseSearch(raw: Record<string, unknown>) {
  return optional({
    by: oneOf(raw, "by", ["domain"]),
    at: text(raw, "at"),
  });
}

export type BrowseSearch = ReturnType<typeof browseSearch>;

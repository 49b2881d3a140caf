import { optional, text } from "../search";

/** `table` and `author` filter the commits; `fix` names the table that the branch was made to mend. */
export function branchSearch(raw: Record<string, unknown>) {
  return optional({ table: text(raw, "table"), author: text(raw, "author"), fix: text(raw, "fix") });
}

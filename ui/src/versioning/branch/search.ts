import { oneOf, optional, text } from "../../routing/search";

export const COMMIT_DIALOGS = ["revert", "cherry-pick", "tag"] as const;
export type CommitDialog = (typeof COMMIT_DIALOGS)[number];

/** `table` and `author` filter the commits; `fix` names the table that the branch was made to mend. `dialog` with `commit` is
 * what is done with one of them, `dialog=commit` the upload of rows, `into` its table. */
export function branchSearch(raw: Record<string, unknown>) {
  return optional({
    table: text(raw, "table"),
    author: text(raw, "author"),
    fix: text(raw, "fix"),
    dialog: oneOf(raw, "dialog", ["commit", ...COMMIT_DIALOGS]),
    commit: text(raw, "commit"),
    into: text(raw, "into"),
  });
}

import { oneOf, optional, text } from "../search";

/** Both dialogs have an address: other pages lead to “a branch from this commit” by it. */
export function branchesSearch(raw: Record<string, unknown>) {
  return optional({
    dialog: oneOf(raw, "dialog", ["create", "delete"]),
    name: text(raw, "name"),
    from: text(raw, "from"),
  });
}

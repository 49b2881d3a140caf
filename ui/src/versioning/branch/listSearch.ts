import { oneOf, optional, text } from "../../routing/search";

export const STATUSES = ["active", "merged", "archived"] as const;
export type StatusWord = (typeof STATUSES)[number];

/** All dialogs have an address: other pages lead to “a branch from this commit” by it. */
export function branchesSearch(raw: Record<string, unknown>) {
  return optional({
    dialog: oneOf(raw, "dialog", ["create", "delete", "protect", "rename", "archive"]),
    name: text(raw, "name"),
    from: text(raw, "from"),
    status: oneOf(raw, "status", STATUSES),
  });
}

export type BranchesSearch = ReturnType<typeof branchesSearch>;

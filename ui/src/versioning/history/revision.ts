/** Which time a page about a table shows: what readers have, another branch, or the past. */
import type { BranchView } from "../../api";
import { HEAD, isCommit } from "../../format/refs";

/** `now`: what readers have. `branch`: the newest of another branch. `past`: a fixed point, which may be the newest one. */
export type Stand = { kind: "now" } | { kind: "branch"; branch: string } | { kind: "past"; newest: boolean };

export function standOf(at: string | undefined, commit: string, branches: readonly BranchView[]): Stand {
  const main = branches.find((branch) => branch.is_default);
  if (at === undefined || at === HEAD || at === main?.name) return { kind: "now" };
  if (branches.some((branch) => branch.name === at)) return { kind: "branch", branch: at };
  return { kind: "past", newest: main?.head_commit === commit };
}

/** The branch whose history is told: the one that is shown, else the one the shown commit was made on, else the default. */
export function branchOfHistory(stand: Stand, madeOn: string | undefined, branches: readonly BranchView[]): string | undefined {
  if (stand.kind === "branch") return stand.branch;
  const known = stand.kind === "past" ? branches.find((branch) => branch.name === madeOn) : undefined;
  return (known ?? branches.find((branch) => branch.is_default))?.name;
}

/** How the address named the revision, where that says more than the commit: `HEAD~1`, `2026-11-14`. */
export function askedFor(at: string | undefined, commit: string): string | null {
  if (at === undefined || isCommit(at) || commit.startsWith(at)) return null;
  return at;
}

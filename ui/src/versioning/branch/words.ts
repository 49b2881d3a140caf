/** Branches in words, and git's rules for their names. */
import type { BranchView } from "../../api";
import { plural } from "../../format/numbers";

type Compared = Pick<BranchView, "ahead" | "behind" | "is_default">;

/** "2 commits ahead of main, 1 behind" */
export function compareInWords(branch: Compared, main: string): string {
  const { ahead, behind } = branch;
  if (branch.is_default) return "the default branch";
  if (ahead === 0 && behind === 0) return `same as ${main}`;
  if (behind === 0) return `${plural(ahead, "commit")} ahead of ${main}`;
  if (ahead === 0) return `${plural(behind, "commit")} behind ${main}`;
  return `${plural(ahead, "commit")} ahead of ${main}, ${behind} behind`;
}

/** How long the two halves of the small bar are, in percent of a half. What is there is seen, however little it is. */
export function barOf(branch: Pick<BranchView, "ahead" | "behind">, longest: number): { ahead: number; behind: number } {
  const least = 12;
  const length = (value: number): number => (value === 0 || longest === 0 ? 0 : Math.max(least, Math.round((100 * value) / longest)));
  return { ahead: length(branch.ahead), behind: length(branch.behind) };
}

export function longestOf(branches: readonly Pick<BranchView, "ahead" | "behind">[]): number {
  return Math.max(0, ...branches.flatMap(({ ahead, behind }) => [ahead, behind]));
}

const RULES: readonly (readonly [RegExp, string])[] = [
  [/^-/, "it begins with “-”"],
  [/^HEAD$/, "HEAD is taken"],
  [/(^|\/)\./, "a part of it begins with “.”"],
  [/\.\./, "it contains “..”"],
  [/\.lock(\/|$)/, "a part of it ends with “.lock”"],
  [/^\/|\/$|\/\//, "it begins or ends with “/”, or has “//”"],
  [/\.$/, "it ends with “.”"],
  [/@\{/, "it contains “@{”"],
  // eslint-disable-next-line no-control-regex -- git forbids control characters
  [/[\u0000-\u0020\u007f~^:?*[\\]/, "it contains a space or one of ~ ^ : ? * [ \\"],
];

/** Which of git's rules a name breaks; null: none. The server has the last word. */
export function brokenRule(name: string): string | null {
  return RULES.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}

/** What is wrong with a name for a new branch, as far as it is known here. */
export function whyNotName(name: string, branches: readonly Pick<BranchView, "name">[]): string | null {
  if (name === "") return null;
  const broken = brokenRule(name);
  if (broken !== null) return `Not a name for a branch: ${broken}. Branch names follow git’s rules.`;
  return branches.some((branch) => branch.name === name) ? "There is a branch of that name already." : null;
}

import { oneOf, optional, texts } from "../../routing/search";

export const NO_CHECK = "none";

/** `open`: the checks whose rows are shown (left out: the first that failed). `passed=shown`: those that passed, too. */
export function runSearch(raw: Record<string, unknown>) {
  return optional({ open: texts(raw, "open"), passed: oneOf(raw, "passed", ["shown"]) });
}

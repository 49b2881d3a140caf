import type { RunWord } from "../../api";
import { oneOf, optional, text, texts } from "../../routing/search";

/** Every state a run can be in, in the order a person would look for them. */
export const RUN_WORDS = [
  "queued",
  "running",
  "succeeded",
  "blocked",
  "failed",
  "conflict",
  "nothing to do",
  "cancelled",
  "interrupted",
] as const satisfies readonly RunWord[];

/** `run=new` opens the dialog that starts one; what follows, and the branch, fills it in. */
export function runsSearch(raw: Record<string, unknown>) {
  return optional({
    branch: text(raw, "branch"),
    status: oneOf(raw, "status", RUN_WORDS),
    table: text(raw, "table"),
    run: oneOf(raw, "run", ["new"]),
    select: texts(raw, "select"),
    start: text(raw, "start"),
    end: text(raw, "end"),
    params: texts(raw, "params"),
    message: text(raw, "message"),
    force: oneOf(raw, "force", ["yes"]),
  });
}

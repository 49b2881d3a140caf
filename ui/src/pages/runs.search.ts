import type { RunWord } from "../api";
import { oneOf, optional, text, texts } from "../search";

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

/** `run=new` opens the dialog that starts one, `select` fills in what it is to run. */
export function runsSearch(raw: Record<string, unknown>) {
  return optional({
    branch: text(raw, "branch"),
    status: oneOf(raw, "status", RUN_WORDS),
    table: text(raw, "table"),
    run: oneOf(raw, "run", ["new"]),
    select: texts(raw, "select"),
  });
}

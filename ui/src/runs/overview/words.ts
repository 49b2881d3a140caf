/** A branch in sentences, where no check holds anything back. Pure, so that the words can be tested. */
import type { ErrorView, Overview, RunView } from "../../api";

/** How the branch stands where no check holds anything back. Green is only what a check has seen. */
export type Standing = "first run" | "first run works" | "broken" | "working" | "stopped" | "failing" | "unchecked" | "well";

export function standingOf({ head, last_run: run, counters, trend }: Overview): Standing {
  if (run === null) return head === null ? "first run" : "unchecked";
  if (isBroken(run)) return "broken";
  if (run.status === "queued" || run.status === "running") return head === null ? "first run works" : "working";
  if (run.status === "cancelled") return "stopped";
  if (counters.checks_failing > 0) return "failing";
  return trend.some((one) => one.passed > 0) ? "well" : "unchecked";
}

export function isBroken(run: RunView): boolean {
  return ["failed", "interrupted", "conflict", "blocked"].includes(run.status);
}

const BROKEN: Partial<Record<RunView["status"], string>> = {
  interrupted: "The last run was cut off",
  conflict: "The last run could not publish",
  blocked: "The last run was blocked",
};

/** "The last run failed: Spark was killed", and where. */
export function brokenWords(run: RunView): { title: string; where: string | null; error: ErrorView | null } {
  const output = run.outputs.find((one) => one.error != null);
  const error = run.error ?? output?.error ?? null;
  const said = BROKEN[run.status] ?? "The last run failed";
  return { title: error === null ? said : `${said}: ${error.what}`, where: error?.where ?? output?.table ?? null, error };
}

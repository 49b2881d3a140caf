/** Verdicts of checks: the worst first, by their name, with the rows that failed. */
import type { VerdictView } from "../api";

/** The verdicts that stopped an attempt come first, then what failed otherwise, then what could not be measured. */
export function worstFirst<T extends Judged>(verdicts: readonly T[]): T[] {
  return verdicts.toSorted((one, other) => badness(other) - badness(one));
}

const SEVERITIES = ["info", "warning", "error", "critical"];

type Judged = Pick<VerdictView, "outcome" | "blocks" | "severity">;

function badness(verdict: Judged): number {
  const outcome = { failed: 2, "not measured": 1, passed: 0 }[verdict.outcome];
  return outcome * 100 + (verdict.blocks ? 10 : 0) + (outcome === 0 ? 0 : SEVERITIES.indexOf(verdict.severity));
}

export function whatWentWrong<T extends Judged>(verdicts: readonly T[]): T[] {
  return worstFirst(verdicts.filter((verdict) => verdict.outcome !== "passed"));
}

/** The name its author gave a check, else its kind. */
export function nameOfCheck(verdict: Pick<VerdictView, "type" | "details">): string {
  const given: unknown = verdict.details["name"];
  return typeof given === "string" && given !== "" ? given : verdict.type.replaceAll("_", " ");
}

/** Rows that a check did not accept, as it kept them. */
export function badRows(verdict: Pick<VerdictView, "details">): Record<string, unknown>[] {
  const rows: unknown = verdict.details["sample"];
  if (!Array.isArray(rows)) return [];
  return (rows as unknown[]).filter((row): row is Record<string, unknown> => typeof row === "object" && row !== null && !Array.isArray(row));
}

/** Verdicts of a run, ordered for a person: what failed comes first. */
import type { VerdictView } from "../../api";

export interface CheckedTable {
  table: string;
  failed: VerdictView[];
  notMeasured: VerdictView[];
  passed: VerdictView[];
}

const SEVERITIES = ["critical", "error", "warning", "info"];

/** By table: those with a failure first, then those with something not measured; otherwise in the order of the run. */
export function groupByTable(verdicts: readonly VerdictView[]): CheckedTable[] {
  const groups = new Map<string, CheckedTable>();
  for (const verdict of verdicts) {
    const group = groups.get(verdict.table) ?? { table: verdict.table, failed: [], notMeasured: [], passed: [] };
    groups.set(verdict.table, group);
    const place = verdict.outcome === "failed" ? group.failed : verdict.outcome === "passed" ? group.passed : group.notMeasured;
    place.push(verdict);
  }
  for (const { failed } of groups.values()) failed.sort((one, other) => worst(one) - worst(other));
  return [...groups.values()].sort((one, other) => rank(one) - rank(other));
}

function worst(verdict: VerdictView): number {
  return SEVERITIES.indexOf(verdict.severity) - (verdict.blocks ? 10 : 0);
}

function rank({ failed, notMeasured }: CheckedTable): number {
  return failed.length > 0 ? 0 : notMeasured.length > 0 ? 1 : 2;
}

/** "amount is in euros", or what kind of check it is and of which columns. */
export function nameOf(verdict: VerdictView): string {
  const { name } = verdict.details;
  if (typeof name === "string" && name !== "") return name;
  return `${verdict.type.replaceAll("_", " ")}${verdict.columns.length > 0 ? ` of ${verdict.columns.join(", ")}` : ""}`;
}

/** Verdicts of a run, ordered for a person: what failed comes first. */
import type { VerdictView } from "../api";
import { timeInData } from "../parts/formats";

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

export type SampleRow = Record<string, unknown>;

/** The rows that failed, where the engine took some. */
export function sampleOf(verdict: VerdictView): SampleRow[] {
  const { sample } = verdict.details;
  if (!Array.isArray(sample)) return [];
  return sample.filter((row): row is SampleRow => typeof row === "object" && row !== null && !Array.isArray(row));
}

/** "amount is in euros", or what kind of check it is and of which columns. */
export function nameOf(verdict: VerdictView): string {
  const { name } = verdict.details;
  if (typeof name === "string" && name !== "") return name;
  return `${verdict.type.replaceAll("_", " ")}${verdict.columns.length > 0 ? ` of ${verdict.columns.join(", ")}` : ""}`;
}

const MASK = "***";

/** A value of a sample: masked ones never left the engine. */
export function showValue(value: unknown): { text: string; masked: boolean; none: boolean } {
  if (value === MASK) return { text: "•••", masked: true, none: false };
  if (value === null || value === undefined) return { text: "null", masked: false, none: true };
  if (typeof value === "string") return { text: timeInData(value), masked: false, none: false };
  return { text: JSON.stringify(value), masked: false, none: false };
}

/** Rows that a check did not accept, as the engine kept them. */
import type { VerdictView } from "../api";
import { timeInData } from "./numbers";

export type SampleRow = Record<string, unknown>;

/** The rows that failed, where the engine took some. */
export function sampleOf(verdict: VerdictView): SampleRow[] {
  const { sample } = verdict.details;
  if (!Array.isArray(sample)) return [];
  return sample.filter((row): row is SampleRow => typeof row === "object" && row !== null && !Array.isArray(row));
}

const MASK = "***";

/** A value of a sample: masked ones never left the engine. */
export function showSampleValue(value: unknown): { text: string; masked: boolean; none: boolean } {
  if (value === MASK) return { text: "•••", masked: true, none: false };
  if (value === null || value === undefined) return { text: "null", masked: false, none: true };
  if (typeof value === "string") return { text: timeInData(value), masked: false, none: false };
  return { text: JSON.stringify(value), masked: false, none: false };
}

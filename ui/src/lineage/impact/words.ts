/** The words of an impact report. */
import type { AffectedView, ImpactFactors } from "../../api";
import type { Tone } from "../../components";

const USES: Record<string, string> = {
  passed_through: "passed through",
  aggregated: "aggregated",
  filter: "filters by it",
  join_key: "joins on it",
};
const TONES: Record<string, Tone> = { critical: "bad", high: "bad", medium: "warn", low: "calm", none: "good" };
/** A badge shows an icon for its word; those of risks look like those of checks. */
const LOOKS: Record<string, string> = { critical: "critical", high: "error", medium: "warning", low: "info", none: "ok" };

export function wordOfUse(use: string): string {
  return USES[use] ?? use.replaceAll("_", " ");
}

export function toneOf(severity: string): Tone {
  return TONES[severity] ?? "calm";
}

export function lookWord(severity: string): string {
  return LOOKS[severity] ?? "info";
}

/** 14.2 → "14.2 h", 0.25 → "0.3 h", 40 → "40 h (5 days)": a day of work has eight hours. */
export function hours(value: number): string {
  const rounded = Math.round(value * 10) / 10;
  const text = `${rounded} h`;
  const days = Math.round(value / 8);
  return days < 2 ? text : `${text} (${days} days)`;
}

function factor(value: number): string {
  return String(Math.round(value * 100) / 100);
}

const NAMES: Record<keyof ImpactFactors, (one: AffectedView) => string> = {
  base: (one) => `the change, ${one.change.type}`,
  entity: (one) => `kind: ${one.type}`,
  confidence: () => "how sure the way to it is",
  depth: (one) => `distance, ${one.depth} ${one.depth === 1 ? "step" : "steps"}`,
  use: (one) => `use: ${wordOfUse(one.use)}`,
  direction: (one) => `direction: ${one.change.direction ?? "as it is"}`,
};
const ORDER = ["base", "entity", "confidence", "depth", "use"] as const;

/** The direction of a change of type is told where it counts. */
function orderOf(one: AffectedView): readonly (keyof ImpactFactors)[] {
  return one.factors.direction === 1 ? ORDER : [...ORDER, "direction"];
}

/** What the score is made of: each factor and what it stands for. */
export function factorsOf(one: AffectedView): { name: string; value: string }[] {
  return orderOf(one).map((key) => ({ name: NAMES[key](one), value: factor(one.factors[key]) }));
}

/** 5 × 0.8 × 0.95 × 0.9 × 1.2 = 4.1 */
export function sumInWords(one: AffectedView): string {
  return `${orderOf(one).map((key) => factor(one.factors[key])).join(" × ")} = ${factor(one.score)}`;
}

/** "3 columns, 1 dataset": only what there is. */
export function groupsInWords(groups: Readonly<Record<string, number>>): string {
  const parts = Object.entries(groups)
    .filter(([, count]) => count > 0)
    .map(([group, count]) => `${count} ${count === 1 ? singular(group) : group}`);
  return parts.join(", ");
}

function singular(group: string): string {
  return group === "processes" ? "process" : group.replace(/s$/, "");
}

/** Contracts in words. Pure, so that the words can be tested. */
import type { ComparisonView, ContractView, NoticeView, ViolationView } from "../api";
import type { Tone } from "../components";
import { day, plural } from "../format/numbers";

export type State = ContractView["state"];
export type Bump = ComparisonView["required_bump"];

/** In the order of a life, which goes one way. */
export const STATES: readonly State[] = ["draft", "active", "deprecated", "sunset", "retired"];

/** What each state means to those who read the table. */
export const STATE_MEANS: Record<State, string> = {
  draft: "Not promised yet; it may change at any time.",
  active: "It holds: readers rely on it.",
  deprecated: "It still holds, but readers should move away; they are told.",
  sunset: "It holds for a last while. Readers are told that the end is near.",
  retired: "It holds no more. Whoever reads it now may go on, new readers are refused.",
};

export interface Counts {
  errors: number;
  warnings: number;
  infos: number;
}

/** "2 errors, 1 warning"; empty where there is nothing. */
export function tallyInWords({ errors, warnings, infos }: Counts): string {
  const parts = [errors > 0 ? plural(errors, "error") : "", warnings > 0 ? plural(warnings, "warning") : "", infos > 0 ? plural(infos, "note") : ""];
  return parts.filter((part) => part !== "").join(", ");
}

export function toneOfCounts({ errors, warnings }: Counts): Tone {
  if (errors > 0) return "bad";
  return warnings > 0 ? "warn" : "good";
}

export function countsOf(violations: readonly Pick<ViolationView, "severity">[]): Counts {
  const of = (severity: ViolationView["severity"]): number => violations.filter((one) => one.severity === severity).length;
  return { errors: of("error"), warnings: of("warning"), infos: of("info") };
}

const SEVERITIES: readonly ViolationView["severity"][] = ["error", "warning", "info"];

/** The worst first; among equals as they stand in their files. */
export function worstFirst<F extends Pick<ViolationView, "severity" | "file" | "line" | "column">>(findings: readonly F[]): F[] {
  return [...findings].sort(
    (one, other) =>
      SEVERITIES.indexOf(one.severity) - SEVERITIES.indexOf(other.severity) || one.file.localeCompare(other.file) || one.line - other.line || one.column - other.column,
  );
}

/** contracts/orders.odcs.yaml:17:9; what has no file is said by its path. */
export function placeInWords({ file, line, column, path }: Pick<ViolationView, "file" | "line" | "column" | "path">): string {
  if (file === "") return path;
  return line > 0 ? `${file}:${line}${column > 1 ? `:${column}` : ""}` : file;
}

const RANKS: readonly string[] = ["none", "patch", "minor", "major"];

export interface Judgement {
  tone: Tone;
  title: string;
  text: string;
}

type Compared = Pick<ComparisonView, "old" | "new" | "new_source" | "required_bump" | "actual_bump"> & { changes: readonly unknown[] };

/** What a change asks of the version number, and whether it got it. */
export function bumpInWords(compared: Compared): Judgement {
  const { old, required_bump: required, actual_bump: actual, changes } = compared;
  if (changes.length === 0) return { tone: "good", title: "Nothing changed", text: `It says the same as ${old}.` };
  const got = gotInWords(compared);
  if (RANKS.includes(actual) && RANKS.indexOf(actual) >= RANKS.indexOf(required)) {
    const means = { major: "Readers must act", minor: "Readers need not act", patch: "Readers notice nothing", none: "Readers notice nothing" }[required];
    const needs = required === "none" ? "It needs no new version" : `It needs at least a ${required.toUpperCase()} version`;
    return { tone: required === "major" ? "warn" : "good", title: `${plural(changes.length, "change")}, and the version says so`, text: `${means}. ${needs}, and ${got}.` };
  }
  return {
    tone: required === "major" ? "bad" : "warn",
    title: `It needs a ${required.toUpperCase()} version`,
    text: `${required === "major" ? "It breaks readers" : "It changes what readers are told"}, and ${got}. The next one is ${nextVersion(old, required)}.`,
  };
}

function gotInWords({ old, new: next, actual_bump: actual }: Compared): string {
  if (actual === "none") return next === old ? `it still is ${old}` : `${next} is no newer than ${old}`;
  if (actual === "unknown") return `${next} is no version that can be compared`;
  if (actual === "downgrade") return `${next} is older than ${old}`;
  return `${next} is a ${actual.toUpperCase()} one`;
}

/** 1.2.3 and minor → 1.3.0 */
export function nextVersion(version: string, bump: Bump): string {
  const [major = 0, minor = 0, patch = 0] = version.split(/[-+]/)[0]?.split(".").map(Number) ?? [];
  if (bump === "major") return `${major + 1}.0.0`;
  if (bump === "minor") return `${major}.${minor + 1}.0`;
  return bump === "patch" ? `${major}.${minor}.${patch + 1}` : version;
}

/** What stands for the project's file in the place of a version. */
export const FILE = "file";

/** From what breaks most to what breaks nothing. */
export const BUMPS: readonly Bump[] = ["major", "minor", "patch", "none"];

export const BUMP_TONES: Record<ComparisonView["actual_bump"], Tone> = { major: "bad", minor: "busy", patch: "calm", none: "calm", downgrade: "bad", unknown: "warn" };

export const BUMP_MEANS: Record<Bump, string> = {
  major: "Breaks readers",
  minor: "Adds or tightens; readers go on",
  patch: "Only words",
  none: "Says the same",
};

/** A value before or after a change; empty where there is none, or one that its message tells better. */
export function valueInWords(value: unknown): string {
  if (Array.isArray(value)) return (value as unknown[]).map(valueInWords).join(", ");
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? String(value) : "";
}

/** sha256:5f3c8a1b… → 5f3c8a1b2d4e */
export function shortHash(hash: string): string {
  return hash.replace(/^\w+:/, "").slice(0, 12);
}

/** How far away a reader is. */
export function depthInWords(depth: number): string {
  return depth <= 1 ? "directly" : `through ${plural(depth - 1, "table")}`;
}

/** What readers of a contract that ends were told. */
export function noticeInWords({ state, ends_at: ends, reason }: NoticeView): string {
  const end = ends === null ? "" : ` ${state === "retired" ? "It ended" : "It ends"} on ${day(ends)}.`;
  return `${reason === "" ? STATE_MEANS[state] : /[.!?]$/.test(reason) ? reason : `${reason}.`}${end}`;
}

/** data_contract → Contracts */
export function policyInWords(policy: string): string {
  return policy === "data_contract" ? "contracts" : policy.replaceAll("_", " ");
}

/** What the page of one asset says: which time it shows, and what held the newest attempt back. */
import type { AssetColumn, BranchView, SampleColumn, VerdictView } from "../api";
import { plural, timeInData } from "../parts/formats";
import { HEAD, isCommit, shortCommit } from "../parts/refs";

/** `now`: what readers have. `branch`: the newest of another branch. `past`: a fixed point, which may be the newest one. */
export type Stand = { kind: "now" } | { kind: "branch"; branch: string } | { kind: "past"; newest: boolean };

export function standOf(at: string | undefined, commit: string, branches: readonly BranchView[]): Stand {
  const main = branches.find((branch) => branch.is_default);
  if (at === undefined || at === HEAD || at === main?.name) return { kind: "now" };
  if (branches.some((branch) => branch.name === at)) return { kind: "branch", branch: at };
  return { kind: "past", newest: main?.head_commit === commit };
}

/** The branch whose history is told: the one that is shown, else the one the shown commit was made on, else the default. */
export function branchOfHistory(stand: Stand, madeOn: string | undefined, branches: readonly BranchView[]): string | undefined {
  if (stand.kind === "branch") return stand.branch;
  const known = stand.kind === "past" ? branches.find((branch) => branch.name === madeOn) : undefined;
  return (known ?? branches.find((branch) => branch.is_default))?.name;
}

/** How the address named the revision, where that says more than the commit: `HEAD~1`, `2026-11-14`. */
export function askedFor(at: string | undefined, commit: string): string | null {
  if (at === undefined || isCommit(at) || commit.startsWith(at)) return null;
  return at;
}

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

/** One value of a sample as text. `null` stands apart: it is not the text "null". */
export function showValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return timeInData(value);
  return JSON.stringify(value);
}

export function isNumber(type: string): boolean {
  return /^(tinyint|smallint|int|integer|bigint|long|float|double|decimal)\b/i.test(type);
}

/** "2 columns hold personal data" */
export function maskedInWords(columns: readonly SampleColumn[]): string | null {
  const masked = columns.filter((column) => column.masked);
  if (masked.length === 0) return null;
  return `${plural(masked.length, "column holds", "columns hold")} personal data: ${masked.map(({ name }) => name).join(", ")}`;
}

/** The column the address names, in the spelling of the schema. */
export function columnNamed(name: string | undefined, schema: readonly AssetColumn[]): string | undefined {
  return schema.find((column) => column.name.toLowerCase() === name?.toLowerCase())?.name;
}

/** What reads the same rows in the terminal. */
export function queryCommand(table: string, at: string | undefined): string {
  const where = at === undefined || at === HEAD ? "" : ` --at ${shortCommit(at)}`;
  return `forge query "SELECT * FROM ${table}"${where} --limit 1000`;
}

/** Merges, conflicts and changed rows in words: the terminal's own. Ours is the target, theirs the source. */
import type { ChangedTable, CompareView, ConflictGroup, ConflictView, MergeView, RowChangeView, SchemaChangeView, VerdictView } from "../../api";
import type { MergeEnd } from "../../api/versioning";
import { count, plural } from "../../format/numbers";
import { shortCommit } from "../../format/refs";
import { showValue } from "../../format/values";

// the range in the address: main...fix-orders

export interface Range {
  base: string;
  compare: string;
}

/** No name of a branch holds two dots. Without a base, the default branch is meant. */
export function parseRange(text: string): Range {
  const [left = "", right] = text.split(/\.{2,3}/);
  return right === undefined ? { base: "HEAD", compare: left || "HEAD" } : { base: left || "HEAD", compare: right || "HEAD" };
}

export function showRange({ base, compare }: Range): string {
  return `${base}...${compare}`;
}

// numbers

export interface Counts {
  inserted?: number | null | undefined;
  updated?: number | null | undefined;
  deleted?: number | null | undefined;
}

/** "+120 ~48 −3"; empty where nothing changed or nothing is known. */
export function changesInShort({ inserted, updated, deleted }: Counts): string {
  const parts = [
    ["+", inserted],
    ["~", updated],
    ["−", deleted],
  ] as const;
  return parts
    .filter(([, value]) => value != null && value > 0)
    .map(([sign, value]) => `${sign}${count(value)}`)
    .join(" ");
}

/** "120 inserted, 48 updated, 3 deleted", for those who hear it. */
export function changesInWords({ inserted, updated, deleted }: Counts): string {
  const parts = [
    [inserted, "inserted"],
    [updated, "updated"],
    [deleted, "deleted"],
  ] as const;
  const said = parts.filter(([value]) => value != null && value > 0).map(([value, word]) => `${count(value)} ${word}`);
  return said.length === 0 ? "no row changed" : said.join(", ");
}

export function sumOf(tables: readonly Counts[]): Required<Counts> {
  const sum = (of: (table: Counts) => number | null | undefined): number => tables.reduce((total, one) => total + (of(one) ?? 0), 0);
  return { inserted: sum((one) => one.inserted), updated: sum((one) => one.updated), deleted: sum((one) => one.deleted) };
}

/** "3 commits · 2 tables · +120 ~48 −3 rows · 1 schema change" */
export function compareInShort(view: Pick<CompareView, "ahead" | "tables">): string {
  const changes = changesInShort(sumOf(view.tables));
  const known = view.tables.every((table) => table.inserted !== null && table.inserted !== undefined);
  const schema = view.tables.reduce((total, table) => total + table.schema_changes.length, 0);
  const rows = known || changes !== "" ? [changes === "" ? "no row changed" : `${changes} rows`] : [];
  return [
    plural(view.ahead, "commit"),
    plural(view.tables.length, "table"),
    ...(view.tables.length === 0 ? [] : rows),
    ...(schema === 0 ? [] : [plural(schema, "schema change")]),
  ].join(" · ");
}

// how a table merges

const HOW: Record<string, string> = {
  fast_forward: "taken as it is",
  zero_copy: "files joined, no row read",
  rows: "row by row",
  unchanged: "unchanged",
  view: "view",
  new: "new table",
  removed: "removed",
};

export function howInWords(how: string): string {
  return HOW[how] ?? how.replaceAll("_", " ");
}

/** What the list of tables says beside a name. */
export function markOf(table: ChangedTable, view: CompareView): { word: "conflicts" | "clean" | "unknown"; text: string } {
  const tally = view.tallies.find((one) => one.table === table.table);
  if (tally === undefined) {
    if (!view.previewed && table.both) return { word: "unknown", text: "changed on both sides" };
    return { word: "clean", text: table.change === "changed" ? "changed here only" : table.change };
  }
  if (tally.conflicts > tally.resolved) return { word: "conflicts", text: plural(tally.conflicts - tally.resolved, "conflict") };
  return { word: "clean", text: howInWords(tally.how) };
}

// what became of a merge

export function mergeTitle(merge: Pick<MergeView, "kind" | "source_branch" | "target_branch">): string {
  const source = shortCommit(merge.source_branch);
  if (merge.kind === "revert") return `Revert ${source} on ${merge.target_branch}`;
  if (merge.kind === "cherry-pick") return `Cherry-pick ${source} onto ${merge.target_branch}`;
  return `${source} → ${merge.target_branch}`;
}

/** "2 conflicts", "waits for approval", "held back by its checks" */
export function waitsFor(merge: Pick<MergeView, "status" | "total_count" | "resolved_count">): string {
  const open = merge.total_count - merge.resolved_count;
  if (merge.status === "conflicted") return open === 0 ? "all conflicts resolved" : plural(open, "conflict");
  if (merge.status === "pending") return "waits for approval";
  return merge.status === "blocked" ? "held back by its checks" : merge.status;
}

/** The message in the corner when nothing is left to decide. */
export function endInWords(end: MergeEnd, target: string): { tone: "good" | "calm"; title: string; text: string } {
  if (end.type === "up_to_date") return { tone: "calm", title: "Already up to date", text: `${target} has everything.` };
  const commit = end.commit === null ? "" : shortCommit(end.commit);
  if (end.type === "fast_forward") return { tone: "good", title: `${target} is at ${commit} now`, text: "Fast-forward: nothing had to be merged." };
  return { tone: "good", title: `Merged as ${commit}`, text: `${target} has it all, in one step.` };
}

// conflicts

export type Side = "base" | "ours" | "theirs";
type Shown = Pick<ConflictView, "kind" | "base" | "ours" | "theirs">;

/** One value on one line. */
export function cellText(value: unknown): string {
  return showValue(value) ?? "NULL";
}

function isRow(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function isRowConflict(conflict: Pick<ConflictView, "kind">): boolean {
  return conflict.kind === "delete_modify" || conflict.kind === "modify_delete";
}

/** What a side has: a cell, a count, or what became of its row. */
export function sideInWords(conflict: Shown, side: Side): string {
  const value = conflict[side];
  if (isRowConflict(conflict)) {
    if (!isRow(value)) return "deleted";
    const base = conflict.base;
    if (side === "base" || !isRow(base)) return "exists";
    const changed = Object.entries(value).filter(([name, one]) => cellText(base[name]) !== cellText(one));
    return changed.map(([name, one]) => `${name}=${cellText(one)}`).join(", ") || "exists";
  }
  if (conflict.kind === "cardinality") return typeof value === "number" ? plural(value, "time") : cellText(value);
  if (conflict.kind === "add_add" && side === "base") return "–";
  const gone = value == null && (conflict.kind === "schema_change" || conflict.kind === "column_dropped_modified");
  if (gone) return side === "base" ? "–" : "dropped";
  if (isRow(value)) return fieldsInShort(value);
  return cellText(value);
}

export function fieldsInShort(row: Record<string, unknown>): string {
  return Object.entries(row)
    .map(([name, value]) => `${name}=${cellText(value)}`)
    .join(", ");
}

/** "10017", or "country=DE, day=2026-11-14" */
export function keyInWords(conflict: Pick<ConflictView, "key" | "location">): string {
  const { key } = conflict;
  if (key == null) return conflict.location ?? "schema";
  const values = Object.values(key);
  return values.length === 1 ? cellText(values[0]) : fieldsInShort(key);
}

export type Take = NonNullable<ConflictView["resolution"]>;

/** Which answers make sense for a conflict. */
export function takesFor(conflict: Pick<ConflictView, "kind" | "column">): readonly Take[] {
  if (conflict.kind === "schema_change") return ["ours", "theirs"];
  if (conflict.kind === "add_add") return ["ours", "theirs", "manual"];
  if (isRowConflict(conflict)) return ["ours", "theirs", "base"];
  if (conflict.column == null && conflict.kind !== "cardinality") return ["ours", "theirs"];
  return ["ours", "theirs", "base", "manual"];
}

/** What was typed, as the type the other values have. NULL is no text. */
export function valueOf(text: string, conflict: Pick<ConflictView, "base" | "ours" | "theirs">): unknown {
  if (text === "NULL") return null;
  const known = [conflict.base, conflict.ours, conflict.theirs].find((value) => value !== null && value !== undefined);
  if (typeof known === "number" && text.trim() !== "" && Number.isFinite(Number(text))) return Number(text);
  if (typeof known === "boolean" && (text === "true" || text === "false")) return text === "true";
  if (typeof known === "object") {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      return text;
    }
  }
  return text;
}

export interface Rule {
  word: string;
  label: string;
  take: Take;
  expression?: string;
}

/** What a column rule can say. `expression` without a text is written by hand. */
export function rulesFor(target: string, source: string): readonly Rule[] {
  return [
    { word: "ours", label: `ours (${target})`, take: "ours" },
    { word: "theirs", label: `theirs (${source})`, take: "theirs" },
    { word: "base", label: "base (as before both)", take: "base" },
    { word: "greatest", label: "the greater value", take: "expression", expression: "greatest(ours, theirs)" },
    { word: "least", label: "the smaller value", take: "expression", expression: "least(ours, theirs)" },
    { word: "expression", label: "an expression…", take: "expression" },
  ];
}

export function groupName({ table, column }: Pick<ConflictGroup, "table" | "column">): string {
  if (table == null) return column ?? "all";
  return column == null ? `${table}, whole rows` : `${table}.${column}`;
}

// schema

export function schemaInWords({ change, column, before, after }: SchemaChangeView): { sign: "+" | "−" | "~"; text: string } {
  if (change === "added") return { sign: "+", text: `column ${after ?? column}` };
  if (change === "dropped") return { sign: "−", text: `column ${before ?? column}` };
  if (change === "required" || change === "optional") return { sign: "~", text: `column ${column} is ${change}` };
  return { sign: "~", text: `column ${column} ${change}: ${before ?? "–"} → ${after ?? "–"}` };
}

// rows

export const SIGNS: Record<RowChangeView["kind"], { sign: string; tone: "good" | "warn" | "bad" }> = {
  inserted: { sign: "+", tone: "good" },
  updated: { sign: "~", tone: "warn" },
  deleted: { sign: "−", tone: "bad" },
};

// checks

export interface Tally {
  passed: number;
  failed: number;
  unknown: number;
}

export function tallyOf(verdicts: readonly Pick<VerdictView, "outcome">[]): Tally {
  const number = (outcome: VerdictView["outcome"]): number => verdicts.filter((one) => one.outcome === outcome).length;
  return { passed: number("passed"), failed: number("failed"), unknown: number("not measured") };
}

/** "14 ✓ 0 ✗" */
export function tallyInShort({ passed, failed, unknown }: Tally): string {
  return `${passed} ✓ ${failed} ✗${unknown > 0 ? ` ${unknown} ?` : ""}`;
}

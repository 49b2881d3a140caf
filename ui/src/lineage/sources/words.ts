/** The words of code that was read for its lineage. */
import type { DisagreementView, GapItem, SourceView } from "../../api";
import type { Tone } from "../../components";
import { count, NONE, percent } from "../../format/numbers";
import { quoted } from "../../format/shell";
import { fileOf } from "../graph/words";

const LANGUAGES: Record<string, string> = { sql: "SQL", python: "Python", dbt: "dbt", notebook: "Notebook", jinja: "Jinja" };

export function languageWord(language: string): string {
  return LANGUAGES[language] ?? language;
}

type Read = Pick<SourceView, "statements" | "understood">;

/** Between 0 and 1; nothing where there was nothing to understand. */
export function shareOf({ statements, understood }: Read): number | undefined {
  return statements === 0 ? undefined : understood / statements;
}

export function shareInWords(read: Read): string {
  const share = shareOf(read);
  return share === undefined ? NONE : percent(share * 100);
}

/** "4 of 6 statements" */
export function statementsInWords({ statements, understood }: Read): string {
  if (statements === 0) return "no statements";
  const what = statements === 1 ? "statement" : "statements";
  return understood === statements ? `all ${count(statements)} ${what}` : `${count(understood)} of ${count(statements)} ${what}`;
}

const MOST = 0.9;
const HALF = 0.5;

export function toneOfShare(share: number): Tone {
  if (share === 1) return "good";
  if (share >= MOST) return "busy";
  return share >= HALF ? "warn" : "bad";
}

export interface Group<T> {
  name: string;
  items: T[];
}

/** What follows each other under the same name. */
function grouped<T>(items: readonly T[], nameOf: (item: T) => string): Group<T>[] {
  const groups: Group<T>[] = [];
  for (const item of items) {
    const name = nameOf(item);
    const last = groups.at(-1);
    if (last?.name === name) last.items.push(item);
    else groups.push({ name, items: [item] });
  }
  return groups;
}

export function gapsByFile(gaps: readonly GapItem[]): Group<GapItem>[] {
  return grouped(gaps, (gap) => gap.source_id);
}

export function byTable(edges: readonly DisagreementView[]): Group<DisagreementView>[] {
  return grouped(edges, (edge) => edge.table);
}

/** Where only one side tells an edge: the file with its line, or the table whose runs saw it. */
export function whereSaid({ producer, place }: Pick<DisagreementView, "producer" | "place">): { file?: string; text: string } {
  const file = fileOf(producer);
  if (file === undefined) return { text: place };
  const line = /:(\d+)$/.exec(place)?.[1];
  return { file, text: line === undefined ? file : `${file}:${line}` };
}

/** The files that a problem proposes: "Did you mean jobs/daily.sql or jobs/day.py?" */
export function filesIn(fix: string): string[] {
  const [, names = ""] = /^Did you mean (.+)\?$/.exec(fix.trim()) ?? [];
  return names.split(/, | or /).filter((name) => name !== "");
}

/** How a file is read again: with all of the folder that was given. */
export function ingestCommand(root: string): string {
  return `forge ingest ${quoted(root === "" ? "." : root)}`;
}

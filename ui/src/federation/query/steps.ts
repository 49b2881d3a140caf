/** A plan as the page shows it: the tree, what each source is asked, and why something was not left to it. */
import type { PlanView } from "../../api";

export interface PlanNode {
  type: string;
  source: string;
  relations: readonly string[];
  predicates: readonly string[];
  columns: readonly string[];
  children: readonly PlanNode[];
  pushed: boolean;
  why: string;
  /** An estimate, before the query runs. */
  rows: number | null;
  rowsRead: number | null;
  fragment: string;
  order: readonly string[];
  limit: string | null;
  /** Why its source cannot be reached now; empty: it can. */
  unavailable: string;
}

export interface AskedSource {
  fragment: string;
  source: string;
  kind: string;
  relations: readonly string[];
  asked: string;
  /** How many values are bound, and not written into the text. */
  values: number;
  keys: readonly { column: string; by: string }[];
  rows: number | null;
  rowsRead: number | null;
}

export interface Decision {
  part: string;
  text: string;
  source: string;
  pushed: boolean;
  /** The source drops some of the rows, and the engine looks at the others again. */
  prefilter: boolean;
  why: string;
}

type Raw = Record<string, unknown>;

const isRaw = (value: unknown): value is Raw => typeof value === "object" && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
const numberOf = (value: unknown): number | null => (typeof value === "number" ? value : null);
const textsOf = (value: unknown): string[] => (Array.isArray(value) ? value.filter((one): one is string => typeof one === "string") : []);
const rawsOf = (value: unknown): Raw[] => (Array.isArray(value) ? value.filter(isRaw) : []);

export function nodeOf(raw: Raw): PlanNode {
  const limit = raw.limit;
  return {
    type: textOf(raw.type),
    source: textOf(raw.source),
    relations: textsOf(raw.relations),
    predicates: textsOf(raw.predicates),
    columns: textsOf(raw.columns),
    children: rawsOf(raw.children).map(nodeOf),
    pushed: raw.pushed === true,
    why: textOf(raw.why),
    rows: numberOf(raw.rows),
    rowsRead: numberOf(raw.rows_read),
    fragment: textOf(raw.fragment),
    order: textsOf(raw.order),
    limit: typeof limit === "string" ? limit : typeof limit === "number" ? String(limit) : null,
    unavailable: textOf(raw.unavailable),
  };
}

export function askedOf(plan: PlanView): AskedSource[] {
  return plan.sources.map((raw) => ({
    fragment: textOf(raw.fragment),
    source: textOf(raw.source),
    kind: textOf(raw.kind),
    relations: textsOf(raw.relations),
    asked: textOf(raw.asked),
    values: numberOf(raw.values) ?? 0,
    keys: rawsOf(raw.keys).map((key) => ({ column: textOf(key.column), by: textOf(key.by) })),
    rows: numberOf(raw.rows),
    rowsRead: numberOf(raw.rows_read),
  }));
}

export function decisionsOf(plan: PlanView): Decision[] {
  return plan.decisions.map((raw) => ({
    part: textOf(raw.part),
    text: textOf(raw.text),
    source: textOf(raw.source),
    pushed: raw.pushed === true,
    prefilter: raw.prefilter === true,
    why: textOf(raw.why),
  }));
}

const STEPS: Readonly<Record<string, string>> = {
  scan: "Read",
  filter: "Filter",
  project: "Choose columns",
  join: "Join",
  aggregate: "Aggregate",
  distinct: "Drop duplicates",
  order: "Sort",
  limit: "Limit",
  union: "Union",
  except: "Except",
  intersect: "Intersect",
  values: "Values",
  subquery: "Subquery",
};

export function stepName({ type }: PlanNode): string {
  return STEPS[type] ?? type;
}

/** Names as people write them: quotes are of the machine. */
export function plainSql(text: string): string {
  return text.replaceAll(/`([A-Za-z_]\w*)`/g, "$1");
}

/** Where a problem lies in the text of the query: `query:2:19` → line 2, column 19. */
export function placeOf(where: string | null): { line: number; column: number } | null {
  const [, line, column] = /^query:(\d+)(?::(\d+))?$/.exec(where ?? "") ?? [];
  return line === undefined ? null : { line: Number(line), column: Number(column ?? 1) };
}

/** A query as it is put together: what an edit of one part means for the others, and what of it can be written already. */
import type { BuilderCondition, BuilderFilter, BuilderQueryView, BuilderTable, BuilderTerm, BuilderValue } from "../../api";

export type Query = BuilderQueryView;
export type Table = BuilderTable;
export type Term = BuilderTerm;
export type Condition = BuilderCondition;
export type Filter = BuilderFilter;
export type Value = BuilderValue;

/** A column that can be chosen. */
export interface Choice {
  term: Term;
  type: string;
}

const NO_FILTER: Filter = { connective: "and", groups: [] };
export const EMPTY: Query = { tables: [], columns: [], distinct: false, where: NO_FILTER, group_by: [], having: NO_FILTER, order_by: [], limit: null };

/** What terms call a table. */
export const handleOf = ({ alias, path }: Pick<Table, "alias" | "path">): string => (alias !== "" ? alias : (path.at(-1) ?? ""));
export const keyOf = ({ table, column }: Term): string => JSON.stringify([table, column]);
export const isSame = (a: Term, b: Term): boolean => keyOf(a) === keyOf(b) && (a.aggregate ?? null) === (b.aggregate ?? null);
export const isWhole = ({ column, aggregate }: Term): boolean => column !== "" || aggregate === "count";
const isPlain = ({ aggregate }: Term): boolean => (aggregate ?? null) === null;

/** `order_lines` → `ol`; where it is taken, with a number. */
export function aliasFor(path: readonly string[], taken: readonly string[]): string {
  const letters = (path.at(-1) ?? "").toLowerCase().split(/[^a-z]+/).map((word) => word.charAt(0)).join("");
  const base = letters === "" ? "t" : letters;
  const used = new Set(taken.map((one) => one.toLowerCase()));
  for (let number = 1; ; number += 1) {
    const alias = number === 1 ? base : `${base}${number}`;
    if (!used.has(alias)) return alias;
  }
}

/** Columns of the same name, of what is there and what is joined: those that look like keys first. */
export function suggestions(before: readonly Choice[], joined: readonly Choice[]): { left: Term; right: Term }[] {
  const isKey = ({ left }: { left: Term }): boolean => /(^|_)(id|key|code|no|number)$/i.test(left.column);
  const pairs = joined.flatMap(({ term: right }) => before.filter(({ term }) => term.column.toLowerCase() === right.column.toLowerCase()).map(({ term: left }) => ({ left, right })));
  return [...pairs.filter(isKey), ...pairs.filter((one) => !isKey(one))];
}

export function withTable(query: Query, path: readonly string[]): Query {
  const alias = aliasFor(path, query.tables.map(handleOf));
  const table: Table = { path: [...path], alias, join: query.tables.length === 0 ? null : "inner", on: [] };
  return { ...query, tables: [...query.tables, table] };
}

export function withTableAt(query: Query, place: number, part: Partial<Table>): Query {
  const before = query.tables[place];
  if (before === undefined) return query;
  const after = { ...before, ...part };
  const tables = query.tables.map((one, at) => (at === place ? after : one));
  const [from, to] = [handleOf(before), handleOf(after)];
  return from === to ? { ...query, tables } : mapTerms({ ...query, tables }, (term) => (term.table === from ? { ...term, table: to } : term));
}

/** Without the table, and without what was said of its columns. The one that is first now is joined to nothing. */
export function withoutTable(query: Query, place: number): Query {
  const gone = query.tables[place];
  if (gone === undefined) return query;
  const handle = handleOf(gone);
  const stays = ({ table }: Term): boolean => table !== handle;
  const tables = query.tables
    .filter((_, at) => at !== place)
    .map((one, at): Table => (at === 0 ? { ...one, join: null, on: [] } : { ...one, on: one.on.filter(({ left, right }) => stays(left) && stays(right)) }));
  const filter = ({ connective, groups }: Filter): Filter => ({ connective, groups: groups.map((group) => group.filter(({ term }) => stays(term))).filter((group) => group.length > 0) });
  if (tables.length === 0) return { ...EMPTY, limit: query.limit ?? null };
  return {
    ...query,
    tables,
    columns: query.columns.filter(({ term }) => stays(term)),
    where: filter(query.where),
    group_by: query.group_by.filter(stays),
    having: filter(query.having),
    order_by: query.order_by.filter(({ term }) => stays(term)),
  };
}

function mapTerms(query: Query, change: (term: Term) => Term): Query {
  const filter = ({ connective, groups }: Filter): Filter => ({ connective, groups: groups.map((group) => group.map((one) => ({ ...one, term: change(one.term) }))) });
  return {
    ...query,
    tables: query.tables.map((table) => ({ ...table, on: table.on.map(({ left, right }) => ({ left: change(left), right: change(right) })) })),
    columns: query.columns.map((one) => ({ ...one, term: change(one.term) })),
    where: filter(query.where),
    group_by: query.group_by.map(change),
    having: filter(query.having),
    order_by: query.order_by.map((one) => ({ ...one, term: change(one.term) })),
  };
}

/** Where one column is added up, the others are what it is added up by. */
export function withColumns(query: Query, columns: Query["columns"]): Query {
  const adds = (one: Query["columns"]): boolean => one.some(({ term }) => !isPlain(term));
  const groups = adds(columns) || (query.group_by.length > 0 && !adds(query.columns));
  const extra = extraGroups(query);
  const plain = columns.flatMap(({ term }) => (isPlain(term) && isWhole(term) ? [term] : []));
  const all = groups ? [...plain, ...extra] : extra;
  return { ...query, columns, group_by: all.filter((term, at) => all.findIndex((other) => isSame(other, term)) === at) };
}

/** What it is grouped by besides its columns. */
export function extraGroups({ group_by, columns }: Query): Term[] {
  return group_by.filter((term) => !columns.some((one) => isSame(one.term, term)));
}

/** What a number, a date or a time looks like; the server has the last word. */
const FORMS: Partial<Record<Value["kind"], RegExp>> = {
  number: /^-?\d{1,38}(\.\d{1,38})?(e[+-]?\d{1,3})?$/i,
  date: /^\d{4}-\d{2}-\d{2}$/,
  timestamp: /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}(\.\d{1,6})?$/,
  boolean: /^(true|false)$/,
  parameter: /^[A-Za-z_]\w{0,63}$/,
};

export const isSound = ({ kind, text }: Value): boolean => FORMS[kind]?.test(text) ?? true;

/** How many values stand beside an operator; null: as many as one likes. */
export function valuesOf(operator: Condition["operator"]): 0 | 1 | 2 | null {
  if (operator.startsWith("is")) return 0;
  if (operator.endsWith("between")) return 2;
  return operator.endsWith("in") ? null : 1;
}

export function isComplete({ term, operator, values }: Condition): boolean {
  const many = valuesOf(operator);
  return isWhole(term) && (many === null ? values.length > 0 : values.length === many) && values.every(isSound);
}

/** Values of the old operator, as far as the new one has room for them. */
export function withOperator(condition: Condition, operator: Condition["operator"]): Condition {
  const many = valuesOf(operator);
  return { ...condition, operator, values: many === null ? condition.values : condition.values.slice(0, many) };
}

export function kindOf(type: string | undefined): Value["kind"] {
  if (type === undefined) return "text";
  if (/^(tinyint|smallint|int|integer|bigint|long|float|double|decimal)/i.test(type)) return "number";
  if (/^timestamp/i.test(type)) return "timestamp";
  return /^date/i.test(type) ? "date" : /^bool/i.test(type) ? "boolean" : "text";
}

/** Why it cannot be written yet. */
export function gapOf({ tables }: Query): string | null {
  if (tables.length === 0) return "Choose a table.";
  const loose = tables.find((table, place) => place > 0 && !table.on.some(isPaired));
  return loose === undefined ? null : `Say which columns join ${handleOf(loose)} to the tables before it.`;
}

const isPaired = ({ left, right }: { left: Term; right: Term }): boolean => isWhole(left) && isWhole(right);

/** The part of it that can be written: rows without a column or value are not there yet. */
export function written(query: Query): Query | null {
  if (gapOf(query) !== null) return null;
  const filter = ({ connective, groups }: Filter): Filter => ({ connective, groups: groups.map((group) => group.filter(isComplete)).filter((group) => group.length > 0) });
  return {
    ...query,
    tables: query.tables.map((table) => ({ ...table, on: table.on.filter(isPaired) })),
    columns: query.columns.filter(({ term }) => isWhole(term)),
    where: filter(query.where),
    group_by: query.group_by.filter(isWhole),
    having: filter(query.having),
    order_by: query.order_by.filter(({ term }) => isWhole(term)),
  };
}

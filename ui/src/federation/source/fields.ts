/** The fields of a source in a form, and as a request has them. */
import type { DeclaredSourceView, MaskRule, RestTableView, SourceCreate, SourcePatch } from "../../api";

export type Connector = SourceCreate["connector"];

export interface Pair {
  name: string;
  value: string;
}

export type Audience = "everyone" | "for" | "except";

export interface MaskField {
  column: string;
  as: MaskRule["as"];
  audience: Audience;
  names: string[];
}

export interface RowField {
  table: string;
  filter: string;
  audience: Audience;
  names: string[];
}

export interface SourceFields {
  name: string;
  connector: Connector;
  url: string;
  path: string;
  format: string;
  columns: Pair[];
  /** Of an API, as JSON. */
  tables: string;
  schema: string;
  user: string;
  password: string;
  options: Pair[];
  readers: string[];
  hidden: string[];
  masks: MaskField[];
  rows: RowField[];
  description: string;
  cacheSeconds: string;
}

export const EMPTY: SourceFields = {
  name: "",
  connector: "postgresql",
  url: "",
  path: "",
  format: "",
  columns: [],
  tables: "",
  schema: "",
  user: "",
  password: "",
  options: [],
  readers: [],
  hidden: [],
  masks: [],
  rows: [],
  description: "",
  cacheSeconds: "",
};

export interface Shown {
  url: boolean;
  path: boolean;
  secrets: boolean;
  schema: boolean;
  format: boolean;
  tables: boolean;
  /** Options that a source made here may have. */
  options: readonly string[];
}

const OPTIONS: Readonly<Record<Connector, readonly string[]>> = {
  postgresql: ["sslmode"],
  mysql: [],
  sqlite: [],
  files: ["header", "sep", "quote", "escape", "encoding", "multiLine"],
  delta: ["versionAsOf", "timestampAsOf"],
  rest: ["header"],
  jdbc: [],
};

/** Which fields lead to a source of a kind. */
export function fieldsOf({ connector, path }: Pick<SourceFields, "connector" | "path">): Shown {
  const isObjects = /^s3a?:/.test(path.trim());
  const isLocal = connector === "sqlite" || connector === "files" || connector === "delta";
  return { url: !isLocal, path: isLocal, secrets: !isLocal || (isObjects && connector !== "sqlite"), schema: connector === "postgresql", format: connector === "files", tables: connector === "rest", options: [...OPTIONS[connector], ...(isObjects ? ["region"] : [])] };
}

const ENDINGS: Readonly<Record<string, string>> = { csv: "csv", tsv: "csv", json: "json", jsonl: "json", ndjson: "json", parquet: "parquet" };

/** As chosen, or what the ending of the path says; empty where nothing does. */
export function formatOf({ format, path }: Pick<SourceFields, "format" | "path">): string {
  return format !== "" ? format : (ENDINGS[path.trim().toLowerCase().split(".").at(-1) ?? ""] ?? "");
}

export function needsColumns(fields: SourceFields): boolean {
  return fields.connector === "files" && ["csv", "json"].includes(formatOf(fields));
}

/** What keeps the form from being sent; null: nothing. */
export function lacking(fields: SourceFields): string | null {
  const has = fieldsOf(fields);
  if (fields.name.trim() === "") return "Give it a name";
  if (has.url && fields.url.trim() === "") return "Say where it is";
  if (has.path && fields.path.trim() === "") return "Say where it is";
  if (needsColumns(fields) && fields.columns.every(({ name }) => name.trim() === "")) return "Name the columns of its files: CSV and JSON do not say their types";
  if (has.tables && tablesOf(fields.tables) === null) return "Say which tables it has";
  if (!/^\s*\d*\s*$/.test(fields.cacheSeconds)) return "Write a number of seconds";
  return null;
}

export function faultOfTables(text: string): string | undefined {
  if (text.trim() === "") return undefined;
  return tablesOf(text) === null ? "This is no JSON object of tables by name" : undefined;
}

function tablesOf(text: string): Record<string, RestTableView> | null {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Record<string, RestTableView>) : null;
  } catch {
    return null;
  }
}

function audienceFrom(rule: { for?: string[] | null; except?: string[] | null }): { audience: Audience; names: string[] } {
  if (rule.for != null && rule.for.length > 0) return { audience: "for", names: rule.for };
  if (rule.except != null && rule.except.length > 0) return { audience: "except", names: rule.except };
  return { audience: "everyone", names: [] };
}

function audienceOf({ audience, names }: { audience: Audience; names: string[] }): { for?: string[]; except?: string[] } {
  return audience === "everyone" || names.length === 0 ? {} : { [audience]: names };
}

export function fieldsFrom(source: DeclaredSourceView): SourceFields {
  const { name, connector, description } = source;
  const tables = source.tables ?? {};
  return {
    name,
    connector,
    url: source.url ?? "",
    path: source.path ?? "",
    format: source.format ?? "",
    columns: pairsFrom(source.columns),
    tables: Object.keys(tables).length === 0 ? "" : JSON.stringify(tables, (_, value: unknown) => (value === null ? undefined : value), 2),
    schema: source.schema ?? "",
    user: source.user ?? "",
    password: source.password ?? "",
    options: pairsFrom(source.options),
    readers: source.readers ?? [],
    hidden: source.hidden ?? [],
    masks: (source.masks ?? []).map((one) => ({ column: one.column, as: one.as, ...audienceFrom(one) })),
    rows: (source.rows ?? []).map((one) => ({ table: one.table, filter: one.filter, ...audienceFrom(one) })),
    description,
    cacheSeconds: source.cache_ttl_seconds === 0 ? "" : String(source.cache_ttl_seconds),
  };
}

function pairsFrom(found: Readonly<Record<string, string>> | null): Pair[] {
  return Object.entries(found ?? {}).map(([name, value]) => ({ name, value }));
}

function pairsOf(pairs: readonly Pair[]): Record<string, string> | null {
  const named = pairs.filter(({ name }) => name.trim() !== "");
  return named.length === 0 ? null : Object.fromEntries(named.map(({ name, value }) => [name.trim(), value.trim()]));
}

const FORMATS = ["csv", "json", "parquet"] as const;

/** Only what its kind has; what is empty is not said. */
export function createOf(fields: SourceFields): SourceCreate {
  const has = fieldsOf(fields);
  const said = (text: string, shown: boolean): string | null => (shown && text.trim() !== "" ? text.trim() : null);
  const some = <T>(items: T[]): T[] | null => (items.length > 0 ? items : null);
  return {
    name: fields.name.trim(),
    connector: fields.connector,
    url: said(fields.url, has.url),
    path: said(fields.path, has.path),
    format: has.format ? (FORMATS.find((one) => one === fields.format) ?? null) : null,
    columns: has.format ? pairsOf(fields.columns.map(({ name, value }) => ({ name, value: value.trim() === "" ? "string" : value }))) : null,
    tables: has.tables && fields.tables.trim() !== "" ? tablesOf(fields.tables) : null,
    schema: said(fields.schema, has.schema),
    user: said(fields.user, has.secrets),
    password: said(fields.password, has.secrets),
    options: has.options.length > 0 ? pairsOf(fields.options) : null,
    readers: some(fields.readers),
    hidden: some(fields.hidden),
    masks: some(fields.masks.filter(({ column }) => column.trim() !== "").map((one) => ({ column: one.column.trim(), as: one.as, ...audienceOf(one) }))),
    rows: some(fields.rows.filter(({ table, filter }) => `${table}${filter}`.trim() !== "").map((one) => ({ table: one.table.trim(), filter: one.filter.trim(), ...audienceOf(one) }))),
    description: said(fields.description, true),
    cache_ttl_seconds: /^\d+$/.test(fields.cacheSeconds.trim()) && Number(fields.cacheSeconds) > 0 ? Number(fields.cacheSeconds) : null,
  };
}

/** What differs from what was read: what is left out stays as it is. */
export function patchOf(fields: SourceFields, before: DeclaredSourceView): SourcePatch {
  const now: Record<string, unknown> = { ...createOf(fields) };
  const then: Record<string, unknown> = { ...createOf(fieldsFrom(before)) };
  const changed = Object.keys(now).filter((key) => key !== "name" && JSON.stringify(now[key]) !== JSON.stringify(then[key]));
  return { expected_version: before.version, ...Object.fromEntries(changed.map((key) => [key, now[key]])) };
}

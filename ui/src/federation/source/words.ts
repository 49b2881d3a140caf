/** A source's fields in a form, and as a request has them. */
import type { DeclaredSourceView, SourceChangeView, SourceCreate, SourcePatch } from "../../api";

export type Connector = SourceCreate["connector"];

export const CONNECTORS: Readonly<Record<Connector, string>> = {
  postgresql: "PostgreSQL",
  mysql: "MySQL, MariaDB",
  sqlite: "SQLite",
  files: "Files",
  delta: "Delta Lake table",
  rest: "REST API",
};

export function connectorName(word: string): string {
  return (CONNECTORS as Readonly<Record<string, string>>)[word] ?? word;
}

/** Which fields lead to a source of a kind. */
export function fieldsOf(connector: string): { url: boolean; path: boolean; secrets: boolean; schema: boolean; format: boolean } {
  const isServer = connector === "postgresql" || connector === "mysql";
  return { url: !["sqlite", "files", "delta"].includes(connector), path: ["sqlite", "files", "delta"].includes(connector), secrets: isServer, schema: connector === "postgresql", format: connector === "files" };
}

export interface SourceFields {
  name: string;
  connector: Connector;
  url: string;
  path: string;
  format: string;
  schema: string;
  user: string;
  password: string;
  readers: string[];
  hidden: string[];
  description: string;
}

export const EMPTY: SourceFields = { name: "", connector: "postgresql", url: "", path: "", format: "", schema: "", user: "", password: "", readers: [], hidden: [], description: "" };

export function fieldsFrom(source: DeclaredSourceView): SourceFields {
  const { name, connector, description } = source;
  return {
    name,
    connector,
    url: source.url ?? "",
    path: source.path ?? "",
    format: source.format ?? "",
    schema: source.schema ?? "",
    user: source.user ?? "",
    password: source.password ?? "",
    readers: source.readers ?? [],
    hidden: source.hidden ?? [],
    description,
  };
}

const FORMATS = ["csv", "json", "parquet"] as const;

/** Only what its kind has; what is empty is not said. */
export function createOf(fields: SourceFields): SourceCreate {
  const has = fieldsOf(fields.connector);
  const said = (text: string, shown: boolean): string | null => (shown && text.trim() !== "" ? text.trim() : null);
  return {
    name: fields.name.trim(),
    connector: fields.connector,
    url: said(fields.url, has.url),
    path: said(fields.path, has.path),
    format: has.format ? (FORMATS.find((one) => one === fields.format) ?? null) : null,
    schema: said(fields.schema, has.schema),
    user: said(fields.user, has.secrets),
    password: said(fields.password, has.secrets),
    readers: fields.readers.length > 0 ? fields.readers : null,
    hidden: fields.hidden.length > 0 ? fields.hidden : null,
    description: said(fields.description, true),
  };
}

/** What differs from what was read: what is left out stays as it is. */
export function patchOf(fields: SourceFields, before: DeclaredSourceView): SourcePatch {
  const now: Record<string, unknown> = { ...createOf(fields) };
  const then: Record<string, unknown> = { ...createOf(fieldsFrom(before)) };
  const changed = Object.keys(now).filter((key) => key !== "name" && JSON.stringify(now[key]) !== JSON.stringify(then[key]));
  return { expected_version: before.version, ...Object.fromEntries(changed.map((key) => [key, now[key]])) };
}

/** "customers.email: string → bigint" */
export function changeInWords({ table, column, change, before, after }: SourceChangeView): string {
  const name = column === null ? table : `${table}.${column}`;
  if (change === "retyped") return `${name} was ${before ?? "?"} and is ${after ?? "?"}`;
  return `${name} ${change === "added" ? "is new" : "is gone"}`;
}

const ORIGINS: Readonly<Record<DeclaredSourceView["origin"], string>> = { file: "a file of the project", command: "forge source add", http: "this page or a request" };

export function originInWords(source: Pick<DeclaredSourceView, "origin" | "where">): string {
  return source.where === null ? ORIGINS[source.origin] : source.where;
}

/** A source is changed where it was made. */
export function changedHere({ origin }: Pick<DeclaredSourceView, "origin">): boolean {
  return origin === "http";
}

/** A source in words. */
import type { DeclaredSourceView, MaskRule, RowRule, SourceChangeView } from "../../api";
import type { Connector } from "./fields";

export const CONNECTORS: Readonly<Record<Connector, string>> = {
  postgresql: "PostgreSQL",
  mysql: "MySQL, MariaDB",
  sqlite: "SQLite",
  files: "Files",
  delta: "Delta Lake table",
  rest: "REST API",
  jdbc: "JDBC, read by Spark alone",
};

/** Kinds that can be added here; a database by its driver is declared in a file. */
export const ADDED_HERE: readonly Connector[] = ["postgresql", "mysql", "sqlite", "files", "delta", "rest"];

export function connectorName(word: string): string {
  return (CONNECTORS as Readonly<Record<string, string>>)[word] ?? word;
}

/** "customers.email: string → bigint" */
export function changeInWords({ table, column, change, before, after }: SourceChangeView): string {
  const name = column === null ? table : `${table}.${column}`;
  if (change === "retyped") return `${name} was ${before ?? "?"} and is ${after ?? "?"}`;
  return `${name} ${change === "added" ? "is new" : "is gone"}`;
}

export const MASKS: Readonly<Record<MaskRule["as"], string>> = { null: "nothing (NULL)", hash: "a hash", partial: "its last letters", year: "the year" };

function audienceInWords({ for: only, except }: { for?: string[] | null; except?: string[] | null }): string {
  if (only != null && only.length > 0) return `for ${only.join(", ")}`;
  return except != null && except.length > 0 ? `for all but ${except.join(", ")}` : "for everyone";
}

/** "customers.email reads as a hash, for all but owners" */
export function maskInWords(mask: MaskRule): string {
  return `${mask.column} reads as ${MASKS[mask.as]}, ${audienceInWords(mask)}`;
}

export function rowsInWords(rule: RowRule): string {
  return `${rule.table} where ${rule.filter}, ${audienceInWords(rule)}`;
}

const ORIGINS: Readonly<Record<DeclaredSourceView["origin"], string>> = { file: "a file of the project", command: "forge source add", http: "this page or a request" };

export function originInWords(source: Pick<DeclaredSourceView, "origin" | "where">): string {
  return source.where === null ? ORIGINS[source.origin] : source.where;
}

/** A source is changed where it was made. */
export function changedHere({ origin }: Pick<DeclaredSourceView, "origin">): boolean {
  return origin === "http";
}

/** What stands before the names of those that use a source. */
export const usersInWords = { virtual_table: "Virtual tables over it:", load: "Loaded into:", saved_query: "Saved queries:" } as const;

/** A virtual table in words, and its fields in a form. */
import type { VirtualSourceWire, VirtualTableDetail, VirtualTableDraftView, VirtualTablePatch, VirtualTableView } from "../../api";
import { duration } from "../../format/numbers";

const LAKE = "lake";

/** As a query names it: core.orders, crm.public.customers. */
export function relationOf({ connector_id, database_name, schema_name, table_name }: VirtualSourceWire): string {
  return [connector_id === LAKE ? "" : connector_id, database_name, schema_name, table_name].filter((part) => part !== "").join(".");
}

export function cacheInWords({ cache_enabled, cache_ttl_seconds }: Pick<VirtualTableView, "cache_enabled" | "cache_ttl_seconds">): string {
  return cache_enabled ? `kept up to ${duration(cache_ttl_seconds)}` : "never kept";
}

/** `readers` is null for who may only read. */
export function readersInWords({ readers }: Pick<VirtualTableView, "readers">): string {
  if (readers === null) return "told to tokens that may write";
  return readers.length === 0 ? "whoever may read its sources" : readers.join(", ");
}

export function originInWords({ origin, where }: Pick<VirtualTableView, "origin" | "where">): string {
  return where ?? { file: "a file of the project", command: "forge vtable", http: "this app, or a request" }[origin];
}

/** What must be typed or written to change one that is not changed here; null: it is. */
export function changedElsewhere({ name, origin, where }: Pick<VirtualTableView, "name" | "origin" | "where">): string | null {
  if (origin === "http") return null;
  return origin === "file" ? `It is declared in ${where ?? "a file of the project"}: change it there.` : `It was created by a command: \`forge vtable edit ${name}\` changes it.`;
}

/** Virtual tables that read a source of this name, or the virtual table itself. */
export function readBy(tables: readonly VirtualTableView[], connector: string, table?: string): string[] {
  const meant = (one: VirtualSourceWire): boolean => one.connector_id.toLowerCase() === connector.toLowerCase() && (table === undefined || one.table_name.toLowerCase() === table.toLowerCase());
  return tables.filter(({ sources }) => sources?.some(meant) === true).map(({ name }) => name);
}

export interface VirtualFields {
  description: string;
  cached: boolean;
  seconds: string;
  readers: string[];
  hidden: string[];
  /** One in each line. */
  filters: string;
}

export function fieldsOf(table: VirtualTableDetail): VirtualFields {
  const { description, cache_enabled, cache_ttl_seconds, readers, hidden, default_filters } = table;
  return { description, cached: cache_enabled, seconds: String(cache_ttl_seconds), readers: readers ?? [], hidden: hidden ?? [], filters: (default_filters ?? []).join("\n") };
}

const bodyOf = (fields: VirtualFields) => ({
  description: fields.description.trim(),
  cache_enabled: fields.cached,
  cache_ttl_seconds: Number(fields.seconds),
  readers: fields.readers,
  hidden: fields.hidden,
  default_filters: fields.filters.split("\n").map((line) => line.trim()).filter((line) => line !== ""),
});

/** What differs from what was read: what is left out stays as it is. */
export function patchOf(fields: VirtualFields, before: VirtualTableDetail): VirtualTablePatch {
  const then: Record<string, unknown> = bodyOf(fieldsOf(before));
  const changed = Object.entries(bodyOf(fields)).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(then[key]));
  return { expected_version: before.version, ...Object.fromEntries(changed) };
}

export function faultOfSeconds(text: string): string | null {
  return /^\d{1,8}$/.test(text.trim()) && Number(text) <= 366 * 86_400 ? null : "Whole seconds, at most a year";
}

/** Another SELECT for one that is there. What SQL does not say of a column stays as it was. */
export function replacing(draft: VirtualTableDraftView, before: VirtualTableDetail): VirtualTablePatch {
  const never = new Set(before.columns?.filter(({ nullable }) => !nullable).map(({ name }) => name.toLowerCase()));
  const columns = draft.columns.map((one) => ({ ...one, nullable: !never.has(one.name.toLowerCase()) }));
  return { expected_version: before.version, ...draft, columns };
}

export function faultOfName(name: string): string | null {
  return /^[A-Za-z_]\w{0,127}$/.test(name) ? null : "Letters, digits and underscores; queries say virtual.name";
}

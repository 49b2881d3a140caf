/** An incident in sentences. Pure, so that the words can be tested. */
import type { GraphView, IncidentView, KeptView, SparedView } from "../../api";
import { splitColumn } from "../../format/names";
import { day, plural } from "../../format/numbers";

/** `core.orders.amount`, or the table where the whole of it is meant. */
export function subjectOf(incident: IncidentView): string {
  return incident.column === null ? incident.table : `${incident.table}.${incident.column}`;
}

/** What the check saw, without the column it begins with: the headline names it already. */
export function sawOf(message: string, column: string | null): string {
  const prefix = column === null ? "" : `${column}: `;
  return prefix !== "" && message.startsWith(prefix) ? message.slice(prefix.length) : message;
}

/** "main still has core.orders version 9 of 14 Nov": the one table the incident is about comes first. */
export function keptOf(incident: IncidentView): KeptView | undefined {
  return incident.kept.find((kept) => kept.table === incident.table) ?? incident.kept[0];
}

export function keptWords(kept: KeptView): string {
  return kept.time === null ? `version ${kept.version}` : `version ${kept.version} of ${day(kept.time)}`;
}

export interface SparedOwner {
  owner: string | null;
  columns: SparedView[];
}

/** Who would have been hit, one entry per owner, in the order of the columns. */
export function sparedByOwner(spared: readonly SparedView[]): SparedOwner[] {
  const owners = new Map<string | null, SparedView[]>();
  for (const one of spared) owners.set(one.owner, [...(owners.get(one.owner) ?? []), one]);
  return [...owners].map(([owner, columns]) => ({ owner, columns }));
}

/** A few of the values that failed: "25547.98, 13398.00". */
export function examplesOf(incident: IncidentView, most = 4): string[] {
  const { column } = incident;
  if (column === null) return [];
  return incident.sample
    .map((row) => row[column])
    .filter((value): value is string | number => typeof value === "string" || typeof value === "number")
    .slice(0, most)
    .map(String);
}

/** "Readers of core.orders and 3 more tables": those of what was held back, not all. */
export function readersOf(incident: Pick<IncidentView, "table" | "held_back">): string {
  const others = incident.held_back.filter((table) => table !== incident.table).length;
  return `Readers of ${incident.table}${others === 0 ? "" : ` and ${plural(others, "more table")}`}`;
}

/** The table that the same run published with the bad rows in it, where there is one. */
export function deliveredIn(incident: IncidentView): string | null {
  const { origin, origin_commit: commit } = incident;
  if (origin === null || commit?.run_id !== incident.run_id) return null;
  const names = [origin, splitColumn(origin).table];
  return commit.tables.find((change) => names.includes(change.table))?.table ?? null;
}

/** Views on the way from where it came in to what failed: they store nothing and show the rows as they are. */
export function viewsBetween(picture: GraphView | null, incident: IncidentView): string[] {
  if (picture === null || incident.origin === null) return [];
  const after = reached(picture, incident.origin, "source", "target");
  const before = reached(picture, subjectOf(incident), "target", "source");
  const between = [...after].filter((name) => before.has(name));
  const tables = new Set(between.flatMap((name) => [name, splitColumn(name).table]));
  return picture.nodes.filter((node) => node.type === "view" && tables.has(node.qualified_name)).map((node) => node.qualified_name);
}

function reached({ edges }: GraphView, from: string, near: "source" | "target", far: "source" | "target"): Set<string> {
  const found = new Set([from]);
  // A set is walked in the order it grows.
  for (const name of found) for (const edge of edges) if (edge[near] === name) found.add(edge[far]);
  return found;
}

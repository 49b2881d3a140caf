/** An incident in sentences. Pure, so that the words can be tested. */
import type { IncidentView, KeptView, SparedView } from "../api";
import { day } from "../parts/formats";

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

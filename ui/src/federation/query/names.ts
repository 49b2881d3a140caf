/** Names for completion, asked of the server when they are wanted and kept for a while. */
import type { QueryClient } from "@tanstack/react-query";

import { assetQuery } from "../../api";
import { declaredSourcesQuery, lakeTablesQuery, sourceTablesQuery } from "../../api/federation";
import { virtualTablesQuery } from "../../api/virtualTables";
import { HEAD } from "../../format/refs";
import { meantBy, partsIn, placeAt, relationsIn, type Named } from "./complete";
import { writtenName } from "./lex";

export interface Offer {
  label: string;
  /** What is written; the label, where nothing else is said. */
  written: string;
  kind: "source" | "schema" | "table" | "column" | "alias";
  about: string;
  /** It is not the end of a name: a dot follows. */
  goesOn: boolean;
}

export interface Offers {
  from: number;
  offers: Offer[];
}

const offer = (label: string, kind: Offer["kind"], about: string, goesOn = false): Offer => ({ label, written: label.split(".").map(writtenName).join("."), kind, about, goesOn });

/** What could stand at the place, or null. What the server does not answer is left out: nothing breaks while one types. */
export async function offersAt(queries: QueryClient, sql: string, position: number, at: string | undefined): Promise<Offers | null> {
  const place = placeAt(sql, position);
  if (place === null) return null;
  const names = new Names(queries, at);
  const offers = place.wanted === "relation" ? await names.relations(place.path, sql) : await names.columns(place.path, sql, sql.slice(place.from, position));
  return offers.length === 0 ? null : { from: place.from, offers };
}

/** Where queries find virtual tables. */
const VIRTUAL = "virtual";

class Names {
  constructor(
    private readonly queries: QueryClient,
    private readonly at: string | undefined,
  ) {}

  async relations(path: readonly string[], sql: string): Promise<Offer[]> {
    const [sources, lake, virtual] = await Promise.all([this.sources(), this.lake(), this.virtual()]);
    const [first] = path;
    if (first === undefined) {
      return [
        ...partsIn(sql).map((name) => offer(name, "alias", "WITH")),
        ...virtual.map(({ name }) => offer(`${VIRTUAL}.${name}`, "table", "virtual table")),
        ...sources.map(({ name, connector }) => offer(name, "source", connector, true)),
        ...[...new Set(lake.map((name) => name.split(".")[0] ?? name))].map((name) => offer(name, "schema", "lake", true)),
        ...lake.map((name) => offer(name, "table", "lake")),
      ];
    }
    if (first.toLowerCase() === VIRTUAL) return path.length > 1 ? [] : virtual.map(({ name }) => offer(name, "table", "virtual table"));
    if (sources.some(({ name }) => name.toLowerCase() === first.toLowerCase())) {
      const inside = path.slice(1).join(".");
      const tables = (await this.tables(first)).map(({ table }) => table);
      return tables.flatMap((table) => (inside === "" ? [offer(table, "table", first)] : table.startsWith(`${inside}.`) ? [offer(table.slice(inside.length + 1), "table", first)] : []));
    }
    const prefix = `${path.join(".").toLowerCase()}.`;
    return lake.flatMap((name) => (name.toLowerCase().startsWith(prefix) ? [offer(name.slice(prefix.length), "table", "lake")] : []));
  }

  async columns(path: readonly string[], sql: string, typed: string): Promise<Offer[]> {
    // The name under the cursor is no relation yet.
    const relations = relationsIn(sql);
    if (path.length > 0) {
      const meant = meantBy(path, relations);
      if (meant !== undefined) return this.columnsOf(meant);
      return this.relations(path, sql);
    }
    const found = await Promise.all(relations.map((one) => this.columnsOf(one)));
    const many = relations.length > 1;
    const aliases = relations.flatMap(({ alias, path: whole }) => (alias === null ? [] : [offer(alias, "alias", whole.join("."), true)]));
    const all = found.flat().map((one, _, every) => (many && every.filter(({ label }) => label === one.label).length > 1 ? { ...one, about: `${one.about} · in several tables` } : one));
    return [...new Map(all.map((one) => [one.label, one])).values(), ...aliases].filter(({ label }) => label !== typed);
  }

  private async columnsOf({ path, alias }: Named): Promise<Offer[]> {
    const about = alias ?? path.at(-1) ?? "";
    const [first = ""] = path;
    const sources = await this.sources();
    if (sources.some(({ name }) => name.toLowerCase() === first.toLowerCase())) {
      const wanted = path.slice(1).join(".").toLowerCase();
      const table = (await this.tables(first)).find((one) => one.table.toLowerCase() === wanted || one.table.toLowerCase().endsWith(`.${wanted}`));
      return (table?.columns ?? []).map(({ name, type }) => offer(name, "column", `${type} · ${about}`)).map(whole);
    }
    const name = path.join(".");
    const made = first.toLowerCase() === VIRTUAL ? (await this.virtual()).find((one) => `${VIRTUAL}.${one.name}`.toLowerCase() === name.toLowerCase()) : undefined;
    if (made !== undefined) return (made.columns ?? []).map((column) => whole(offer(column.name, "column", about)));
    const known = (await this.lake()).find((one) => one.toLowerCase() === name.toLowerCase());
    if (known === undefined) return [];
    const asset = await quietly(this.queries.query({ ...assetQuery(known, this.at ?? HEAD), staleTime: 30_000, retry: false }));
    return (asset?.schema ?? []).map((column) => offer(column.name, "column", `${column.type} · ${about}`)).map(whole);
  }

  private async sources() {
    return (await quietly(this.queries.query({ ...declaredSourcesQuery(), staleTime: 30_000, retry: false })))?.items.filter((one) => one.may_read) ?? [];
  }

  private async virtual() {
    return (await quietly(this.queries.query({ ...virtualTablesQuery(), retry: false })))?.items.filter((one) => one.may_read) ?? [];
  }

  private async tables(source: string) {
    return (await quietly(this.queries.query({ ...sourceTablesQuery(source), retry: false }))) ?? [];
  }

  private async lake() {
    return (await quietly(this.queries.query({ ...lakeTablesQuery(this.at ?? HEAD), retry: false }))) ?? [];
  }
}

/** A column's name may have a dot in it. */
function whole(one: Offer): Offer {
  return { ...one, written: writtenName(one.label) };
}

async function quietly<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch {
    return undefined;
  }
}

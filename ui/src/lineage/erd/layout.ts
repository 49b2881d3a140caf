/** Where each table of an ERD stands, and how the lines run. Computed: the same tables always look the same. */
import type { ErdColumnView, ErdTableView } from "../../api";
import { lookOf, relationId, type Relation } from "./words";

export const HEAD = 40;
export const ROW = 26;
const WIDTH = 236;
const GAP_X = 84;
const GAP_Y = 22;
const EDGE = 28;
const NARROW = 620;
const FEW = 8;
const ABREAST = 4;

export interface ErdCard {
  table: ErdTableView;
  /** Those that are shown: keys and what is joined come first. */
  columns: ErdColumnView[];
  more: number;
  /** Whether its columns can be opened or closed. */
  foot: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface ErdLine {
  id: string;
  relation: Relation;
  look: "declared" | "inferred" | "flow";
  path: string;
}

export interface ErdPicture {
  cards: ErdCard[];
  lines: ErdLine[];
  width: number;
  height: number;
}

/** In the room that there is: one below the other where it is narrow. */
export function layOutErd(tables: readonly ErdTableView[], relations: readonly Relation[], room: number, open: readonly string[] = []): ErdPicture {
  const narrow = room < NARROW;
  const width = narrow ? Math.max(180, Math.min(WIDTH * 1.4, room - 2 * EDGE)) : WIDTH;
  const cards = new Map(tables.map((table) => [table.name, cardOf(table, relations, open.includes(table.name), width)]));
  const drawn = relations.filter((one) => cards.has(one.source) && cards.has(one.target) && one.source !== one.target);
  const columns = narrow ? [inOrder(cards, drawn).flat()] : abreast(inOrder(cards, drawn), alone(cards, drawn));
  if (narrow) columns[0]?.push(...alone(cards, drawn));
  let height = 0;
  for (const [index, column] of columns.entries()) {
    let y = EDGE / 2;
    for (const card of column) {
      card.x = EDGE + index * (width + GAP_X);
      card.y = y;
      y += card.height + GAP_Y;
    }
    height = Math.max(height, y);
  }
  const lines = drawn.map((relation) => ({ id: relationId(relation), relation, look: lookOf(relation), path: pathOf(relation, cards) }));
  return { cards: [...cards.values()], lines, width: Math.max(0, columns.length * (width + GAP_X) - GAP_X + 2 * EDGE), height };
}

function cardOf(table: ErdTableView, relations: readonly Relation[], open: boolean, width: number): ErdCard {
  const joined = new Set(relations.flatMap((one) => endsAt(one, table.name)));
  const matters = (column: ErdColumnView): boolean => column.primary_key || column.foreign_key || joined.has(column.name);
  const sorted = [...table.columns.filter(matters), ...table.columns.filter((column) => !matters(column))];
  const least = Math.max(FEW, sorted.filter(matters).length);
  const columns = open ? [...table.columns] : sorted.slice(0, least);
  const more = sorted.length - columns.length;
  const foot = sorted.length > least;
  return { table, columns, more, foot, x: 0, y: 0, width, height: HEAD + columns.length * ROW + (foot ? ROW : 0) + 4 };
}

function endsAt(relation: Relation, table: string): string[] {
  if (relation.type === "lineage") return [];
  return [...(relation.source === table ? relation.source_columns : []), ...(relation.target === table ? relation.target_columns : [])];
}

/** What is pointed at stands left of what points at it, what data comes from left of what it goes to. A circle is cut where
 * one comes back to it. */
function inOrder(cards: ReadonlyMap<string, ErdCard>, relations: readonly Relation[]): ErdCard[][] {
  const before = new Map<string, Set<string>>();
  const near = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, key: string, value: string): void => void map.set(key, (map.get(key) ?? new Set()).add(value));
  for (const relation of relations) {
    const [first, then] = relation.type === "lineage" ? [relation.source, relation.target] : [relation.target, relation.source];
    add(before, then, first);
    add(near, then, first);
    add(near, first, then);
  }
  const layers = new Map<string, number>();
  const open = new Set<string>();
  const layer = (name: string): number => {
    const known = layers.get(name);
    if (known !== undefined || open.has(name)) return known ?? -1;
    open.add(name);
    const found = [...(before.get(name) ?? [])].reduce((most, one) => Math.max(most, layer(one) + 1), 0);
    open.delete(name);
    layers.set(name, found);
    return found;
  };
  const columns: ErdCard[][] = [];
  for (const [name, card] of cards) if (near.has(name)) (columns[layer(name)] ??= []).push(card);
  return untangled(columns.filter((column) => column.length > 0), near);
}

const SWEEPS = 4;

/** Each column in the order of what its tables are tied to. */
function untangled(columns: ErdCard[][], near: ReadonlyMap<string, ReadonlySet<string>>): ErdCard[][] {
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    for (const column of sweep % 2 === 0 ? columns : columns.toReversed()) {
      const place = new Map(columns.flatMap((one) => one.map((card, index) => [card.table.name, (index + 0.5) / one.length] as const)));
      const middle = ({ table }: ErdCard): number => {
        const others = [...(near.get(table.name) ?? [])].map((one) => place.get(one) ?? 0.5);
        return others.reduce((sum, one) => sum + one, 0) / Math.max(1, others.length);
      };
      column.sort((one, other) => middle(one) - middle(other) || one.table.name.localeCompare(other.table.name));
    }
  }
  return columns;
}

function alone(cards: ReadonlyMap<string, ErdCard>, relations: readonly Relation[]): ErdCard[] {
  const tied = new Set(relations.flatMap(({ source, target }) => [source, target]));
  return [...cards.values()].filter(({ table }) => !tied.has(table.name));
}

/** Tables without a relation go where there is room: to the end of the shortest column. */
function abreast(columns: ErdCard[][], rest: readonly ErdCard[]): ErdCard[][] {
  const found = [...columns];
  while (found.length < Math.min(ABREAST, columns.length + rest.length)) found.push([]);
  const high = found.map((column) => column.reduce((sum, card) => sum + card.height + GAP_Y, 0));
  for (const card of rest) {
    const shortest = high.indexOf(Math.min(...high));
    found[shortest]?.push(card);
    high[shortest] = (high[shortest] ?? 0) + card.height + GAP_Y;
  }
  return found;
}

/** At the row of the first column that is joined by, else at the name of the table. */
function heightAt(card: ErdCard, columns: readonly string[]): number {
  const row = card.columns.findIndex((column) => column.name === columns[0]);
  return card.y + (row < 0 ? HEAD / 2 : HEAD + row * ROW + ROW / 2);
}

function pathOf(relation: Relation, cards: ReadonlyMap<string, ErdCard>): string {
  const source = cards.get(relation.source);
  const target = cards.get(relation.target);
  if (source === undefined || target === undefined) return "";
  const [mine, theirs] = relation.type === "lineage" ? [[], []] : [relation.source_columns, relation.target_columns];
  const from = heightAt(source, mine);
  const to = heightAt(target, theirs);
  if (source.x === target.x) {
    const out = Math.min(EDGE - 4, 12 + Math.abs(to - from) / 20);
    return `M ${source.x} ${from} C ${source.x - out} ${from}, ${target.x - out} ${to}, ${target.x} ${to}`;
  }
  const right = target.x > source.x;
  const start = right ? source.x + source.width : source.x;
  const end = right ? target.x : target.x + target.width;
  const middle = (start + end) / 2;
  return `M ${start} ${from} C ${middle} ${from}, ${middle} ${to}, ${end} ${to}`;
}

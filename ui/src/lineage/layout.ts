/** Where each table and column of a lineage picture stands. Layers come from the server; nothing is guessed by physics. */
import type { EdgeView, GraphView, NodeView } from "../api";

const NARROWEST = 164;
const WIDEST = 232;
export const HEAD_HEIGHT = 44;
export const ROW_HEIGHT = 28;
export const FOOT_HEIGHT = 28;
const GAP_X = 36;
const GAP_Y = 20;
const LANE_HEIGHT = 8;
const ARC_SPACE = 56;
export const PAD = 16;

export interface PictureColumn {
  id: string;
  name: string;
  dataType: string;
  pii: boolean;
  failing: boolean;
  /** False of those that were only opened by "+ 11 more". */
  touched: boolean;
}

export interface Card {
  id: string;
  table: string;
  /** `orders` of `core.orders`, `data/orders/*.csv` of `files:data/orders/*.csv`; the rest is `place`. */
  name: string;
  place: string;
  owner: string | null;
  kind: string;
  external: boolean;
  layer: number;
  columns: PictureColumn[];
  /** Columns the table has beside those shown; null: not known. */
  more: number | null;
  opened: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Link extends EdgeView {
  sourceCard: string;
  targetCard: string;
  /** Where the edge passes layers that it skips, so that it never runs behind a card. */
  lanes: Lane[];
}

export interface Lane {
  x: number;
  y: number;
  width: number;
}

export interface Picture {
  cards: Card[];
  links: Link[];
  width: number;
  height: number;
  vertical: boolean;
}

/** Columns of a table that was opened, as the catalog tells them. */
export type Opened = ReadonlyMap<string, readonly { name: string; type: string; pii: boolean; failing: boolean }[]>;

function textOf(node: NodeView, key: string): string | null {
  const value = node.attributes[key];
  return typeof value === "string" ? value : null;
}

function numberOf(node: NodeView, key: string): number | null {
  const value = node.attributes[key];
  return typeof value === "number" ? value : null;
}

function tableOfColumn(node: NodeView): string {
  return textOf(node, "table") ?? node.qualified_name.slice(0, node.qualified_name.lastIndexOf("."));
}

function isColumn(node: NodeView): boolean {
  return node.type === "column";
}

/** Cards without a place yet: tables with their touched columns, and those opened by hand. */
function makeCards(graph: GraphView, opened: Opened): Map<string, Card> {
  const cards = new Map<string, Card>();
  for (const node of graph.nodes.filter((one) => !isColumn(one))) cards.set(node.qualified_name, emptyCard(node));
  for (const node of graph.nodes.filter(isColumn)) {
    const table = tableOfColumn(node);
    const card = cards.get(table) ?? emptyCard({ ...node, type: "table", qualified_name: table, name: table, attributes: {} });
    cards.set(table, card);
    card.columns.push({
      id: node.qualified_name,
      name: node.name,
      dataType: textOf(node, "data_type") ?? "",
      pii: node.attributes.pii === true,
      failing: node.attributes.failing === true,
      touched: true,
    });
  }
  for (const node of graph.nodes.filter((one) => !isColumn(one))) {
    const card = cards.get(node.qualified_name);
    const total = numberOf(node, "columns");
    if (card !== undefined && total !== null) card.more = Math.max(0, total - card.columns.length);
  }
  for (const [table, columns] of opened) openCard(cards.get(table), columns);
  return cards;
}

function emptyCard(node: NodeView): Card {
  return {
    id: node.qualified_name,
    table: node.qualified_name,
    ...splitName(node.qualified_name),
    owner: textOf(node, "owner"),
    kind: textOf(node, "kind") ?? node.type,
    external: node.attributes.external === true || node.type === "external",
    layer: numberOf(node, "layer") ?? -1,
    columns: [],
    more: null,
    opened: false,
    x: 0,
    y: 0,
    width: NARROWEST,
    height: 0,
  };
}

function splitName(qualified: string): { place: string; name: string } {
  const colon = qualified.indexOf(":");
  const cut = colon >= 0 ? colon : qualified.lastIndexOf(".");
  return { place: qualified.slice(0, Math.max(cut, 0)), name: qualified.slice(cut + 1) };
}

function openCard(card: Card | undefined, columns: Opened extends ReadonlyMap<string, infer C> ? C : never): void {
  if (card === undefined) return;
  const known = new Set(card.columns.map((column) => column.name));
  for (const column of columns) {
    if (known.has(column.name)) continue;
    const { name, type, pii, failing } = column;
    card.columns.push({ id: `${card.table}.${name}`, name, dataType: type, pii, failing, touched: false });
  }
  card.opened = true;
  card.more = 0;
}

function makeLinks(graph: GraphView, cards: ReadonlyMap<string, Card>): Link[] {
  const cardOf = new Map<string, string>();
  const nameOf = new Map(graph.nodes.map((node) => [node.id, node.qualified_name]));
  for (const card of cards.values()) {
    cardOf.set(card.table, card.table);
    for (const column of card.columns) cardOf.set(column.id, card.table);
  }
  return graph.edges.flatMap((edge) => {
    const source = nameOf.get(edge.source) ?? edge.source;
    const target = nameOf.get(edge.target) ?? edge.target;
    const sourceCard = cardOf.get(source);
    const targetCard = cardOf.get(target);
    return sourceCard === undefined || targetCard === undefined
      ? []
      : [{ ...edge, source, target, sourceCard, targetCard, lanes: [] }];
  });
}

/** Where the server gave no layer: the longest way from a table without inputs. A circle ends the walk. */
function fillLayers(cards: ReadonlyMap<string, Card>, links: readonly Link[]): void {
  const walk = (card: Card, path: ReadonlySet<string>): number => {
    if (card.layer >= 0) return card.layer;
    const inputs = links
      .filter((link) => link.targetCard === card.id && link.sourceCard !== card.id && !path.has(link.sourceCard))
      .flatMap((link) => cards.get(link.sourceCard) ?? []);
    return inputs.reduce((most, input) => Math.max(most, walk(input, new Set([...path, card.id])) + 1), 0);
  };
  const found = [...cards.values()].map((card) => [card, walk(card, new Set())] as const);
  for (const [card, layer] of found) card.layer = layer;
  const used = [...new Set(found.map(([, layer]) => layer))].sort((a, b) => a - b);
  // Layers that hold nothing in this picture would only be holes in it.
  for (const card of cards.values()) card.layer = used.indexOf(card.layer);
}

function heightOf(card: Card): number {
  const foot = card.more !== 0 || card.opened ? FOOT_HEIGHT : 8;
  return HEAD_HEIGHT + card.columns.length * ROW_HEIGHT + foot;
}

/** What takes room in a layer: a card, or the way of an edge that passes. */
interface Slot {
  height: number;
  card?: Card;
  lane?: Lane;
  from: string[];
}

/** The cards of each layer in their order, and between them a lane for every edge that goes on to a later layer. */
function slotsOf(layers: readonly Card[][], links: readonly Link[]): Slot[][] {
  const slots = layers.map((layer) =>
    layer.map((card): Slot => ({
      height: card.height,
      card,
      from: links.filter((link) => link.targetCard === card.id).map((link) => link.sourceCard),
    })),
  );
  const layerOf = new Map(layers.flatMap((layer, index) => layer.map((card) => [card.id, index] as const)));
  for (const link of links) {
    const first = (layerOf.get(link.sourceCard) ?? 0) + 1;
    const last = layerOf.get(link.targetCard) ?? 0;
    for (let index = first; index < last; index += 1) {
      const lane: Lane = { x: 0, y: 0, width: 0 };
      link.lanes.push(lane);
      slots[index]?.push({ height: LANE_HEIGHT, lane, from: [link.sourceCard] });
    }
  }
  return slots;
}

/** A layer that edges pass is ordered by where things come from; any other keeps the order that the server gave. */
function sortSlots(slots: readonly Slot[][], layers: readonly Card[][]): void {
  const place = new Map(
    layers.flatMap((layer) => layer.map((card, index) => [card.id, index / Math.max(layer.length - 1, 1)] as const)),
  );
  const middle = (slot: Slot): number => {
    const places = slot.from.map((id) => place.get(id) ?? 0);
    return places.length === 0 ? 0.5 : places.reduce((sum, one) => sum + one, 0) / places.length;
  };
  for (const layer of slots) if (layer.some((slot) => slot.lane !== undefined)) layer.sort((a, b) => middle(a) - middle(b));
}

/** Side by side. Cards are as wide as the room allows, within what is readable. */
function placeInLayers(layers: readonly Card[][], links: readonly Link[], room: number): { width: number; height: number } {
  const fitting = (room - GAP_X * (layers.length - 1)) / Math.max(layers.length, 1);
  const width = Math.round(Math.min(WIDEST, Math.max(NARROWEST, fitting)));
  const slots = slotsOf(layers, links);
  sortSlots(slots, layers);
  const heights = slots.map((layer) => layer.reduce((sum, slot) => sum + slot.height, GAP_Y * (layer.length - 1)));
  const height = Math.max(0, ...heights);
  slots.forEach((layer, index) => {
    const x = index * (width + GAP_X);
    let y = (height - (heights[index] ?? 0)) / 2;
    for (const { card, lane, height: taken } of layer) {
      if (card !== undefined) Object.assign(card, { x, y, width });
      if (lane !== undefined) Object.assign(lane, { x, y: y + taken / 2, width });
      y += taken + GAP_Y;
    }
  });
  return { width: layers.length * (width + GAP_X) - GAP_X, height };
}

/** On a narrow screen: one card below the other, edges as arcs at the left. */
function placeInColumn(layers: readonly Card[][], width: number): { width: number; height: number } {
  let y = 0;
  for (const card of layers.flat()) {
    card.x = ARC_SPACE;
    card.y = y;
    card.width = Math.min(320, width - ARC_SPACE);
    y += card.height + GAP_Y;
  }
  return { width, height: Math.max(0, y - GAP_Y) };
}

/** The whole picture. `width` is what there is; below `narrow` pixels cards stand below each other. */
export function layOut(graph: GraphView, opened: Opened = new Map(), width = 1000, narrow = 620): Picture {
  const cards = makeCards(graph, opened);
  const links = makeLinks(graph, cards);
  fillLayers(cards, links);
  const order = new Map(graph.nodes.map((node, index) => [node.qualified_name, numberOf(node, "order") ?? index]));
  const sorted = [...cards.values()].sort(
    (a, b) => a.layer - b.layer || (order.get(a.table) ?? 0) - (order.get(b.table) ?? 0) || a.table.localeCompare(b.table),
  );
  for (const card of sorted) card.height = heightOf(card);
  const layers: Card[][] = [];
  for (const card of sorted) (layers[card.layer] ??= []).push(card);
  const vertical = width < narrow;
  const room = width - 2 * PAD;
  const size = vertical ? placeInColumn(layers, room) : placeInLayers(layers, links, room);
  return { cards: sorted, links, ...size, vertical };
}

/** All that `start` comes from (or goes to), itself included. */
export function reach(links: readonly Link[], start: string, direction: "up" | "down"): Set<string> {
  const found = new Set([start]);
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const link of links) {
      const [from, to] = direction === "down" ? [link.source, link.target] : [link.target, link.source];
      if (from === at && !found.has(to)) {
        found.add(to);
        open.push(to);
      }
    }
  }
  return found;
}

/** How much the picture must shrink to fit; it never grows. */
export function zoomFor(picture: Picture, width: number): number {
  return Math.min(1, Math.max(0.3, (width - 2 * PAD) / Math.max(picture.width, 1)));
}

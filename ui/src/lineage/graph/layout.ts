/** Where each table and column of a lineage picture stands: computed, so that the picture, its export and its table agree. */
import type { GraphView } from "../../api";
import { NO_CHOICE, type Choice } from "./choice";
import { orderLayers, setLayers, type Slot } from "./layers";
import { sceneOf, type Card, type Lane, type Link, type Opened } from "./scene";

export type { Card, Lane, Link, Opened, PictureColumn } from "./scene";

const NARROWEST = 172;
const WIDEST = 232;
export const HEAD_HEIGHT = 44;
export const ROW_HEIGHT = 28;
export const FOOT_HEIGHT = 28;
const NARROW_GAP = 40;
const WIDE_GAP = 104;
const GAP_Y = 20;
const LANE_HEIGHT = 12;
const MOST_ROWS = 14;
const ARC_SPACE = 56;
const NARROW = 620;
export const PAD = 16;

export interface Picture {
  cards: Card[];
  links: Link[];
  width: number;
  height: number;
  vertical: boolean;
  focus: string | undefined;
  /** Tables of the graph that are not shown. */
  left: number;
}

/** The rows below the columns: "+ 11 more", "4 hidden upstream", "12 hidden downstream". */
export function feetOf(card: Card): ("columns" | "up" | "down")[] {
  const feet: ("columns" | "up" | "down")[] = [];
  if (hasColumnsFoot(card)) feet.push("columns");
  if (card.up.hidden > 0) feet.push("up");
  if (card.down.hidden > 0) feet.push("down");
  return feet;
}

function hasColumnsFoot(card: Card): boolean {
  if (card.state === "all") return true;
  if (card.state === "none") return (card.more ?? 0) > 0;
  return card.more === null ? card.isData && card.columns.length > 0 : card.more > 0;
}

function heightOf(card: Card): number {
  const feet = feetOf(card).length;
  const end = feet > 0 ? feet * FOOT_HEIGHT : card.columns.length > 0 ? 6 : 0;
  return HEAD_HEIGHT + card.columns.length * ROW_HEIGHT + end;
}

/** One layer of cards. A long one stands in several columns, else three hundred tables would be a ribbon. */
interface Block {
  lanes: Lane[];
  /** Row by row. */
  rows: Card[][];
  columns: number;
  height: number;
}

function blockOf(layer: readonly Slot[]): Block {
  const cards = layer.flatMap((slot) => slot.card ?? []);
  const columns = Math.max(1, Math.ceil(cards.length / MOST_ROWS));
  const each = Math.ceil(cards.length / columns);
  const rows = Array.from({ length: each }, (_, row) => Array.from({ length: columns }, (_, column) => cards[column * each + row]).filter((card) => card !== undefined));
  const lanes = layer.flatMap((slot) => slot.lane ?? []);
  const taken = columns === 1 ? layer.length : rows.length + lanes.length;
  const height = rows.reduce((sum, row) => sum + tallest(row), lanes.length * LANE_HEIGHT) + GAP_Y * Math.max(0, taken - 1);
  return { lanes, rows, columns, height };
}

function tallest(row: readonly Card[]): number {
  return Math.max(0, ...row.map((card) => card.height));
}

/** Side by side. Cards are as wide as the room allows, within what is readable; what is left goes between them. */
function placeInLayers(layers: readonly Slot[][], links: readonly Link[], room: number): { width: number; height: number } {
  const blocks = layers.map(blockOf);
  const many = Math.max(1, blocks.reduce((sum, block) => sum + block.columns, 0));
  const fitting = (room - NARROW_GAP * (many - 1)) / many;
  const width = Math.round(Math.min(WIDEST, Math.max(NARROWEST, fitting)));
  const spare = many === 1 ? 0 : Math.floor((room - width * many) / (many - 1));
  const gap = Math.min(WIDE_GAP, Math.max(NARROW_GAP, spare));
  const height = Math.max(0, ...blocks.map((block) => block.height));
  let x = 0;
  blocks.forEach((block, index) => {
    const wide = block.columns * (width + NARROW_GAP) - NARROW_GAP;
    const top = (height - block.height) / 2;
    if (block.columns === 1) placeInLine(layers[index] ?? [], x, top, width);
    else placeInGrid(block, links, { x, y: top, width });
    x += wide + gap;
  });
  return { width: Math.max(0, x - gap), height };
}

function placeInLine(layer: readonly Slot[], x: number, top: number, width: number): void {
  let y = top;
  for (const { card, lane } of layer) {
    if (card !== undefined) Object.assign(card, { x, y, width });
    if (lane !== undefined) Object.assign(lane, { x, y: y + LANE_HEIGHT / 2, width });
    y += (card?.height ?? LANE_HEIGHT) + GAP_Y;
  }
}

/** Edges reach the inner columns between the rows. */
function placeInGrid({ lanes, rows, columns }: Block, links: readonly Link[], at: Lane): void {
  const step = at.width + NARROW_GAP;
  const wide = columns * step - NARROW_GAP;
  let y = at.y;
  for (const lane of lanes) {
    Object.assign(lane, { x: at.x, y: y + LANE_HEIGHT / 2, width: wide });
    y += LANE_HEIGHT + GAP_Y;
  }
  const into = new Map<string, Lane>();
  const out = new Map<string, Lane>();
  for (const row of rows) {
    row.forEach((card, column) => {
      const x = at.x + column * step;
      Object.assign(card, { x, y, width: at.width });
      if (column > 0) into.set(card.id, { x: at.x, y: y - GAP_Y / 2, width: column * step - NARROW_GAP });
      const right = x + at.width + NARROW_GAP / 2;
      if (column < columns - 1) out.set(card.id, { x: right, y: y - GAP_Y / 2, width: at.x + wide - right });
    });
    y += tallest(row) + GAP_Y;
  }
  for (const link of links) {
    const before = out.get(link.sourceCard);
    const after = into.get(link.targetCard);
    if (before !== undefined || after !== undefined) link.lanes = [...(before ? [before] : []), ...link.lanes, ...(after ? [after] : [])];
  }
}

/** On a narrow screen: one card below the other, edges as arcs at the left. */
function placeInColumn(cards: readonly Card[], width: number): { width: number; height: number } {
  let y = 0;
  for (const card of cards) {
    card.x = ARC_SPACE;
    card.y = y;
    card.width = Math.min(320, width - ARC_SPACE);
    y += card.height + GAP_Y;
  }
  return { width, height: Math.max(0, y - GAP_Y) };
}

export interface Wanted {
  choice?: Choice | undefined;
  opened?: Opened | undefined;
  /** What room there is; below `NARROW` pixels cards stand below each other. */
  width?: number | undefined;
}

/** The whole picture. */
export function layOut(graph: GraphView, { choice = NO_CHOICE, opened, width = 1000 }: Wanted = {}): Picture {
  const { cards, links, focus, left } = sceneOf(graph, choice, opened);
  setLayers(cards, links, focus);
  for (const card of cards.values()) card.height = heightOf(card);
  const layers = orderLayers(cards.values(), links);
  const sorted = layers.flatMap((layer) => layer.flatMap((slot) => slot.card ?? []));
  const vertical = width < NARROW;
  const room = width - 2 * PAD;
  const size = vertical ? placeInColumn(sorted, room) : placeInLayers(layers, links, room);
  return { cards: sorted, links, ...size, vertical, focus, left };
}

/** All that `start` comes from (or goes to), itself included. */
export function reach(links: readonly Link[], start: string, direction: "up" | "down"): Set<string> {
  const next = new Map<string, string[]>();
  for (const link of links) {
    const [from, to] = direction === "down" ? [link.source, link.target] : [link.target, link.source];
    next.set(from, [...(next.get(from) ?? []), to]);
  }
  const found = new Set([start]);
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const to of next.get(at) ?? []) {
      if (!found.has(to)) open.push(to);
      found.add(to);
    }
  }
  return found;
}

const READABLE = 0.72;

/** How much the picture must shrink to fit; it never grows, and never shrinks to what nobody can read. */
export function zoomFor(picture: Picture, width: number): number {
  return Math.min(1, Math.max(READABLE, (width - 2 * PAD) / Math.max(picture.width, 1)));
}

/** Where the picture stands in its frame: in the middle where it fits, else with the focus in the middle. */
export function viewOf(picture: Picture, width: number, height: number): { x: number; y: number; zoom: number } {
  if (picture.vertical) return { x: PAD, y: PAD, zoom: 1 };
  const zoom = zoomFor(picture, width);
  const focus = picture.cards.find((card) => card.id === picture.focus);
  const along = (size: number, room: number, middle: number): number => {
    const spare = room - size * zoom;
    return spare >= 2 * PAD ? spare / 2 : Math.min(PAD, Math.max(spare - PAD, room / 2 - middle * zoom));
  };
  const x = along(picture.width, width, focus === undefined ? 0 : focus.x + focus.width / 2);
  const y = along(picture.height, height, focus === undefined ? 0 : focus.y + focus.height / 2);
  return { x, y, zoom };
}

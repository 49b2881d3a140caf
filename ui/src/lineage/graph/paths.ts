/** The lines of a picture. One geometry for the screen and for the export. */
import { feetOf, FOOT_HEIGHT, HEAD_HEIGHT, ROW_HEIGHT, type Card, type Link, type Picture } from "./layout";

export interface Line {
  path: string;
  /** Where its label stands. */
  x: number;
  y: number;
}

interface Point {
  x: number;
  y: number;
}

/** How far below the top of its card an end stands: at its row, at "+ 11 more" where the row is not shown, else at the name. */
function heightWithin(card: Card, end: string): number {
  const row = card.columns.findIndex((column) => column.id === end);
  if (row >= 0) return HEAD_HEIGHT + row * ROW_HEIGHT + ROW_HEIGHT / 2;
  return HEAD_HEIGHT / 2;
}

/** Of the edges of columns that are not shown beside others that are. */
function endOf(card: Card, link: Link, end: string): number {
  const hiddenRow = end === card.id && card.columns.length > 0 && link.edges.some((edge) => edge.source !== card.id && edge.target !== card.id);
  if (hiddenRow && feetOf(card)[0] === "columns") return HEAD_HEIGHT + card.columns.length * ROW_HEIGHT + FOOT_HEIGHT / 2;
  return heightWithin(card, end);
}

function bend(from: Point, to: Point): string {
  const middle = (from.x + to.x) / 2;
  return ` C ${middle} ${from.y}, ${middle} ${to.y}, ${to.x} ${to.y}`;
}

function bezierMiddle(from: Point, to: Point): Point {
  return { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
}

/** From the left side of one card around to the left side of another below it; longer ways bend farther out. */
function arc(from: Point, to: Point): Line {
  const out = Math.min(50, 16 + Math.abs(to.y - from.y) / 14);
  return { path: `M ${from.x} ${from.y} C ${from.x - out} ${from.y}, ${to.x - out} ${to.y}, ${to.x} ${to.y}`, x: Math.min(from.x, to.x) + 60, y: (from.y + to.y) / 2 };
}

/** Back to where it came from, or to a card that stands farther left: out at the right, around, and in from the left. */
function loop(from: Point, to: Point): Line {
  const out = 28;
  const low = Math.max(from.y, to.y) + 34;
  const path = `M ${from.x} ${from.y} C ${from.x + out} ${from.y}, ${from.x + out} ${low}, ${(from.x + to.x) / 2} ${low} S ${to.x - out} ${to.y}, ${to.x} ${to.y}`;
  return { path, x: (from.x + to.x) / 2, y: low };
}

export function lineOf(link: Link, cards: ReadonlyMap<string, Card>, vertical: boolean): Line {
  const source = cards.get(link.sourceCard);
  const target = cards.get(link.targetCard);
  if (source === undefined || target === undefined) return { path: "", x: 0, y: 0 };
  const to = { x: target.x, y: target.y + endOf(target, link, link.target) };
  const from = { x: vertical ? source.x : source.x + source.width, y: source.y + endOf(source, link, link.source) };
  if (vertical) return arc(from, to);
  if (target.layer <= source.layer) return loop(from, to);
  if (link.lanes.length === 0) return { path: `M ${from.x} ${from.y}${bend(from, to)}`, ...bezierMiddle(from, to) };
  let path = `M ${from.x} ${from.y}`;
  let last: Point = from;
  for (const lane of link.lanes) {
    path += `${bend(last, lane)} L ${lane.x + lane.width} ${lane.y}`;
    last = { x: lane.x + lane.width, y: lane.y };
  }
  const middle = link.lanes[Math.floor(link.lanes.length / 2)] ?? { ...from, width: 0 };
  return { path: path + bend(last, to), x: middle.x + middle.width / 2, y: middle.y };
}

export function linesOf(picture: Picture): Map<string, Line> {
  const cards = new Map(picture.cards.map((card) => [card.id, card]));
  return new Map(picture.links.map((link) => [link.id, lineOf(link, cards, picture.vertical)]));
}

const LABEL_HEIGHT = 20;
const LABEL_WIDTH = 64;

/** Lines whose label can stand on them for all to see without lying on another. */
export function labelled(lines: ReadonlyMap<string, Line>, picture: Picture, text: (link: Link) => string): Set<string> {
  const taken: Point[] = [];
  const found = new Set<string>();
  if (picture.vertical) return found;
  for (const link of picture.links) {
    const line = lines.get(link.id);
    const source = picture.cards.find((card) => card.id === link.sourceCard);
    const target = picture.cards.find((card) => card.id === link.targetCard);
    if (line === undefined || source === undefined || target === undefined || text(link) === "" || link.lanes.length > 0) continue;
    if (target.x - source.x - source.width < LABEL_WIDTH) continue;
    if (taken.some((one) => Math.abs(one.x - line.x) < LABEL_WIDTH && Math.abs(one.y - line.y) < LABEL_HEIGHT)) continue;
    taken.push(line);
    found.add(link.id);
  }
  return found;
}

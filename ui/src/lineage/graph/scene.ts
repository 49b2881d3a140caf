/** What a picture shows of a graph: a handful of tables around the focus, of their columns the touched ones, and the
 * edges between them. The rest is counted, and opened on request. */
import type { EdgeView, GraphView, NodeView } from "../../api";
import { nearKey, NO_CHOICE, type Choice, type Columns, type Way } from "./choice";

/** So many tables are readable at once; beyond, cards show their names only. */
export const HANDFUL = 24;
const FAN = 6;
export const HELPING = 12;
const ROWS = 8;
const DATA = new Set(["table", "view", "dataset", "physical", "cte", "dataframe"]);

export interface PictureColumn {
  id: string;
  name: string;
  dataType: string;
  pii: boolean;
  failing: boolean;
  /** False of those that were only opened by "+ 11 more". */
  touched: boolean;
}

/** What is known of the neighbours of a card in one direction. */
export interface Neighbours {
  /** Not in the picture: left out of it, or not asked for yet. */
  hidden: number;
  /** Shown, and shown because of this card. */
  shown: number;
  /** Helpings beyond the usual; 0 where they were hidden by hand. */
  steps: number | undefined;
}

export interface Card {
  id: string;
  table: string;
  /** `orders` of `core.orders`, `data/orders/*.csv` of `files:data/orders/*.csv`; the rest is `place`. */
  name: string;
  place: string;
  owner: string | null;
  /** table, view, dashboard, model, external, … */
  kind: string;
  external: boolean;
  /** It exists only inside a program. */
  inside: boolean;
  /** A table or view of this project: it has a page. */
  isData: boolean;
  /** It has a page of its own. */
  inCatalog: boolean;
  failing: boolean;
  layer: number;
  columns: PictureColumn[];
  /** How many of its columns the graph touches, shown or not. */
  touched: number;
  /** Columns the table has beside those shown; null: not known. */
  more: number | null;
  /** None: the card shows its name only. */
  state: Columns;
  up: Neighbours;
  down: Neighbours;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** One line of the picture: an edge, or all edges between two cards whose columns are not shown. */
export interface Link extends EdgeView {
  sourceCard: string;
  targetCard: string;
  /** The edges it stands for; itself where it is one. */
  edges: EdgeView[];
  /** Where the edge passes layers that it skips, so that it never runs behind a card. */
  lanes: Lane[];
}

export interface Lane {
  x: number;
  y: number;
  width: number;
}

export interface Scene {
  cards: Map<string, Card>;
  links: Link[];
  /** The card of the focus. */
  focus: string | undefined;
  /** Tables of the graph that are not shown. */
  left: number;
}

/** The columns of tables that were opened. */
export type Opened = ReadonlyMap<string, readonly NodeView[]>;

function textOf(node: NodeView, key: string): string | null {
  const value = node.attributes[key];
  return typeof value === "string" ? value : null;
}

function numberOf(node: NodeView, key: string): number | null {
  const value = node.attributes[key];
  return typeof value === "number" ? value : null;
}

export function isColumn(node: NodeView): boolean {
  return node.type === "column" || node.type === "field";
}

export function tableOfColumn(node: NodeView): string {
  return textOf(node, "table") ?? node.id.slice(0, node.id.lastIndexOf("."));
}

function emptyCard(id: string, type: string, node: NodeView | undefined): Card {
  const kind = (node && textOf(node, "kind")) ?? type;
  const external = node?.attributes.external === true || type === "external";
  const inside = node?.attributes.intermediate === true;
  const none = (hidden: number | null): Neighbours => ({ hidden: hidden ?? 0, shown: 0, steps: undefined });
  return {
    id,
    table: id,
    ...(inside ? { name: textOf(node, "label") ?? node.name, place: placeInCode(node) } : splitName(id)),
    owner: (node && textOf(node, "owner")) ?? null,
    kind: inside || (DATA.has(type) && kind === "view") ? kind : type,
    external,
    inside,
    isData: !external && DATA.has(type),
    inCatalog: node?.attributes.in_catalog !== false,
    failing: node?.attributes.failing === true,
    layer: 0,
    columns: [],
    touched: 0,
    more: (node && numberOf(node, "columns")) ?? null,
    state: "few",
    up: none(node ? numberOf(node, "hidden_upstream") : null),
    down: none(node ? numberOf(node, "hidden_downstream") : null),
    x: 0,
    y: 0,
    width: 0,
    height: 0,
  };
}

/** `jobs/daily.sql:7` */
function placeInCode(node: NodeView): string {
  const file = textOf(node, "source_file") ?? "";
  const line = numberOf(node, "source_line");
  return line === null ? file : `${file}:${line}`;
}

function splitName(id: string): { place: string; name: string } {
  const colon = id.indexOf(":");
  const cut = colon >= 0 ? colon : id.lastIndexOf(".");
  return { place: id.slice(0, Math.max(cut, 0)), name: id.slice(cut + 1) };
}

function columnOf(node: NodeView): PictureColumn {
  const table = tableOfColumn(node);
  return {
    id: node.id,
    name: node.id.startsWith(`${table}.`) ? node.id.slice(table.length + 1) : node.name,
    dataType: textOf(node, "data_type") ?? "",
    pii: node.attributes.pii === true,
    failing: node.attributes.failing === true,
    touched: true,
  };
}

/** All tables of the graph, each with all its touched columns. */
function makeCards(graph: GraphView): Map<string, Card> {
  const cards = new Map<string, Card>();
  for (const node of graph.nodes) if (!isColumn(node)) cards.set(node.id, emptyCard(node.id, node.type, node));
  for (const node of graph.nodes.filter(isColumn)) {
    const table = tableOfColumn(node);
    const card = cards.get(table) ?? emptyCard(table, "table", undefined);
    cards.set(table, card);
    card.columns.push(columnOf(node));
  }
  for (const card of cards.values()) card.touched = card.columns.length;
  return cards;
}

function placesOf(cards: ReadonlyMap<string, Card>): Map<string, string> {
  const cardOf = new Map<string, string>();
  for (const card of cards.values()) {
    cardOf.set(card.id, card.id);
    for (const column of card.columns) cardOf.set(column.id, card.id);
  }
  return cardOf;
}

type Near = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** The neighbours of every card, with how many edges lead there. */
function neighboursOf(edges: readonly EdgeView[], cardOf: ReadonlyMap<string, string>): Record<Way, Near> {
  const found = { up: new Map<string, Map<string, number>>(), down: new Map<string, Map<string, number>>() };
  const count = (way: Way, from: string, to: string): void => {
    const of = found[way].get(from) ?? new Map<string, number>();
    found[way].set(from, of.set(to, (of.get(to) ?? 0) + 1));
  };
  for (const edge of edges) {
    const source = cardOf.get(edge.source);
    const target = cardOf.get(edge.target);
    if (source === undefined || target === undefined || source === target) continue;
    count("down", source, target);
    count("up", target, source);
  }
  return found;
}

/** From the focus outwards, nearest first: a few neighbours of each card until there is a handful, and what was asked for. */
function prune(cards: ReadonlyMap<string, Card>, near: Record<Way, Near>, focus: string, direction: string, choice: Choice): Set<string> {
  const shown = new Set([focus]);
  const ways: Record<Way, Set<string>> = { up: new Set(), down: new Set() };
  const wanted: readonly Way[] = direction === "upstream" ? ["up"] : direction === "downstream" ? ["down"] : ["up", "down"];
  const queue = wanted.map((way) => ({ id: focus, way }));
  const worth = (id: string): number => (cards.get(id)?.failing === true ? 0 : 1);
  for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
    const { id, way } = at;
    if (ways[way].has(id)) continue;
    ways[way].add(id);
    const steps = choice.near.get(nearKey(way, id));
    const card = cards.get(id);
    if (card !== undefined) card[way].steps = steps;
    const all = [...(near[way].get(id) ?? [])].sort(([a, many], [b, few]) => worth(a) - worth(b) || few - many || a.localeCompare(b));
    let room = steps === 0 ? 0 : FAN + HELPING * (steps ?? 0);
    for (const [next] of all) {
      const known = shown.has(next);
      if (!known && (room <= 0 || (steps === undefined && shown.size >= HANDFUL))) continue;
      if (!known) {
        room -= 1;
        shown.add(next);
        if (card !== undefined) card[way].shown += 1;
      }
      if (steps !== 0) queue.push({ id: next, way });
    }
  }
  for (const way of ["up", "down"] as const) {
    for (const [id, card] of cards) {
      const left = [...(near[way].get(id)?.keys() ?? [])].filter((next) => !shown.has(next)).length;
      // Away from the focus only: siblings would fill the picture with what nobody asked for.
      card[way].hidden = ways[way].has(id) ? left + card[way].hidden : 0;
    }
  }
  return shown;
}

/** Which rows a card has, and how many it keeps to itself. */
function chooseRows(card: Card, state: Columns, root: string, linked: ReadonlySet<string>, opened: Opened): void {
  const total = card.more;
  const wanted = card.columns.filter((column) => column.id === root || linked.has(column.id));
  const few = wanted.length > 0 ? wanted : card.columns;
  const first = [...few].sort((a, b) => rank(a, root) - rank(b, root)).slice(0, ROWS);
  card.state = state;
  if (state === "none") card.columns = [];
  else if (state === "few") card.columns = card.columns.filter((column) => first.includes(column));
  else openAll(card, opened.get(card.table) ?? []);
  const most = Math.max(total ?? 0, card.touched);
  card.more = total === null && state === "few" && most === card.columns.length ? null : Math.max(0, most - card.columns.length);
}

function rank(column: PictureColumn, root: string): number {
  return column.id === root ? 0 : column.failing ? 1 : 2;
}

function openAll(card: Card, columns: readonly NodeView[]): void {
  const known = new Set(card.columns.map((column) => column.id));
  for (const node of columns) if (!known.has(node.id)) card.columns.push({ ...columnOf(node), touched: false });
}

/** Edges that end at the same two places are one line. */
function makeLinks(edges: readonly EdgeView[], cards: ReadonlyMap<string, Card>, cardOf: ReadonlyMap<string, string>): Link[] {
  const rows = new Set([...cards.values()].flatMap((card) => card.columns.map((column) => column.id)));
  const lines = new Map<string, Link>();
  for (const edge of edges) {
    const sourceCard = cardOf.get(edge.source);
    const targetCard = cardOf.get(edge.target);
    if (sourceCard === undefined || targetCard === undefined || !cards.has(sourceCard) || !cards.has(targetCard)) continue;
    const source = rows.has(edge.source) ? edge.source : sourceCard;
    const target = rows.has(edge.target) ? edge.target : targetCard;
    const whole = source === edge.source && target === edge.target;
    // A table that feeds itself says nothing once its columns are closed.
    if (!whole && sourceCard === targetCard) continue;
    const key = whole ? edge.id : `${source}->${target}`;
    const line = lines.get(key);
    if (line === undefined) lines.set(key, { ...edge, id: key, source, target, sourceCard, targetCard, edges: [edge], lanes: [] });
    else line.edges.push(edge);
  }
  return [...lines.values()].map(summed);
}

/** A line of one edge is that edge; of several it has the confidence of the most confident of them, and says nothing of the way. */
function summed(line: Link): Link {
  const [first] = line.edges;
  if (first === undefined) return line;
  if (line.edges.length === 1) return { ...line, id: first.id };
  const best = line.edges.reduce((most, edge) => (edge.confidence > most.confidence ? edge : most), first);
  const same = line.edges.every((edge) => edge.transformation === first.transformation);
  return {
    ...line,
    confidence: best.confidence,
    level: best.level,
    expression: "",
    // Of two ways to the same place the one from table to table is the one that counts.
    type: (line.edges.find((edge) => edge.type !== "passes") ?? first).type,
    transformation: same ? first.transformation : "unknown",
    masking: line.edges.every((edge) => edge.masking),
    kind: line.edges.every((edge) => edge.kind === "indirect") ? "indirect" : "direct",
  };
}

export function sceneOf(graph: GraphView, choice: Choice = NO_CHOICE, opened: Opened = new Map()): Scene {
  const all = makeCards(graph);
  const cardOf = placesOf(all);
  const focus = cardOf.get(graph.root_id) ?? (all.has(graph.root_id) ? graph.root_id : undefined);
  const shown = focus === undefined ? new Set(all.keys()) : prune(all, neighboursOf(graph.edges, cardOf), focus, graph.direction, choice);
  const cards = new Map([...all].filter(([id]) => shown.has(id)));
  const linked = new Set<string>();
  for (const edge of graph.edges) {
    if (shown.has(cardOf.get(edge.source) ?? "") && shown.has(cardOf.get(edge.target) ?? "")) linked.add(edge.source).add(edge.target);
  }
  for (const card of cards.values()) {
    // Seen by table, columns are no part of the picture.
    if (graph.level !== "column" && graph.level !== "field") card.more = 0;
    const usual = cards.size > HANDFUL + FAN && card.id !== focus ? "none" : "few";
    chooseRows(card, choice.columns.get(card.id) ?? usual, graph.root_id, linked, opened);
  }
  return { cards, links: makeLinks(graph.edges, cards, cardOf), focus, left: all.size - cards.size };
}

/** Graphs of one project as one: what was asked for later adds to it. */
export function mergeGraphs(first: GraphView, ...others: readonly GraphView[]): GraphView {
  if (others.length === 0) return first;
  const nodes = new Map<string, NodeView>();
  const edges = new Map<string, EdgeView>();
  for (const graph of [first, ...others]) {
    for (const node of graph.nodes) if (!nodes.has(node.id)) nodes.set(node.id, node);
    for (const edge of graph.edges) edges.set(edge.id, edge);
  }
  const merged = { ...first, nodes: [...nodes.values()], edges: [...edges.values()] };
  const known = [first, ...others].map(countNeighbours);
  const now = countNeighbours(merged);
  merged.nodes = merged.nodes.map((node) => (isColumn(node) ? node : stillHidden(node, known, now)));
  merged.greatest_depth = Math.max(...[first, ...others].map((graph) => graph.greatest_depth));
  return merged;
}

interface Counted {
  near: Record<Way, Near>;
  nodes: ReadonlyMap<string, NodeView>;
}

function countNeighbours(graph: GraphView): Counted {
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const cardOf = new Map(graph.nodes.map((node) => [node.id, isColumn(node) ? tableOfColumn(node) : node.id]));
  return { near: neighboursOf(graph.edges, cardOf), nodes };
}

/** Each answer counts what it leaves out itself; another answer may have brought it. */
function stillHidden(node: NodeView, known: readonly Counted[], now: Counted): NodeView {
  const left = (way: Way, key: string): number =>
    Math.max(
      0,
      ...known.flatMap(({ near, nodes }) => {
        const own = nodes.get(node.id);
        return own === undefined ? [] : [(near[way].get(node.id)?.size ?? 0) + (numberOf(own, key) ?? 0)];
      }),
    ) - (now.near[way].get(node.id)?.size ?? 0);
  return {
    ...node,
    attributes: {
      ...node.attributes,
      hidden_upstream: Math.max(0, left("up", "hidden_upstream")),
      hidden_downstream: Math.max(0, left("down", "hidden_downstream")),
    },
  };
}

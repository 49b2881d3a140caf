/** Which card stands in which layer, and in which order. Nothing is guessed by physics: the same graph always looks the same. */
import type { Card, Lane, Link } from "./scene";

/** What takes room in a layer: a card, or the way of the edges that pass it. */
export interface Slot {
  key: string;
  card?: Card;
  lane?: Lane;
}

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

function edgesOf(links: readonly Link[]): { out: Edges; into: Edges } {
  const out = new Map<string, Set<string>>();
  const into = new Map<string, Set<string>>();
  const add = (map: Map<string, Set<string>>, from: string, to: string): void => void map.set(from, (map.get(from) ?? new Set()).add(to));
  for (const { sourceCard, targetCard } of links) {
    if (sourceCard === targetCard) continue;
    add(out, sourceCard, targetCard);
    add(into, targetCard, sourceCard);
  }
  return { out, into };
}

/** Every card after all it comes from. An edge that closes a circle is not counted. */
function inOrder(ids: readonly string[], out: Edges, into: Edges): { order: string[]; closing: ReadonlySet<string> } {
  const order: string[] = [];
  const closing = new Set<string>();
  const state = new Map<string, "open" | "done">();
  // From the ends of the graph, so that a circle is cut where one comes back to it.
  const starts = [...ids.filter((id) => !into.has(id)), ...ids];
  for (const start of starts) {
    const stack = [start];
    while (stack.length > 0) {
      const id = stack[stack.length - 1] ?? "";
      if (state.get(id) === undefined) {
        state.set(id, "open");
        for (const next of out.get(id) ?? []) {
          if (state.get(next) === "open") closing.add(`${id} ${next}`);
          else if (state.get(next) === undefined) stack.push(next);
        }
      } else {
        stack.pop();
        if (state.get(id) === "open") order.push(id);
        state.set(id, "done");
      }
    }
  }
  return { order: order.reverse(), closing };
}

/** What the focus comes from stands as near to it as its edges allow, what it goes to as well. */
export function setLayers(cards: ReadonlyMap<string, Card>, links: readonly Link[], focus: string | undefined): void {
  const { out, into } = edgesOf(links);
  const { order, closing } = inOrder([...cards.keys()], out, into);
  const layers = new Map<string, number>();
  const layer = (id: string): number => layers.get(id) ?? 0;
  for (const id of order) {
    const before = [...(into.get(id) ?? [])].filter((one) => !closing.has(`${one} ${id}`));
    layers.set(id, before.reduce((most, one) => Math.max(most, layer(one) + 1), 0));
  }
  const above = focus === undefined ? new Set<string>() : reachable(focus, into);
  for (const id of order.toReversed()) {
    if (!above.has(id) || id === focus) continue;
    const after = [...(out.get(id) ?? [])].filter((one) => !closing.has(`${id} ${one}`) && (above.has(one) || one === focus));
    if (after.length > 0) layers.set(id, after.reduce((least, one) => Math.min(least, layer(one) - 1), Infinity));
  }
  const used = [...new Set(layers.values())].sort((a, b) => a - b);
  const place = new Map(used.map((value, index) => [value, index]));
  // Layers that hold nothing in this picture would only be holes in it.
  for (const card of cards.values()) card.layer = place.get(layer(card.id)) ?? 0;
}

function reachable(start: string, edges: Edges): Set<string> {
  const found = new Set([start]);
  const open = [start];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    for (const next of edges.get(at) ?? []) {
      if (!found.has(next)) open.push(next);
      found.add(next);
    }
  }
  return found;
}

const SWEEPS = 6;

/** The slots of every layer in an order with few crossings. Edges that skip layers get a lane in each, one for each pair of cards. */
export function orderLayers(cards: Iterable<Card>, links: readonly Link[]): Slot[][] {
  const layers: Slot[][] = [];
  const layerOf = new Map<string, number>();
  for (const card of cards) {
    (layers[card.layer] ??= []).push({ key: card.id, card });
    layerOf.set(card.id, card.layer);
  }
  for (let index = 0; index < layers.length; index += 1) layers[index] ??= [];
  const ties = addLanes(layers, layerOf, links);
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const forward = sweep % 2 === 0;
    const walk = forward ? layers : layers.toReversed();
    for (const layer of walk.slice(1)) sortBy(layer, layers, forward ? ties.before : ties.after);
  }
  return layers;
}

interface Ties {
  before: Map<string, string[]>;
  after: Map<string, string[]>;
}

function addLanes(layers: Slot[][], layerOf: ReadonlyMap<string, number>, links: readonly Link[]): Ties {
  const ties: Ties = { before: new Map(), after: new Map() };
  const tie = (from: string, to: string): void => {
    ties.after.set(from, [...(ties.after.get(from) ?? []), to]);
    ties.before.set(to, [...(ties.before.get(to) ?? []), from]);
  };
  const lanes = new Map<string, Lane[]>();
  for (const link of links) {
    const pair = `${link.sourceCard} ${link.targetCard}`;
    const known = lanes.get(pair);
    if (known !== undefined) {
      link.lanes = known;
      continue;
    }
    const made: Lane[] = [];
    let from = link.sourceCard;
    for (let index = (layerOf.get(link.sourceCard) ?? 0) + 1; index < (layerOf.get(link.targetCard) ?? 0); index += 1) {
      const slot = { key: `${pair} ${index}`, lane: { x: 0, y: 0, width: 0 } };
      layers[index]?.push(slot);
      made.push(slot.lane);
      tie(from, slot.key);
      from = slot.key;
    }
    tie(from, link.targetCard);
    link.lanes = made;
    lanes.set(pair, made);
  }
  return ties;
}

/** By the middle of what each slot is tied to; one that is tied to nothing stays where it is. */
function sortBy(layer: Slot[], layers: readonly Slot[][], ties: ReadonlyMap<string, readonly string[]>): void {
  const place = new Map(layers.flatMap((one) => one.map((slot, index) => [slot.key, (index + 0.5) / one.length] as const)));
  const middle = new Map(
    layer.map((slot) => {
      const places = (ties.get(slot.key) ?? []).map((key) => place.get(key) ?? 0.5);
      const mean = places.reduce((sum, one) => sum + one, 0) / places.length;
      return [slot.key, places.length === 0 ? (place.get(slot.key) ?? 0.5) : mean] as const;
    }),
  );
  layer.sort((a, b) => (middle.get(a.key) ?? 0) - (middle.get(b.key) ?? 0));
}

/** Where things stand in a chart. Pure, so that it can be tested. */

/** Round numbers that hold everything between the least and the greatest: 0, 50, 100, 150. */
export function ticks(least: number, most: number, about = 4): number[] {
  if (!Number.isFinite(least) || !Number.isFinite(most)) return [0, 1];
  const room = most - least || Math.abs(most) || 1;
  const step = roundStep(room / about);
  const first = Math.floor(least / step);
  const last = Math.max(Math.ceil(most / step), first + 1);
  // Steps are counted, not added: 0.1 + 0.2 is no tick.
  return Array.from({ length: last - first + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)));
}

/** 1, 2 or 5 of some power of ten, not less than what is wanted. */
function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(wanted));
  const found = [1, 2, 5, 10].find((one) => one * power >= wanted * 0.999);
  return (found ?? 10) * power;
}

export type Scale = (value: number) => number;

export function linear(from: readonly [number, number], to: readonly [number, number]): Scale {
  const [a, b] = from;
  const [c, d] = to;
  return (value) => (a === b ? (c + d) / 2 : c + ((value - a) / (b - a)) * (d - c));
}

/** At most so many of the items, evenly spread, the first and the last among them. */
export function spread<T>(items: readonly T[], most: number): T[] {
  if (items.length <= most) return [...items];
  if (most < 2) return items.slice(0, most);
  const chosen = Array.from({ length: most }, (_, index) => items[Math.round((index * (items.length - 1)) / (most - 1))]);
  return chosen.filter((one): one is T => one !== undefined);
}

export interface Place {
  x: number;
  y: number;
}

/** "M0 1L2 3" through all places. */
export function pathThrough(places: readonly Place[]): string {
  return places.map(({ x, y }, index) => `${index === 0 ? "M" : "L"}${round(x)} ${round(y)}`).join("");
}

/** A closed shape between an upper and a lower line. */
export function areaBetween(upper: readonly Place[], lower: readonly Place[]): string {
  return upper.length === 0 ? "" : `${pathThrough([...upper, ...lower.toReversed()])}Z`;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Runs of neighbours that have something: a line is not drawn across a gap. */
export function intervals<T>(items: readonly T[], has: (item: T) => boolean): T[][] {
  const found: T[][] = [];
  let open = false;
  for (const item of items) {
    if (!has(item)) open = false;
    else if (open) found.at(-1)?.push(item);
    else {
      found.push([item]);
      open = true;
    }
  }
  return found;
}

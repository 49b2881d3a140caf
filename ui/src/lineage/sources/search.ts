import { oneOf, optional, text } from "../../routing/search";

export const PARTS = ["files", "gaps", "disagreements"] as const;
export type Part = (typeof PARTS)[number];

export const SORTS = ["path", "coverage", "gaps", "edges"] as const;
export type Sort = (typeof SORTS)[number];

/** `file`: the one that is looked at. `order`: a column of the list, with a dash before it where the greatest comes first. */
export function sourcesSearch(raw: Record<string, unknown>) {
  return optional({
    part: oneOf(raw, "part", PARTS),
    file: text(raw, "file"),
    q: text(raw, "q"),
    language: text(raw, "language"),
    gaps: oneOf(raw, "gaps", ["yes"]),
    order: oneOf(raw, "order", [...SORTS, ...SORTS.map((one) => `-${one}` as const)]),
  });
}

export type SourcesSearch = ReturnType<typeof sourcesSearch>;

export interface Sorting {
  by: Sort;
  down: boolean;
}

/** What comes first where nobody said: the most gaps, the most edges, the least understood. */
const DOWN: Record<Sort, boolean> = { path: false, coverage: false, gaps: true, edges: true };
export const USUAL: Sorting = { by: "coverage", down: false };

export function readOrder(order: SourcesSearch["order"]): Sorting {
  const by = SORTS.find((one) => one === order?.replace("-", ""));
  return by === undefined ? USUAL : { by, down: order?.startsWith("-") === true };
}

/** After a click on a head: what is worth seeing first, and at the second click the other way round. */
export function nextOrder(now: Sorting, clicked: string): SourcesSearch["order"] {
  const by = SORTS.find((one) => one === clicked) ?? USUAL.by;
  const down = now.by === by ? !now.down : DOWN[by];
  if (by === USUAL.by && down === USUAL.down) return undefined;
  return down ? `-${by}` : by;
}

/** As the server is asked: its own order is the one that is worth seeing first. */
export function askedOrder({ by, down }: Sorting): { sort: Sort; reverse: boolean | undefined } {
  return { sort: by, reverse: down === DOWN[by] ? undefined : true };
}

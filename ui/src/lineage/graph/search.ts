import { fraction, oneOf, optional, text, texts, whole } from "../../routing/search";
import { SORTS, type Sorting } from "./sorting";

/** `focus`: a table, a column, or anything else of the graph. `cols` and `near`: what was opened and closed by hand.
 * `order`: a column of the table, with a dash before it where the greatest comes first. */
export function lineageSearch(raw: Record<string, unknown>) {
  return optional({
    // Links of former days said `root`.
    focus: text(raw, "focus") ?? text(raw, "root"),
    level: oneOf(raw, "level", ["column", "table"]),
    direction: oneOf(raw, "direction", ["upstream", "downstream", "both"]),
    up: whole(raw, "up", 1, 50) ?? whole(raw, "depth", 1, 50),
    down: whole(raw, "down", 1, 50) ?? whole(raw, "depth", 1, 50),
    conf: fraction(raw, "conf", 0, 1),
    indirect: oneOf(raw, "indirect", ["yes"]),
    inside: oneOf(raw, "inside", ["yes"]),
    at: text(raw, "at"),
    edge: text(raw, "edge"),
    view: oneOf(raw, "view", ["picture", "table"]),
    order: oneOf(raw, "order", [...SORTS, ...SORTS.map((one) => `-${one}` as const)]),
    cols: texts(raw, "cols"),
    near: texts(raw, "near"),
  });
}

export type LineageSearch = ReturnType<typeof lineageSearch>;

export function readSorting(order: LineageSearch["order"]): Sorting | undefined {
  const by = SORTS.find((one) => one === order?.replace("-", ""));
  return by === undefined ? undefined : { by, down: order?.startsWith("-") === true };
}

export function writeSorting({ by, down }: Sorting): LineageSearch["order"] {
  return down ? `-${by}` : by;
}

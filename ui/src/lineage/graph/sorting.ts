/** The order of the rows that say the same as the picture. */
import type { Link } from "./scene";
import { linkWord } from "./words";

export const SORTS = ["source", "target", "how", "expression", "confidence"] as const;
export type SortKey = (typeof SORTS)[number];

export interface Sorting {
  by: SortKey;
  down: boolean;
}

const VALUES: Record<SortKey, (link: Link) => string | number> = {
  source: (link) => link.source,
  target: (link) => link.target,
  how: linkWord,
  expression: (link) => link.expression,
  confidence: (link) => link.confidence,
};

/** In the order of the picture, unless another is wanted. */
export function sortLinks(links: readonly Link[], sorting: Sorting | undefined): readonly Link[] {
  if (sorting === undefined) return links;
  const value = VALUES[sorting.by];
  const turn = sorting.down ? -1 : 1;
  return links.toSorted((a, b) => {
    const [one, other] = [value(a), value(b)];
    const order = typeof one === "number" && typeof other === "number" ? one - other : String(one).localeCompare(String(other));
    return turn * order || a.id.localeCompare(b.id);
  });
}

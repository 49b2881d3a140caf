import { oneOf, optional, text, whole } from "../search";

export function lineageSearch(raw: Record<string, unknown>) {
  return optional({
    root: text(raw, "root"),
    direction: oneOf(raw, "direction", ["upstream", "downstream", "both"]),
    depth: whole(raw, "depth", 1, 50),
    at: text(raw, "at"),
    edge: text(raw, "edge"),
    view: oneOf(raw, "view", ["picture", "table"]),
  });
}

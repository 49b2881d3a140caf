import { oneOf, optional, text, texts } from "../../routing/search";
import { CHANGES } from "./changes";

/** `to`: the new name, type, place or format. `open`: of these it is shown how the score came about. `all`: not only the first. */
export function impactSearch(raw: Record<string, unknown>) {
  return optional({
    focus: text(raw, "focus"),
    change: oneOf(raw, "change", CHANGES),
    to: text(raw, "to"),
    at: text(raw, "at"),
    open: texts(raw, "open"),
    all: oneOf(raw, "all", ["yes"]),
  });
}

export type ImpactSearch = ReturnType<typeof impactSearch>;

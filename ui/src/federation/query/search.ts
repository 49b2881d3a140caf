import { oneOf, optional, text, texts } from "../../routing/search";

export const ENGINES = ["in-process", "spark"] as const;
export const VIEWS = ["chart", "plan"] as const;

/** `p`: values of parameters; `view`: what of the result is shown; `by`: how the query is
 * written, if not as SQL; `x`, `y`, `chart`: its picture; `into`: the virtual table that it
 * would change; `saved`: the kept query that it was. Nothing runs by an
 * address alone: who opens it presses Run. */
export function querySearch(raw: Record<string, unknown>) {
  return optional({
    sql: text(raw, "sql"),
    at: text(raw, "at"),
    engine: oneOf(raw, "engine", ENGINES),
    p: texts(raw, "p"),
    view: oneOf(raw, "view", VIEWS),
    by: oneOf(raw, "by", ["builder"]),
    chart: oneOf(raw, "chart", ["bar", "line"]),
    x: text(raw, "x"),
    y: text(raw, "y"),
    into: text(raw, "into"),
    saved: text(raw, "saved"),
    panel: oneOf(raw, "panel", ["history", "saved"]),
  });
}

export type QuerySearch = ReturnType<typeof querySearch>;

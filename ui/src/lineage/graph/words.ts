/** The words of lineage, as people read them. */
import type { EdgeView } from "../../api";
import { plural } from "../../format/numbers";
import type { Card, Link } from "./scene";

const TRANSFORMATIONS: Record<string, string> = {
  identity: "copied",
  direct: "copied",
  transformation: "calculated",
  expression: "calculated",
  aggregation: "aggregated",
  window: "over a window",
  conditional: "by a condition",
  generator: "exploded into rows",
  union: "union",
  masking: "masked",
  unknown: "comes from",
};
const INDIRECT: Record<string, string> = {
  filter: "decides which rows",
  join: "joins rows",
  group_by: "groups rows",
  sort: "orders rows",
  window: "frames a window",
};
const TYPES: Record<string, string> = {
  consumes: "is used by",
  produces: "is produced by",
  executes: "executes",
  contains: "contains",
  passes: "passes through",
};
const INSIDE: Record<string, string> = { cte: "CTE", temporary: "temporary view", dataframe: "DataFrame" };
const BASES: Record<string, string> = {
  declared: "declared",
  observed: "observed in a run",
  resolved: "read from code, with known columns",
  position: "read from code, by position",
  guessed: "guessed from names",
  mentioned: "named in the same statement",
};

type EdgeWords = Pick<EdgeView, "transformation" | "masking"> & Partial<Pick<EdgeView, "type" | "kind" | "subtype" | "relationship">>;

export function transformationWord(edge: EdgeWords): string {
  if (edge.kind === "indirect") return INDIRECT[edge.subtype ?? ""] ?? "shapes rows";
  const unknown = edge.transformation === "unknown";
  const other = edge.type === undefined || edge.type === "derives_from" ? undefined : TYPES[edge.type];
  if (other !== undefined && unknown) return other;
  const word =
    unknown && edge.relationship != null && edge.relationship !== "derived"
      ? edge.relationship
      : (TRANSFORMATIONS[edge.transformation] ?? edge.transformation.replaceAll("_", " "));
  return edge.masking && word !== "masked" ? `${word}, masked` : word;
}

/** What a line of the picture says: its edge, or how many it stands for. */
export function linkWord(link: Link): string {
  return link.edges.length === 1 ? transformationWord(link) : plural(link.edges.length, "edge");
}

const SURE = 0.6;

/** How its line is drawn. */
export function lineLook(edge: Pick<EdgeView, "confidence"> & Partial<Pick<EdgeView, "kind" | "type">>): "plain" | "indirect" | "inside" | "unsure" {
  if (edge.kind === "indirect") return "indirect";
  if (edge.type === "passes") return "inside";
  return edge.confidence < SURE ? "unsure" : "plain";
}

/** Short enough to stand on an edge. */
export function edgeLabel(edge: EdgeWords & Pick<EdgeView, "expression">): string {
  const expression = edge.expression.trim();
  const text = expression === "" || edge.transformation === "identity" ? transformationWord(edge) : expression;
  return text.length > 44 ? `${text.slice(0, 43)}…` : text;
}

/** The one word that stands on an edge all the time: `sum`, `filter`. Copies say nothing. */
export function edgeMark(edge: Pick<EdgeView, "transformation" | "expression"> & Partial<Pick<EdgeView, "kind" | "subtype">>): string {
  if (edge.kind === "indirect") return (edge.subtype ?? "").replaceAll("_", " ");
  if (edge.transformation === "identity" || edge.transformation === "unknown") return "";
  const calls = [...edge.expression.matchAll(/\b([a-z_]\w*)\s*\(/gi)].map((match) => (match[1] ?? "").toLowerCase());
  const aggregate = edge.transformation === "aggregation" ? calls.find((call) => AGGREGATES.test(call)) : undefined;
  // What a cast wraps says more than the cast.
  const called = aggregate ?? calls.find((call) => call !== "cast" && call !== "try_cast");
  return called !== undefined && called.length <= 12 ? called : edge.transformation === "aggregation" ? "agg" : "ƒ";
}

const AGGREGATES = /^(sum|avg|mean|count|count_if|min|max|median|stddev\w*|var\w*|first|last|collect_\w+|percentile\w*|any_value|bool_\w+|every)$/;

export function basisWord(basis: string): string {
  return BASES[basis] ?? basis;
}

/** The file that a producer is: `code:jobs/daily.sql` → jobs/daily.sql. */
export function fileOf(producer: string): string | undefined {
  return /^code:(.+)$/.exec(producer)?.[1];
}

/** What exists only inside a program by the name it has there: `code:jobs/daily.sql#paid@7.amount` → paid.amount. */
export function shortId(id: string): string | undefined {
  const [, label, rest] = /^code:.+#(.+?)@\d+(?::\d+)?(\..+)?$/.exec(id) ?? [];
  return label === undefined ? undefined : `${label}${rest ?? ""}`;
}

/** `table:core.orders` → the runs of core.orders; `file:jobs/x.sql` → jobs/x.sql. */
export function producerWord(producer: string): string {
  const [, kind, name] = /^(table|file|code):(.+)$/.exec(producer) ?? [];
  if (kind === "table") return `runs of ${name ?? ""}`;
  if (kind !== undefined) return name ?? producer;
  return producer === "manual" ? "entered by hand" : producer;
}

export function confidenceWord({ level, confidence }: { level: string; confidence: number }): string {
  return `${level} (${confidence.toFixed(2)})`;
}

/** The schema and whose it is: "marts · sven". */
export function cardSubtitle(card: Card): string {
  if (card.inside) return `${INSIDE[card.kind] ?? card.kind} · ${card.place}`;
  const place = card.external ? `outside · ${card.place}` : card.isData && card.kind !== "view" ? card.place : `${card.place} ${card.kind}`.trim();
  // `dashboard:revenue` has its kind in its place already.
  const kind = !card.external && !card.isData ? card.kind : place;
  return card.owner === null ? kind : `${kind} · ${card.owner.split("@").find((part) => part !== "") ?? card.owner}`;
}

export function footWord(card: Card, foot: "columns" | "up" | "down"): string {
  if (foot === "up") return `⋯ ${plural(card.up.hidden, "hidden upstream", "hidden upstream")}`;
  if (foot === "down") return `⋯ ${plural(card.down.hidden, "hidden downstream", "hidden downstream")}`;
  if (card.state === "all") return "show fewer";
  if (card.state === "none") return plural(card.more ?? 0, "column");
  return card.more === null ? "all columns" : `+ ${card.more} more`;
}

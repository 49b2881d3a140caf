/** The words of lineage, as people read them. */
import type { EdgeView } from "../api";

const TRANSFORMATIONS: Record<string, string> = {
  identity: "copied",
  direct: "copied",
  transformation: "calculated",
  expression: "calculated",
  aggregation: "aggregated",
  filter: "filters",
  join: "joins",
  union: "union",
  masking: "masked",
  unknown: "comes from",
};

export function transformationWord(edge: Pick<EdgeView, "transformation" | "masking">): string {
  const word = TRANSFORMATIONS[edge.transformation] ?? edge.transformation.replaceAll("_", " ");
  return edge.masking && word !== "masked" ? `${word}, masked` : word;
}

/** Short enough to stand on an edge. */
export function edgeLabel(edge: Pick<EdgeView, "transformation" | "masking" | "expression">): string {
  const expression = edge.expression.trim();
  const plain = edge.transformation === "identity" || edge.transformation === "direct";
  const text = expression === "" || plain ? transformationWord(edge) : expression;
  return text.length > 44 ? `${text.slice(0, 43)}…` : text;
}

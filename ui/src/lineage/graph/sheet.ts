/** The picture as a sheet: one row for every edge between the tables that it shows. */
import type { EdgeView } from "../../api";
import type { Link } from "./layout";

const HEADS = ["source", "target", "type", "relationship", "kind", "subtype", "transformation", "expression", "masking", "confidence", "level", "valid_from", "valid_to"] as const;

/** A cell that a spreadsheet would take for a formula gets a sign before it that it does not show. */
function cell(value: unknown): string {
  const text = typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A line that stands for several edges gives a row for each. */
export function edgesOf(links: readonly Link[]): EdgeView[] {
  return [...new Map(links.flatMap((link) => link.edges).map((edge) => [edge.id, edge])).values()];
}

export function writeCsv(links: readonly Link[]): string {
  const rows = edgesOf(links).map((edge) => HEADS.map((head) => cell(edge[head])).join(","));
  return `${[HEADS.join(","), ...rows].join("\r\n")}\r\n`;
}

/** A result as a text for other programs. */
import type { QueryResultView } from "../../api";

type Result = Pick<QueryResultView, "columns" | "rows">;

/** What a cell holds; null is not the text "null". */
export function cellText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : JSON.stringify(value);
}

/** A text that a spreadsheet would take for a formula gets a sign before it that it does not show; a number stays one. Who has a
 * source in his hands chooses its texts and the names of its columns. */
function harmless(text: string): string {
  return /^[=+\-@\t\r＝＋－＠]/.test(text) && !/^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(text) ? `'${text}` : text;
}

/** RFC 4180: NULL is an empty field, an empty text a quoted one. */
export function csvOf({ columns, rows }: Result): string {
  const line = (cells: readonly (string | null)[]): string => cells.map((one) => (one === null ? "" : quoted(harmless(one)))).join(",");
  return [line(columns.map(({ name }) => name)), ...rows.map((row) => line(row.map(cellText)))].join("\r\n") + "\r\n";
}

function quoted(text: string): string {
  return text === "" || /[",\r\n]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text;
}

/** As spreadsheets take it from the clipboard. */
export function tabbed({ columns, rows }: Result): string {
  const clean = (text: string | null): string => harmless(text ?? "").replaceAll(/[\t\r\n]+/g, " ");
  return [columns.map(({ name }) => clean(name)), ...rows.map((row) => row.map((value) => clean(cellText(value))))].map((cells) => cells.join("\t")).join("\n");
}

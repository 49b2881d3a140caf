/** Which columns of a result make a picture, and its points. */
import type { QueryResultView } from "../../api";
import { isNumber } from "../../format/values";
import { cellText } from "./sheet";

type Result = Pick<QueryResultView, "columns" | "rows">;

export interface Axes {
  x: string;
  y: string;
}

/** More bars cannot be told apart; more points of a line are not seen. */
export const MOST_BARS = 60;
export const MOST_POINTS = 2000;

/** Columns that have numbers: decimals come as texts. */
export function numeric({ columns }: Pick<Result, "columns">): string[] {
  return columns.filter(({ type, masked }) => isNumber(type) && !masked).map(({ name }) => name);
}

/** What the chart shows until somebody chooses: the first column that is no number along the bottom. */
export function usualAxes(result: Result, wanted: Partial<Axes>): Axes | null {
  const numbers = numeric(result);
  const names = result.columns.map(({ name }) => name);
  const y = wanted.y !== undefined && numbers.includes(wanted.y) ? wanted.y : (numbers.find((name) => name !== names[0]) ?? numbers[0]);
  if (y === undefined) return null;
  const x = wanted.x !== undefined && names.includes(wanted.x) ? wanted.x : (names.find((name) => !numbers.includes(name)) ?? names.find((name) => name !== y) ?? y);
  return { x, y };
}

/** Times read as a line, everything else as bars. */
export function usualKind({ columns }: Pick<Result, "columns">, { x }: Axes): "bar" | "line" {
  return /^(date|timestamp)/i.test(columns.find(({ name }) => name === x)?.type ?? "") ? "line" : "bar";
}

export interface Point {
  label: string;
  value: number | null;
}

export function pointsOf({ columns, rows }: Result, { x, y }: Axes): Point[] {
  const names = columns.map(({ name }) => name);
  const [left, up] = [names.indexOf(x), names.indexOf(y)];
  return rows.map((row) => ({ label: cellText(row[left]) ?? "NULL", value: numberOf(row[up]) }));
}

function numberOf(value: unknown): number | null {
  const found = typeof value === "number" ? value : typeof value === "string" && value.trim() !== "" ? Number(value) : Number.NaN;
  return Number.isFinite(found) ? found : null;
}

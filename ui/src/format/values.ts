/** Values of data as text. */
import { timeInData } from "./numbers";

/** One value of a sample as text. `null` stands apart: it is not the text "null". */
export function showValue(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === "string") return timeInData(value);
  return JSON.stringify(value);
}

export function isNumber(type: string): boolean {
  return /^(tinyint|smallint|int|integer|bigint|long|float|double|decimal)\b/i.test(type);
}

/** What a profile says, in words and heights of bars. */
import type { HistogramView, ProfiledColumnView, ProfileSummary, StatisticChangeView } from "../../api";
import { count, timeInData, NONE, percent } from "../../format/numbers";
import { shortCommit } from "../../format/refs";
import { showUnseen } from "../markdown/parse";

export type Histogram = Pick<HistogramView, "edges" | "counts">;

const LEAST = 1.5;
const four = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 5 });
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });

/** 1,204, 3.1416, 1.2e+21 */
export function figure(value: number): string {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e15)) return value.toExponential(2);
  return size >= 10_000 || Number.isInteger(value) ? whole.format(value) : four.format(value);
}

/** True to the numbers; what occurs at all can be seen. */
export function barHeights(counts: readonly number[], room: number): number[] {
  const most = Math.max(0, ...counts);
  return counts.map((value) => (value === 0 || most === 0 ? 0 : Math.max(LEAST, (value / most) * room)));
}

/** "from 0 to 640, most between 32 and 64" */
export function binsInWords({ edges, counts }: Histogram): string {
  const top = counts.indexOf(Math.max(...counts));
  const ends = `from ${shown(edges[0])} to ${shown(edges.at(-1))}`;
  return counts.length < 2 ? ends : `${ends}, most between ${shown(edges[top])} and ${shown(edges[top + 1])}`;
}

/** The rows that its counts are of. */
export function rowsRead(profile: Pick<ProfileSummary, "row_count" | "sample_rows">): number {
  return profile.sample_rows ?? profile.row_count;
}

export function share(part: number | null | undefined, whole: number): string {
  if (part == null) return NONE;
  if (whole === 0 || part === 0) return "0%";
  const value = (100 * part) / whole;
  return value < 0.1 ? "< 0.1%" : percent(value);
}

/** A value of the data. NULL stands apart, and so does a text with nothing in it; times read as everywhere. */
export function shown(value: unknown, type = ""): string {
  if (value === null || value === undefined) return NONE;
  if (value === "") return "(empty)";
  if (typeof value === "number") return figure(value);
  if (typeof value !== "string") return JSON.stringify(value);
  return type.startsWith("timestamp") ? timeInData(value) : showUnseen(value);
}

/** "8,211", "about 8,200,000" */
export function distinctInWords({ distinct, distinct_exact }: Pick<ProfiledColumnView, "distinct" | "distinct_exact">): string {
  if (distinct === null) return NONE;
  return distinct_exact ? count(distinct) : `about ${count(distinct)}`;
}

/** "0 to 640", or how long texts are. */
export function rangeInWords(column: ProfiledColumnView): string {
  if (column.masked) return "hidden";
  if (column.minimum === null && column.maximum === null) return column.max_length === null ? NONE : lengthsInWords(column);
  return column.minimum === column.maximum ? `always ${shown(column.minimum, column.type)}` : `${shown(column.minimum, column.type)} to ${shown(column.maximum, column.type)}`;
}

/** What its histogram counts. */
export function binsOf(column: Pick<ProfiledColumnView, "name" | "min_length">): string {
  return column.min_length === null ? column.name : `the lengths of ${column.name}`;
}

export function lengthsInWords({ min_length, max_length }: Pick<ProfiledColumnView, "min_length" | "max_length">): string {
  return min_length === max_length ? `${count(max_length)} letters` : `${count(min_length)} to ${count(max_length)} letters`;
}

const NUMBERS: readonly [keyof ProfiledColumnView, string][] = [
  ["mean", "Mean"],
  ["stddev", "Standard deviation"],
  ["q1", "First quartile"],
  ["median", "Median"],
  ["q3", "Third quartile"],
  ["zeros", "Zeros"],
  ["negatives", "Negative"],
  ["not_finite", "NaN or infinite"],
  ["empties", "Empty texts"],
  ["min_length", "Shortest"],
  ["max_length", "Longest"],
  ["avg_length", "Mean length"],
];

/** All that was measured of a column beside what its row in the list says. */
export function statisticsOf(column: ProfiledColumnView): { label: string; value: string }[] {
  return NUMBERS.flatMap(([key, label]) => {
    const value = column[key];
    return typeof value === "number" ? [{ label, value: figure(value) }] : [];
  });
}

const STATISTICS: Record<string, string> = {
  row_count: "rows",
  duplicate_rows: "duplicate rows",
  null_share: "share of NULL",
  nulls: "NULLs",
  distinct: "distinct values",
  not_finite: "NaN or infinite",
  empties: "empty texts",
  minimum: "least value",
  maximum: "greatest value",
  stddev: "standard deviation",
  q1: "first quartile",
  q3: "third quartile",
  min_length: "shortest",
  max_length: "longest",
  avg_length: "mean length",
  top: "most frequent values",
};

export function statisticName(statistic: string): string {
  return STATISTICS[statistic] ?? statistic.replaceAll("_", " ");
}

/** One side of a change. */
export function sideInWords(statistic: string, value: StatisticChangeView["before"]): string {
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.slice(0, 4).map((one) => shown(one.value)).join(", ");
  return statistic === "null_share" && typeof value === "number" ? share(value, 1) : shown(value);
}

/** "+12.4%", or the difference where it is too small for that, or there is nothing to compare it with. */
export function changeInWords({ by, share: part }: Pick<StatisticChangeView, "by" | "share">): string {
  if (part != null && Math.abs(part) >= 0.0005) return `${part > 0 ? "+" : "−"}${percent(Math.abs(100 * part))}`;
  if (by == null) return "";
  return `${by > 0 ? "+" : "−"}${figure(Math.abs(by))}`;
}

/** The revision a stored profile can be asked for by. */
export function profileName(profile: Pick<ProfileSummary, "commit_id" | "profiled_at">): string {
  return profile.commit_id === null ? profile.profiled_at.slice(0, 16).replace("T", " ") : shortCommit(profile.commit_id);
}

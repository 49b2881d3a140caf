/** Metrics and their anomalies in words. */
import type { MetricView, SeriesPoint, SeriesView } from "../../api";
import { bytes, moment } from "../../format/numbers";
import { figure } from "../words";

const KINDS: Record<string, string> = {
  row_count: "rows",
  null_percentage: "share of NULLs",
  distinct_count: "distinct values",
  duplicate_count: "duplicates",
  file_count: "files",
  size_bytes: "size",
};

/** "rows", "mean of amount" */
export function metricInWords({ kind, column }: Pick<MetricView, "kind" | "column">): string {
  const word = KINDS[kind] ?? kind.replaceAll("_", " ");
  return column === null ? word : `${word} of ${column}`;
}

/** A value with its unit: 14%, 1.2 MB, 115.7K. */
export function valueInWords(value: number | null, unit: string | null): string {
  if (unit === "bytes") return bytes(value);
  return unit === "%" ? `${figure(value)}%` : figure(value);
}

/** "14 Nov 06:10: 5,060; expected 4,800 to 5,200; an anomaly, said to be expected" */
export function pointInWords(point: SeriesPoint, unit: string | null): string {
  const parts = [`${moment(point.time)}: ${valueInWords(point.value, unit)}`];
  parts.push(point.low === null || point.high === null ? "too little history to expect anything" : `expected ${valueInWords(point.low, unit)} to ${valueInWords(point.high, unit)}`);
  if (point.is_anomaly) parts.push("an anomaly");
  if (point.feedback !== null) parts.push(`said to be ${point.feedback === "expected" ? "expected" : "an incident"}`);
  if (point.held_back) parts.push("held back");
  return parts.join("; ");
}

/** The one that is looked at where the address names none: the newest anomaly that nobody has spoken of, else the newest. */
export function pointOf(series: SeriesView, time: string | undefined): SeriesPoint | undefined {
  return (
    series.points.find((one) => one.time === time) ?? series.points.findLast((one) => one.is_anomaly && one.feedback === null) ?? series.points.at(-1)
  );
}

export function anomaliesOf(series: SeriesView): SeriesPoint[] {
  return series.points.filter((one) => one.is_anomaly || one.feedback !== null).toReversed();
}

const METHODS: Record<string, string> = {
  seasonal: "Weekday and trend",
  mad: "Median deviation",
  zscore: "z-score",
  iqr: "Quartiles",
  isolation_forest: "Isolation forest",
  prophet: "Prophet",
};

export function methodInWords(method: string): string {
  return METHODS[method] ?? method;
}

/** "×0.6 on Saturdays", "+12 at 06:00" */
export function seasonInWords({ seasonal, season, log_scale: log }: Pick<SeriesPoint, "seasonal" | "season" | "log_scale">): string | null {
  if (seasonal === null || season === null) return null;
  const size = log ? `×${figure(seasonal)}` : `${seasonal < 0 ? "−" : "+"}${figure(Math.abs(seasonal))}`;
  return `${size} on ${season}`;
}

/** "×1.01 a day" */
export function trendInWords({ trend, log_scale: log }: Pick<SeriesPoint, "trend" | "log_scale">): string | null {
  if (trend === null) return null;
  return log ? `×${Math.round(trend * 10_000) / 10_000} a day` : `${trend < 0 ? "−" : "+"}${figure(Math.abs(trend))} a day`;
}

/** An anomaly that nobody has spoken of. */
export function isOpen({ is_anomaly: flagged, feedback }: Pick<MetricView, "is_anomaly" | "feedback">): boolean {
  return flagged && feedback === null;
}

/** Those come first, then what is of the whole table, then by name. */
export function metricsInOrder(metrics: readonly MetricView[]): MetricView[] {
  return metrics.toSorted((one, other) => Number(isOpen(other)) - Number(isOpen(one)) || Number(one.column !== null) - Number(other.column !== null) || one.metric.localeCompare(other.metric));
}

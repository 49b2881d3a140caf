import { oneOf, optional, text, whole } from "../routing/search";

export const DATASET_STATES = ["failing", "not measured", "ok", "unchecked"] as const;

export function qualitySearch(raw: Record<string, unknown>) {
  return optional({ branch: text(raw, "branch"), q: text(raw, "q"), health: oneOf(raw, "health", DATASET_STATES) });
}

export type QualitySearch = ReturnType<typeof qualitySearch>;

export const MONITOR_STATES = ["failing", "warning", "not measured", "ok", "never ran", "paused"] as const;

export function monitorsSearch(raw: Record<string, unknown>) {
  return optional({ dataset: text(raw, "dataset"), q: text(raw, "q"), is: oneOf(raw, "is", MONITOR_STATES) });
}

export type MonitorsSearch = ReturnType<typeof monitorsSearch>;

export const MONITOR_PARTS = ["results", "history", "sla", "checks"] as const;
export type MonitorPart = (typeof MONITOR_PARTS)[number];

/** `run`: whose results are shown; without it those of the newest. `live`: one that was started here and is followed. */
export function monitorSearch(raw: Record<string, unknown>) {
  return optional({
    part: oneOf(raw, "part", MONITOR_PARTS),
    run: text(raw, "run"),
    live: text(raw, "live"),
    days: whole(raw, "days", 1, 365),
    dialog: oneOf(raw, "dialog", ["delete"]),
  });
}

export type MonitorSearch = ReturnType<typeof monitorSearch>;

/** What the form of a new monitor is filled in with. */
export function newMonitorSearch(raw: Record<string, unknown>) {
  return optional({ dataset: text(raw, "dataset"), copy: text(raw, "copy") });
}

export const INCIDENT_STATES = ["unresolved", "open", "acknowledged", "resolved", "all"] as const;

export function incidentsSearch(raw: Record<string, unknown>) {
  return optional({ status: oneOf(raw, "status", INCIDENT_STATES), dataset: text(raw, "dataset"), branch: text(raw, "branch") });
}

export type IncidentsSearch = ReturnType<typeof incidentsSearch>;

export const METHODS = ["seasonal", "mad", "zscore", "iqr", "isolation_forest", "prophet"] as const;

/** `at`: the point that is looked at, by its time. `around`: a time that is to be among those shown. */
export function anomaliesSearch(raw: Record<string, unknown>) {
  return optional({
    dataset: text(raw, "dataset"),
    branch: text(raw, "branch"),
    metric: text(raw, "metric"),
    method: oneOf(raw, "method", METHODS),
    limit: whole(raw, "limit", 14, 1000),
    at: text(raw, "at"),
    around: text(raw, "around"),
  });
}

export type AnomaliesSearch = ReturnType<typeof anomaliesSearch>;

export const REMEDY_STATES = ["proposed", "applied", "rejected", "reverted", "nothing", "failed"] as const;

export function remediationsSearch(raw: Record<string, unknown>) {
  return optional({ status: oneOf(raw, "status", [...REMEDY_STATES, "all"]), dataset: text(raw, "dataset") });
}

export type RemediationsSearch = ReturnType<typeof remediationsSearch>;

export function remediationSearch(raw: Record<string, unknown>) {
  return optional({ dialog: oneOf(raw, "dialog", ["approve", "reject", "revert"]), table: text(raw, "table") });
}

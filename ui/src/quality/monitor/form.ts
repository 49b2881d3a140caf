/** The form of a monitor: its texts become a request, and what the server refuses goes back to its fields. */
import { ApiProblem, type FaultView, type MonitorCreate, type MonitorView, type ScheduleBody } from "../../api";
import type { Given } from "../check/forms";

export const SEVERITIES = ["info", "warning", "error", "critical"] as const satisfies readonly MonitorView["severity_threshold"][];

export type When = "hand" | ScheduleBody["type"];

export interface CheckDraft {
  /** Its own for as long as the form is open: cards come and go. */
  id: number;
  given: Given;
}

export interface MonitorForm {
  name: string;
  dataset: string;
  description: string;
  /** Its own checks, or those the project has for the dataset. */
  own: boolean;
  checks: readonly CheckDraft[];
  when: When;
  cron: string;
  timezone: string;
  minutes: string;
  missed: "skip" | "catch_up";
  enabled: boolean;
  channels: readonly string[];
  threshold: (typeof SEVERITIES)[number];
  recovery: boolean;
  target: string;
  window: string;
}

export const NEW_MONITOR: MonitorForm = {
  name: "",
  dataset: "",
  description: "",
  own: true,
  checks: [],
  when: "on_change",
  cron: "0 6 * * *",
  timezone: "UTC",
  minutes: "60",
  missed: "skip",
  enabled: true,
  channels: [],
  threshold: "warning",
  recovery: true,
  target: "",
  window: "30",
};

export function formFrom(monitor: MonitorView): MonitorForm {
  const { schedule } = monitor;
  return {
    name: monitor.name,
    dataset: monitor.branch === null || monitor.dataset.includes("@") ? monitor.dataset : `${monitor.dataset}@${monitor.branch}`,
    description: monitor.description,
    own: monitor.checks.length > 0,
    checks: monitor.checks.map((given, id) => ({ id, given })),
    when: schedule?.type ?? "hand",
    cron: schedule?.cron ?? NEW_MONITOR.cron,
    timezone: schedule?.timezone ?? "UTC",
    minutes: schedule?.interval_minutes == null ? NEW_MONITOR.minutes : String(schedule.interval_minutes),
    missed: schedule?.missed ?? "skip",
    enabled: monitor.enabled,
    channels: monitor.channels,
    threshold: monitor.severity_threshold,
    recovery: monitor.notify_on_recovery,
    target: monitor.sla_target_percentage === null ? "" : String(monitor.sla_target_percentage),
    window: String(monitor.sla_window_days),
  };
}

/** By the server's path: `name`, `schedule.cron`, `checks[1].min`. */
export type Wrong = Record<string, string>;

/** The request, and what is wrong with the form before anyone has to ask the server. */
export function readForm(form: MonitorForm): { request: MonitorCreate; wrong: Wrong } {
  const wrong: Wrong = {};
  if (form.name.trim() === "") wrong["name"] = "Give it a name.";
  if (form.dataset.trim() === "") wrong["dataset"] = "Say which dataset it watches.";
  if (form.own && form.checks.length === 0) wrong["checks"] = "Add a check, or take those of the project.";
  const target = readNumber(form.target, "sla_target_percentage", wrong, (value) => value > 0 && value <= 100, "A percentage up to 100, like 99.5.");
  const days = readNumber(form.window, "sla_window_days", wrong, (value) => Number.isInteger(value) && value > 0, "A whole number of days.");
  const minutes = form.when === "interval" ? readNumber(form.minutes, "schedule.interval_minutes", wrong, (value) => Number.isInteger(value) && value > 0, "A whole number of minutes.") : null;
  if (form.when === "interval" && minutes === null && wrong["schedule.interval_minutes"] === undefined) wrong["schedule.interval_minutes"] = "Say how many minutes lie between two runs.";
  if (form.when === "cron" && form.cron.trim() === "") wrong["schedule.cron"] = "Five fields, like 0 6 * * 1-5.";
  return {
    wrong,
    request: {
      name: form.name.trim(),
      dataset: form.dataset.trim(),
      description: form.description.trim(),
      checks: form.own ? form.checks.map((one) => one.given) : [],
      schedule: scheduleOf(form, minutes),
      enabled: form.enabled,
      channels: [...form.channels],
      severity_threshold: form.threshold,
      notify_on_recovery: form.recovery,
      sla_target_percentage: target,
      sla_window_days: days ?? 30,
    },
  };
}

function scheduleOf(form: MonitorForm, minutes: number | null): ScheduleBody | null {
  if (form.when === "hand") return null;
  return {
    type: form.when,
    cron: form.when === "cron" ? form.cron.trim() : null,
    interval_minutes: form.when === "interval" ? minutes : null,
    timezone: form.when === "cron" && form.timezone.trim() !== "" ? form.timezone.trim() : "UTC",
    missed: form.missed,
  };
}

function readNumber(text: string, path: string, wrong: Wrong, fits: (value: number) => boolean, say: string): number | null {
  const trimmed = text.trim().replace(/%$/, "");
  if (trimmed === "") return null;
  const value = Number(trimmed);
  if (Number.isFinite(value) && fits(value)) return value;
  wrong[path] = say;
  return null;
}

/** The faults of the server by path; what it says of one path twice is said once after the other. */
export function wrongOf(errors: readonly FaultView[]): Wrong {
  const wrong: Wrong = {};
  for (const { path, message, fix } of errors) wrong[path] = [wrong[path], message, fix].filter((part) => part != null && part !== "").join(" ");
  return wrong;
}

/** What a refused request says, by path; `rest` belongs to no field. */
export function sortRefused(problem: ApiProblem): { wrong: Wrong; rest: ApiProblem | null } {
  const wrong: Wrong = {};
  const all = problem.errors.length > 0 ? problem.errors : [{ code: problem.code, what: problem.message, where: problem.where, why: problem.why, fix: problem.fix }];
  const unplaced = all.filter((error) => {
    const path = pathOf(error.where);
    if (path === null) return true;
    wrong[path] = [wrong[path], error.what, error.why].filter((part) => part != null && part !== "").join(" ");
    return false;
  });
  const [first] = unplaced;
  return { wrong, rest: first === undefined ? null : new ApiProblem(problem.status, first, unplaced) };
}

const FIELDS = ["name", "dataset", "description", "checks", "schedule", "channels", "sla_target_percentage", "sla_window_days"];

/** `body.schedule.cron`, `checks[1].min` and `body.checks.1.min` name fields; a file of the project does not. */
function pathOf(where: string | null | undefined): string | null {
  if (where == null) return null;
  const path = where.replace(/^body\./, "").replace(/^checks\.(\d+)/, "checks[$1]");
  return FIELDS.some((field) => path === field || path.startsWith(`${field}.`) || path.startsWith(`${field}[`)) ? path : null;
}

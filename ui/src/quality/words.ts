/** Quality in words. Pure, so that the words can be tested. */
import type { MonitorRunView, MonitorView, ScheduleBody, SlaView } from "../api";
import type { Tone } from "../components";
import { duration, NONE, percent, plural, timeInData } from "../format/numbers";

const plain = new Intl.NumberFormat("en-US", { maximumFractionDigits: 2 });
const large = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const small = new Intl.NumberFormat("en-US", { maximumSignificantDigits: 3 });
const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const LARGE = 100_000;
const THOUSAND = 1_000;
const SMALL = 0.1;

/** A number of any size, short: 115.7K, 4,916, 12.5, 0.00123. */
export function figure(value: number | null | undefined): string {
  if (value == null || !Number.isFinite(value)) return value == null ? NONE : String(value);
  const size = Math.abs(value);
  if (size >= LARGE) return large.format(value);
  if (size >= THOUSAND) return whole.format(value);
  return size > 0 && size < SMALL ? small.format(value) : plain.format(value);
}

const GOOD = 100;
const FAIR = 90;

export function toneOfScore(score: number | null): Tone {
  if (score === null) return "calm";
  if (score >= GOOD) return "good";
  return score >= FAIR ? "warn" : "bad";
}

/** "core.orders@dev", or the table alone where it is the default branch. */
export function datasetAt(dataset: string, branch: string | null | undefined): string {
  return branch == null || dataset.includes("@") ? dataset : `${dataset}@${branch}`;
}

/** The table without its branch. */
export function tableOf(dataset: string): string {
  return dataset.split("@")[0] ?? dataset;
}

/** The branch of `core.orders@dev`, for links that open it there. */
export function branchIn({ dataset, branch }: { dataset: string; branch?: string | null }): string | undefined {
  return dataset.split("@")[1] ?? branch ?? undefined;
}

const MINUTES_OF_HOUR = 60;
const MINUTES_OF_DAY = 1440;

/** "every 15 minutes", "every 6 hours", "every day" */
export function everyInWords(minutes: number): string {
  const [many, unit] =
    minutes % MINUTES_OF_DAY === 0 ? [minutes / MINUTES_OF_DAY, "day"] : minutes % MINUTES_OF_HOUR === 0 ? [minutes / MINUTES_OF_HOUR, "hour"] : [minutes, "minute"];
  return many === 1 ? `every ${unit}` : `every ${plural(many, unit)}`;
}

const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

/** The crons that people write most, in words; the others as they are. */
export function cronInWords(cron: string): string {
  const parts = cron.trim().split(/\s+/);
  const [minute = "", hour = "", date = "", month = "", weekday = ""] = parts;
  const known = parts.length === 5 && /^\d+$/.test(minute) && date === "*" && month === "*";
  if (!known) return cron;
  if (hour === "*" && weekday === "*") return `every hour at minute ${minute}`;
  if (!/^\d+$/.test(hour)) return cron;
  const at = `at ${hour.padStart(2, "0")}:${minute.padStart(2, "0")}`;
  if (weekday === "*") return `every day ${at}`;
  if (weekday === "1-5") return `Monday to Friday ${at}`;
  const name = /^[0-7]$/.test(weekday) ? WEEKDAYS[Number(weekday)] : undefined;
  return name === undefined ? cron : `every ${name} ${at}`;
}

export function scheduleInWords(schedule: ScheduleBody | null): string {
  if (schedule === null) return "by hand";
  if (schedule.type === "on_change") return "after each change";
  if (schedule.type === "interval") return schedule.interval_minutes == null ? "at an interval" : everyInWords(schedule.interval_minutes);
  return schedule.cron == null ? "by a cron" : `${cronInWords(schedule.cron)} ${schedule.timezone}`;
}

/** "12 passed, 1 failed, 2 not measured"; what is none is not said, but for what passed. */
export function tallyInWords({ passed, failed, not_measured: unknown }: Pick<MonitorRunView, "passed" | "failed" | "not_measured">): string {
  const parts = [`${passed} passed`, failed > 0 ? `${failed} failed` : "", unknown > 0 ? `${unknown} not measured` : ""];
  return parts.filter((part) => part !== "").join(", ");
}

/** What a monitor's run came to, where it says more than its counts. */
export function runInWords(run: MonitorRunView): string {
  if (run.passed + run.failed + run.not_measured > 0) return tallyInWords(run);
  return run.error?.what ?? run.status;
}

const TRIGGERS: Record<MonitorRunView["trigger"], string> = { schedule: "on schedule", change: "after a change", manual: "by hand" };

export function triggerInWords({ trigger, by }: Pick<MonitorRunView, "trigger" | "by">): string {
  return trigger === "manual" && by !== "" ? `by ${by}` : TRIGGERS[trigger];
}

export function isUnderWay(run: Pick<MonitorRunView, "status"> | null): boolean {
  return run?.status === "queued" || run?.status === "running";
}

export interface SlaLook {
  tone: Tone;
  title: string;
  text: string;
}

/** How a service level stands, in a sentence. */
export function slaInWords(sla: SlaView): SlaLook {
  const share = `${sla.met} of ${plural(sla.runs, "run")} in ${plural(sla.window_days, "day")} had no failed check of severity error or critical`;
  const apart = sla.not_measured > 0 ? `; ${plural(sla.not_measured, "run")} not measured` : "";
  switch (sla.state) {
    case "no target":
      return { tone: "calm", title: "No target is set", text: `${share}${apart}.` };
    case "no runs":
      return { tone: "calm", title: "Not measured yet", text: `No run in ${plural(sla.window_days, "day")} could be measured${apart}.` };
    case "met":
      return { tone: "good", title: "The target is met", text: `${share}${apart}.` };
    case "at risk":
      return { tone: "warn", title: "The target is at risk", text: `${share}${apart}. At this pace the error budget does not last.` };
    default:
      return { tone: "bad", title: "The target is missed", text: `${share}${apart}.` };
  }
}

/** "burns 2.4 times too fast" */
export function burnInWords(rate: number | null): string {
  if (rate === null) return "no run";
  if (rate === 0) return "nothing was used up";
  if (rate <= 1) return `${plain.format(rate)}× · lasts the window`;
  return `${plain.format(rate)}× · too fast`;
}

export function budgetInWords(left: number | null): string {
  if (left === null) return NONE;
  return left < 0 ? `overdrawn by ${percent(-left)}` : percent(left);
}

/** What a check measured, as it is told: readings and thresholds side by side. */
export function listOfDetails(details: Record<string, unknown>, part: "readings" | "thresholds" | "statistics"): [string, string][] {
  const found: unknown = details[part];
  if (typeof found !== "object" || found === null || Array.isArray(found)) return [];
  return Object.entries(found).map(([name, value]) => [name.replaceAll("_", " "), textOf(value)]);
}

/** 4 ms, 812 ms, 2.4 s */
export function took(ms: number): string {
  if (ms < 1) return "under 1 ms";
  return ms < 1000 ? `${Math.round(ms)} ms` : duration(ms / 1000);
}

function textOf(value: unknown): string {
  if (typeof value === "number") return Number.isInteger(value) ? new Intl.NumberFormat("en-US").format(value) : String(value);
  if (typeof value === "string") return timeInData(value);
  if (value === null || value === undefined) return NONE;
  return JSON.stringify(value);
}

/** A check's own name, else its type and columns: as the pages of runs say it. */
export function nameOfResult({ type, columns, details }: { type: string; columns: readonly string[]; details?: Record<string, unknown> }): string {
  const given: unknown = details?.["name"];
  if (typeof given === "string" && given !== "") return given;
  return `${type.replaceAll("_", " ")}${columns.length > 0 ? ` of ${columns.join(", ")}` : ""}`;
}

export interface PartitionLine {
  name: string;
  verdict: string;
  message: string;
}

/** The partitions a check was judged in, failing ones first, as far as it kept them. */
export function partitionsOf(details: Record<string, unknown>): PartitionLine[] {
  const found: unknown = details["partitions"];
  const listed: unknown = Array.isArray(found) ? found : typeof found === "object" && found !== null ? Object.values(found).find(Array.isArray) : undefined;
  if (!Array.isArray(listed)) return [];
  return (listed as unknown[]).flatMap((one) => {
    if (typeof one !== "object" || one === null) return [];
    const entry = one as Record<string, unknown>;
    const name = entry["partition"] ?? entry["values"] ?? entry["name"];
    return [{ name: typeof name === "string" ? name : nameOfValues(name), verdict: textOf(entry["outcome"] ?? entry["verdict"]), message: textOf(entry["message"]) }];
  });
}

function nameOfValues(values: unknown): string {
  if (Array.isArray(values)) return values.map(textOf).join(", ");
  if (typeof values !== "object" || values === null) return textOf(values);
  return Object.entries(values).map(([name, value]) => `${name} = ${textOf(value)}`).join(", ");
}

/** Whether a monitor can be changed here: one of a file is changed in its file. */
export function isOfFile(monitor: Pick<MonitorView, "file">): boolean {
  return monitor.file !== null;
}

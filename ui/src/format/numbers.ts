/** Numbers, sizes and times as people read them. Always English, always UTC: two people who compare screens see the same. */

const whole = new Intl.NumberFormat("en-US", { maximumFractionDigits: 0 });
const tenth = new Intl.NumberFormat("en-US", { maximumFractionDigits: 1 });
const dayMonth = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", timeZone: "UTC" });
const dayMonthYear = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" });
const hourMinute = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", timeZone: "UTC" });
const localTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });

export const NONE = "–";

type Maybe<T> = T | null | undefined;

/** 387,001 */
export function count(value: Maybe<number>): string {
  return value == null ? NONE : whole.format(value);
}

/** +970, −3, ±0 */
export function signed(value: Maybe<number>): string {
  if (value == null) return NONE;
  if (value === 0) return "±0";
  return `${value > 0 ? "+" : "−"}${whole.format(Math.abs(value))}`;
}

/** "1 table", "3 tables" */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${whole.format(value)} ${value === 1 ? one : many}`;
}

/** 14.2 MB, in thousands as disks are sold. */
export function bytes(value: Maybe<number>): string {
  if (value == null) return NONE;
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let rest = value;
  let unit = 0;
  while (rest >= 999.95 && unit < units.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${unit === 0 ? whole.format(rest) : tenth.format(rest)} ${units[unit] ?? ""}`;
}

/** 0.4 s, 26 s, 2 min 48 s, 3 h 5 min */
export function duration(seconds: Maybe<number>): string {
  if (seconds == null) return NONE;
  if (seconds < 9.95) return `${tenth.format(seconds)} s`;
  const total = Math.round(seconds);
  if (total < 60) return `${total} s`;
  if (total < 3600) return join(Math.floor(total / 60), "min", total % 60, "s");
  if (total < 86_400) return join(Math.floor(total / 3600), "h", Math.round((total % 3600) / 60), "min");
  return join(Math.floor(total / 86_400), "d", Math.round((total % 86_400) / 3600), "h");
}

function join(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big} ${bigUnit}` : `${big} ${bigUnit} ${small} ${smallUnit}`;
}

/** 97.2%, 100%; never rounded up to a hundred that is not one. */
export function percent(value: Maybe<number>): string {
  if (value == null) return NONE;
  const shown = value < 100 && value > 99.9 ? 99.9 : value;
  return `${tenth.format(shown)}%`;
}

/** "3 min ago", "in 2 days" */
export function relative(time: Maybe<string>, now: number = Date.now()): string {
  if (time == null) return NONE;
  const seconds = (now - Date.parse(time)) / 1000;
  if (Math.abs(seconds) < 45) return "just now";
  const text = distance(Math.abs(seconds));
  return seconds > 0 ? `${text} ago` : `in ${text}`;
}

function distance(seconds: number): string {
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(seconds / 3600);
  if (hours < 24) return `${hours} h`;
  const days = Math.round(seconds / 86_400);
  if (days < 45) return plural(days, "day");
  const months = Math.round(days / 30.4);
  return months < 18 ? plural(months, "month") : plural(Math.round(days / 365), "year");
}

/** 2026-11-15 06:10:00 UTC */
export function exact(time: Maybe<string>): string {
  return time == null ? NONE : `${new Date(time).toISOString().slice(0, 19).replace("T", " ")} UTC`;
}

const WRITTEN = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})?$/;

/** A time within data, like all others: 2026-11-14 23:28:00 UTC. Parts of a second stay; one without a zone has none. */
export function timeInData(text: string): string {
  const [, date, time, parts = "", zone] = WRITTEN.exec(text) ?? [];
  if (date === undefined || time === undefined) return text;
  const rest = /[1-9]/.test(parts) ? `.${parts}` : "";
  if (zone === undefined) return `${date} ${time}${rest}`;
  const at = new Date(`${date}T${time}${zone}`);
  return Number.isNaN(at.getTime()) ? text : `${at.toISOString().slice(0, 19).replace("T", " ")}${rest} UTC`;
}

/** 15 Nov 06:10, with the year where it is not this one */
export function moment(time: Maybe<string>, now: number = Date.now()): string {
  return time == null ? NONE : `${day(time, now)} ${hourMinute.format(new Date(time))}`;
}

/** 15 Nov */
export function day(time: Maybe<string>, now: number = Date.now()): string {
  if (time == null) return NONE;
  const date = new Date(time);
  const sameYear = date.getUTCFullYear() === new Date(now).getUTCFullYear();
  return (sameYear ? dayMonth : dayMonthYear).format(date);
}

/** 22:03 on the clock of whoever reads it: for what happened in this browser. */
export function clock(time: number): string {
  return localTime.format(new Date(time));
}

/** The form that starts a run: its texts become a request, and what the server refuses goes back to its fields. */
import { ApiProblem, type ErrorView, type RunStart } from "../../api";
import type { runsSearch } from "./search";

export interface RunForm {
  selection: string;
  branch: string | null;
  params: string;
  start: string;
  end: string;
  message: string;
  force: boolean;
}

export type Field = Exclude<keyof RunForm, "force">;
export type Wrong = Partial<Record<Field, string>>;

export const NEW_RUN: RunForm = { selection: "", branch: null, params: "", start: "", end: "", message: "", force: false };

/** The form as an address fills it in. */
export function formFrom(search: ReturnType<typeof runsSearch>): RunForm {
  return {
    selection: (search.select ?? []).join(" "),
    branch: search.branch ?? null,
    params: (search.params ?? []).join("\n"),
    start: search.start ?? "",
    end: search.end ?? "",
    message: search.message ?? "",
    force: search.force === "yes",
  };
}

/** The request, and what is wrong with the form before anyone has to ask the server. */
export function readForm(form: RunForm): { request: Partial<RunStart>; wrong: Wrong } {
  const wrong: Wrong = {};
  const params = readParams(form.params, wrong);
  const start = readTime(form.start, "start", wrong);
  const end = readTime(form.end, "end", wrong);
  if (start !== null && form.end.trim() === "") wrong.end = "A time range has both ends: say where it ends, or leave out where it begins.";
  if (end !== null && form.start.trim() === "") wrong.start = "A time range has both ends: say where it begins, or leave out where it ends.";
  if (start !== null && end !== null && start >= end) wrong.end = "The end is not after the beginning.";
  const request: Partial<RunStart> = {
    selection: form.selection.split(/[\s,]+/).filter((one) => one !== ""),
    params,
    force: form.force,
    ...(form.branch === null ? {} : { branch: form.branch }),
    ...(start === null ? {} : { start }),
    ...(end === null ? {} : { end }),
    ...(form.message.trim() === "" ? {} : { message: form.message.trim() }),
  };
  return { request, wrong };
}

/** One `name=value` a line; the value may hold anything, `=` too. */
function readParams(text: string, wrong: Wrong): Record<string, string> {
  const params = new Map<string, string>();
  for (const line of text.split("\n").filter((one) => one.trim() !== "")) {
    const sign = line.indexOf("=");
    const name = line.slice(0, Math.max(sign, 0)).trim();
    if (name === "") wrong.params ??= `“${line.trim()}” is not name=value.`;
    else if (params.has(name)) wrong.params ??= `${name} is there twice.`;
    else params.set(name, line.slice(sign + 1).trim());
  }
  return Object.fromEntries(params);
}

const TIME = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2})?))?\s*(Z|UTC|[+-]\d{2}:\d{2})?$/i;

/** A day, or a day and a time; UTC unless it says otherwise. */
function readTime(text: string, field: "start" | "end", wrong: Wrong): string | null {
  if (text.trim() === "") return null;
  const [, day = "", time = "00:00", zone = "Z"] = TIME.exec(text.trim()) ?? [];
  const at = new Date(`${day}T${time}${zone.toUpperCase() === "UTC" ? "Z" : zone.toUpperCase()}`);
  // The 30th of February would become a day in March.
  const real = !Number.isNaN(at.getTime()) && new Date(`${day}T00:00Z`).toISOString().startsWith(day);
  if (real) return at.toISOString();
  wrong[field] = `“${text.trim()}” is no time. Write it like 2026-11-14 or 2026-11-14 06:00.`;
  return null;
}

/** What the server refused, by field; `rest` is what belongs to none. */
export function sortProblem(problem: ApiProblem): { wrong: Wrong; rest: ApiProblem | null } {
  const self: ErrorView = { code: problem.code, what: problem.message, where: problem.where, why: problem.why, fix: problem.fix };
  const wrong: Wrong = {};
  const unplaced: ErrorView[] = [];
  for (const error of problem.errors.length > 0 ? problem.errors : [self]) {
    const field = fieldOf(error);
    if (field === null) unplaced.push(error);
    else wrong[field] = [wrong[field], sayOf(error)].filter((part) => part !== undefined).join(" ");
  }
  const first = unplaced[0];
  return { wrong, rest: first === undefined ? null : new ApiProblem(problem.status, first, unplaced) };
}

const FIELDS: readonly Field[] = ["selection", "branch", "params", "start", "end", "message"];

function fieldOf(error: ErrorView): Field | null {
  const [body, part] = (error.where ?? "").split(".");
  if (body === "body") return FIELDS.find((field) => field === part) ?? null;
  // It is about a file of the project, not about this form.
  if (error.where != null) return null;
  const code = error.code.replace("FORGE-", "");
  if (code === "E602" || code === "E604") return "branch";
  if (code !== "E105" && code !== "E108") return null;
  const bound = /\bparameter '?(start|end)\b/.exec(error.what)?.[1];
  if (bound === "start" || bound === "end") return bound;
  if (/\bparameter\b/.test(error.what)) return "params";
  if (/\bstart\b|\bend\b/.test(error.what)) return "end";
  if (/\bmessage\b/.test(error.what)) return "message";
  return code === "E108" ? "selection" : null;
}

function sayOf({ what, why, fix }: ErrorView): string {
  const words = [what, why, fix].filter((part) => part != null && part !== "").map((part) => (/[.!?]$/.test(part ?? "") ? part : `${part ?? ""}.`));
  const said = words.join(" ").replaceAll("`", "");
  // A sentence begins with a capital letter; a name of Forge's (`core.orders …`) stays as it is.
  return /^[a-z]+ /.test(said) ? said.charAt(0).toUpperCase() + said.slice(1) : said;
}

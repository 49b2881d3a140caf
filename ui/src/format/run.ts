/** A run as a time, as the address that starts another, and as a command. */
import { hasEnded, type RunStart, type RunView } from "../api";
import { inShell } from "./shell";

/** How long it took, or takes already. */
export function secondsOf(run: RunView, now: number): number | null {
  if (run.seconds != null) {
    // History that was replayed has the times it was given; no run is shorter than its longest table.
    return Math.max(run.seconds, ...run.outputs.map((output) => output.seconds));
  }
  if (run.started_at == null || hasEnded(run.status)) return null;
  return Math.max(0, (now - Date.parse(run.started_at)) / 1000);
}

/** What of a run is said again: in the dialog, or in the terminal. */
export type Again = Pick<RunStart, "selection" | "params"> & Partial<RunStart>;

/** The address of the dialog, filled in with a request. */
export function dialogFor(request: Again) {
  return {
    run: "new" as const,
    branch: request.branch ?? undefined,
    select: request.selection.length === 0 ? undefined : request.selection,
    start: timeWords(request.start),
    end: timeWords(request.end),
    params: listOf(request.params),
    message: request.message ?? undefined,
    force: request.force === true ? ("yes" as const) : undefined,
  };
}

/** The same in the terminal; without a branch, on the default one. */
export function runCommand(request: Again): string {
  const options = [
    ["--branch", request.branch ?? undefined],
    ["--start", timeWords(request.start)],
    ["--end", timeWords(request.end)],
    ...(listOf(request.params) ?? []).map((one) => ["--param", one] as const),
  ] as const;
  const said = options.flatMap(([option, value]) => (value === undefined ? [] : [option, inShell(value)]));
  return ["forge run", ...request.selection.map(inShell), ...said].join(" ");
}

function listOf(params: Record<string, string>): string[] | undefined {
  const all = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  return all.length === 0 ? undefined : all;
}

/** 2026-11-14 of midnight UTC, else 2026-11-14T06:00:00Z. */
function timeWords(time: string | null | undefined): string | undefined {
  if (time == null) return undefined;
  const written = new Date(time).toISOString().slice(0, 19);
  return written.endsWith("T00:00:00") ? written.slice(0, 10) : `${written}Z`;
}

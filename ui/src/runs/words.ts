/** A run in words: what it made, how long it took, how it stands. The same words as the terminal's. */
import type { OutputView, RunDetail, RunView, SparkView } from "../api";
import type { Tone } from "../components";
import { plural } from "../format/numbers";

/** Statuses of outputs in the order they matter, and how a count of them is said. */
const MADE: readonly (readonly [status: string, words: string])[] = [
  ["published", "published"],
  ["blocked", "held back"],
  ["failed", "failed"],
  ["skipped", "skipped"],
  ["passed", "passed but not published"],
  ["up to date", "up to date"],
];

/** "2 published, 1 held back, 1 skipped" */
export function madeOf(outputs: readonly OutputView[]): string {
  const parts = MADE.map(([status, words]) => [countOf(outputs, status), words] as const);
  return parts
    .filter(([number]) => number > 0)
    .map(([number, words]) => `${number} ${words}`)
    .join(", ");
}

function countOf(outputs: readonly OutputView[], status: string): number {
  return outputs.filter((output) => output.status === status).length;
}

/** One line about a run in a list. */
export function lineOf(run: RunView): string {
  if (run.status === "queued") return "waits for its turn";
  if (run.status === "running") return run.step === "cancelling" ? "is being cancelled" : "at work";
  const stopped = run.status === "cancelled" || run.status === "interrupted";
  const made = stopped && run.commit == null ? "" : madeOf(run.outputs);
  return made === "" ? "nothing published" : made;
}

/** The selectors as typed; none means everything. */
export function selectionOf(run: RunView): string {
  if (run.text) return run.text; // a question: what is asked
  return run.selection.length === 0 ? "everything" : run.selection.join(" ");
}

export interface Lead {
  tone: Tone;
  title: string;
  /** Sentences. */
  text: string[];
}

/** What a person wants to know first: how the run stands, and what it means for whoever reads the tables. */
export function leadOf(run: RunDetail, spark?: SparkView): Lead {
  if (run.kind === "monitor" && run.status === "succeeded") return monitored(run);
  switch (run.status) {
    case "queued":
      return queued(run);
    case "running":
      return running(run, spark);
    case "succeeded":
      return { tone: "good", title: `${plural(countOf(run.outputs, "published"), "table")} published as one commit`, text: also(run, "published") };
    case "blocked":
      return blocked(run);
    case "failed":
      return { tone: "bad", title: "The run failed", text: [published(run), ...also(run, "published")] };
    case "conflict":
      return { tone: "warn", title: `${run.branch} moved while the run worked`, text: [published(run), "Run it again on top of what is there now."] };
    case "nothing to do":
      return { tone: "calm", title: "Everything was up to date", text: ["Nothing it reads, and nothing in its code, has changed since the tables were made."] };
    case "cancelled":
      return { tone: "calm", title: "The run was cancelled", text: [published(run)] };
    case "interrupted":
      return { tone: "warn", title: "The run was cut off", text: [run.started_at == null ? "The server was stopped before its turn came." : "The server or terminal it worked in was stopped.", published(run)] };
  }
}

/** A monitor publishes nothing: it looks at what is published. */
function monitored({ verdicts }: RunDetail): Lead {
  const failed = verdicts.filter((verdict) => verdict.outcome === "failed").length;
  const unknown = verdicts.filter((verdict) => verdict.outcome === "not measured").length;
  const text = ["It looked at what is published and changed nothing."];
  if (failed > 0) return { tone: "bad", title: `${plural(failed, "check")} of ${verdicts.length} failed`, text };
  if (unknown > 0) return { tone: "warn", title: `${plural(unknown, "check")} of ${verdicts.length} could not be measured`, text };
  return { tone: "good", title: verdicts.length === 1 ? "The check passed" : `All ${verdicts.length} checks passed`, text };
}

function queued(run: RunDetail): Lead {
  const before = run.progress?.queue_position ?? 0;
  return before === 0
    ? { tone: "calm", title: "Next in the queue", text: ["It begins as soon as there is room."] }
    : { tone: "calm", title: `${plural(before, "run")} before it in the queue`, text: ["It begins by itself when its turn comes."] };
}

function running(run: RunDetail, spark: SparkView | undefined): Lead {
  if (run.step === "cancelling") {
    return { tone: "busy", title: "Cancelling…", text: ["Spark is being stopped. What was not published yet will not be."] };
  }
  const tables = run.progress?.tables ?? [];
  const events = run.progress?.events ?? [];
  const work = tables.filter((table) => AT_WORK.has(table.step));
  if (spark?.state === "starting" && !tables.some((table) => table.step === "staged")) {
    return { tone: "busy", title: "Spark is starting…", text: ["Most often a few seconds. The run goes on by itself."] };
  }
  if (events.at(-1)?.step === "publishing") {
    return { tone: "busy", title: "Publishing…", text: ["All tables that passed become visible at once, as one commit."] };
  }
  if (tables.length === 0) {
    return { tone: "busy", title: "At work in another process", text: [`It was started elsewhere${place(run)}; its tables are shown when it has ended.`] };
  }
  const done = tables.filter((table) => table.step !== "waiting" && !AT_WORK.has(table.step)).length;
  const title = work.length === 0 ? "Getting ready…" : `Working on ${work.map((table) => table.table).join(", ")}`;
  return { tone: "busy", title, text: [`${done} of ${plural(tables.length, "table")} done. Readers see nothing of it until it is published.`] };
}

/** What a table's newest word is while it is worked on. */
const AT_WORK: ReadonlySet<string> = new Set(["started", "planned", "staged", "checked"]);

function place(run: RunView): string {
  if (run.host === "") return "";
  return run.pid == null ? ` (${run.host})` : ` (${run.host}, process ${run.pid})`;
}

function blocked(run: RunDetail): Lead {
  const held = run.outputs.filter((output) => output.status === "blocked");
  const first = held[0];
  const title = first === undefined ? "The run was blocked" : held.length === 1 ? `${first.table} was held back` : `${held.length} tables were held back`;
  const why = held.map((output) => (held.length === 1 ? output.reason : `${output.table}: ${output.reason}`)).filter((reason) => reason !== "");
  const them = held.length === 1 ? "it" : "them";
  const skipped = countOf(run.outputs, "skipped");
  const fallen = skipped === 0 ? [] : [`${plural(skipped, "table")} that ${skipped === 1 ? "stands" : "stand"} on ${them} ${skipped === 1 ? "was" : "were"} skipped.`];
  const kept = `Readers of ${them} keep the version before.`;
  return { tone: "bad", title, text: [...why.map(ended), kept, ...fallen, published(run), ...also(run, "published", "blocked", "skipped")] };
}

function ended(sentence: string): string {
  return /[.!?…]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** "Nothing was published." or how much was. */
function published(run: RunView): string {
  const number = run.commit == null ? 0 : countOf(run.outputs, "published");
  if (number === 0) return run.commit == null ? "Nothing was published." : "A commit was published.";
  return `${plural(number, "table")} that passed ${number === 1 ? "was" : "were"} published.`;
}

/** What became of the others. */
function also(run: RunView, ...said: string[]): string[] {
  const others = run.outputs.filter((output) => !said.includes(output.status));
  return others.length === 0 ? [] : [`${madeOf(others)}.`];
}

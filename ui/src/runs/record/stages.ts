/** Where each table of a run is: started, staged, checked, published; or where on that way it was stopped. */
import { hasEnded, type OutputView, type RunDetail, type StepView } from "../../api";

export interface Stage {
  word: string;
  /** `stopped`: here it ended, for the reason that `word` names. `never`: it will not come to that. */
  state: "done" | "now" | "ahead" | "stopped" | "never";
}

export interface TableWay {
  table: string;
  /** The word for all of it: waiting, at work, published, blocked, … */
  word: string;
  detail: string;
  stages: Stage[];
  output: OutputView | undefined;
  step: StepView;
}

const WAY = ["started", "staged", "checked", "published"] as const;
const END: ReadonlySet<string> = new Set(["published", "passed", "up to date", "blocked", "failed", "skipped"]);

/** All tables of a run, in the order it makes them. Older runs have outputs only. */
export function waysOf(run: RunDetail): TableWay[] {
  const outputs = new Map(run.outputs.map((output) => [output.table, output]));
  const steps = run.progress?.tables ?? [];
  const known = new Set(steps.map((step) => step.table));
  const rest = run.outputs.filter((output) => !known.has(output.table)).map(stepOf);
  return [...steps, ...rest].map((step) => wayOf(run, step, outputs.get(step.table)));
}

function stepOf(output: OutputView): StepView {
  return { table: output.table, step: output.status, detail: output.reason, stages_done: 0, stages_known: 0, tasks_done: 0, tasks_known: 0 };
}

function wayOf(run: RunDetail, step: StepView, output: OutputView | undefined): TableWay {
  const over = hasEnded(run.status);
  // A table that was worked on when the run ended has no end of its own: it has the run's.
  const word = over && !END.has(step.step) ? (step.step === "waiting" ? "skipped" : run.status) : step.step;
  const way = output?.kind === "view" ? WAY.filter((stage) => stage !== "staged") : [...WAY];
  const reached = reachedOf(run, step, output, way);
  return { table: step.table, word: wordOf(word, over), detail: step.detail, stages: stagesOf(way, word, reached, run), output, step };
}

/** What is worked on is "at work" whatever its newest step is; one that passed waits for the others. */
function wordOf(word: string, over: boolean): string {
  if (over) return word;
  if (word === "passed") return "checked";
  return END.has(word) || word === "waiting" ? word : "running";
}

/** How many stages of the way lie behind it. */
function reachedOf(run: RunDetail, step: StepView, output: OutputView | undefined, way: readonly string[]): number {
  if (step.step === "published") return way.length;
  if (step.step === "passed") return way.indexOf("checked") + 1;
  if (["waiting", "skipped", "up to date"].includes(step.step)) return 0;
  const said = (run.progress?.events ?? []).filter((event) => event.table === step.table).map((event) => event.step);
  const staged = said.includes("staged") || step.step === "staged" || output?.snapshot_id != null;
  // A check that said no was reached, whether or not the table was staged for it.
  if (step.step === "blocked" || staged) return way.indexOf("checked");
  return 1;
}

function stagesOf(way: readonly string[], word: string, reached: number, run: RunDetail): Stage[] {
  const over = hasEnded(run.status);
  const publishing = run.progress?.events.at(-1)?.step === "publishing";
  return way.map((stage, index) => {
    if (index < reached) return { word: stage, state: "done" };
    if (["skipped", "up to date"].includes(word) || (word === "passed" && over)) return { word: stage, state: "never" };
    if (["blocked", "failed"].includes(word) || over) {
      return index === reached ? { word, state: "stopped" } : { word: stage, state: "never" };
    }
    const now = index === reached && word !== "waiting" && (stage !== "published" || publishing);
    return { word: stage, state: now ? "now" : "ahead" };
  });
}

/** "stage 2 of 3 known · tasks 4/8"; empty where Spark has not said anything. Never a percentage: more may come. */
export function sparkLine({ stages_done, stages_known, tasks_done, tasks_known }: StepView): string {
  if (stages_known === 0) return "";
  return `stage ${Math.min(stages_done + 1, stages_known)} of ${stages_known} known · tasks ${tasks_done}/${tasks_known}`;
}

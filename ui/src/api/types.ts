/** The wire's shapes under their own names, and the words within them. */
import type { RunView, VerdictView } from "./schema";

export type * from "./schema";

export type RunWord = RunView["status"];
export type OutcomeWord = VerdictView["outcome"];
export type SeverityWord = VerdictView["severity"];
export type Direction = "upstream" | "downstream" | "both";

/** The wire's shapes under their own names, and the words within them. */
import type { QueryResultView as WireResult, RunView, SearchHit as WireHit, Suggestion as WireSuggestion, VerdictView } from "./schema";

export type * from "./schema";

/** As the client reads it: a pair is a list of numbers. */
type AsRead<T> = T extends readonly [number, number] ? number[] : T extends readonly (infer E)[] ? AsRead<E>[] : T extends object ? { [K in keyof T]: AsRead<T[K]> } : T;

export type SearchHit = AsRead<WireHit>;
export type Suggestion = AsRead<WireSuggestion>;
/** As it is asked for here: its rows once, as lists of values. */
export type QueryResultView = Omit<WireResult, "items" | "rows"> & { rows: NonNullable<WireResult["rows"]> };
export type RunWord = RunView["status"];
export type OutcomeWord = VerdictView["outcome"];
export type SeverityWord = VerdictView["severity"];
export type Direction = "upstream" | "downstream" | "both";

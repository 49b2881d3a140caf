/** The API: queries, actions, live runs, shapes and problems. */
export * from "./actions";
export { client, unwrap } from "./client";
export { hasEnded, useRunEvents, type LiveRun } from "./events";
export * from "./lineage";
export { ApiProblem, asProblem } from "./problem";
export * from "./queries";
export * from "./sources";
export type * from "./types";

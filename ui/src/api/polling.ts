/** Answers that take longer than a request should: the server says by which run it goes on. */
import { client, unwrap } from "./client";
import { hasEnded } from "./events";
import { ApiProblem, problemOf } from "./problem";
import type { RunDetail, RunTicket } from "./types";

const ASK_AGAIN_MS = 700;
const ACCEPTED = 202;

export interface Sent<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

export function isTicket(answer: unknown, response: Response): answer is RunTicket {
  return response.status === ACCEPTED && typeof answer === "object" && answer !== null && "run_id" in answer;
}

/** Asks until the answer is there: the server works on, and the same request waits for the same work. */
export async function waitFor<T>(ask: () => Promise<Sent<T>>): Promise<Exclude<T, RunTicket>> {
  for (;;) {
    const { data, error, response } = await ask();
    if (!response.ok) throw problemOf(response.status, error);
    if (!isTicket(data, response)) return data as Exclude<T, RunTicket>;
    await pause(ASK_AGAIN_MS);
  }
}

/** The run to its end; what went wrong in it is thrown as if the request had answered it. */
export async function followed(runId: string): Promise<RunDetail> {
  for (;;) {
    const run = await unwrap(client.GET("/api/v1/runs/{run_id}", { params: { path: { run_id: runId } } }));
    if (hasEnded(run.status)) {
      if (run.status === "failed" || run.status === "cancelled" || run.status === "interrupted") {
        throw new ApiProblem(500, run.error ?? { code: "", what: `Run ${runId} was ${run.status}` });
      }
      return run;
    }
    await pause(ASK_AGAIN_MS);
  }
}

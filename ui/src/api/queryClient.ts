import { MutationCache, QueryCache, QueryClient } from "@tanstack/react-query";

import { onRecovery } from "./connection";
import { ApiProblem } from "./problem";

const TRIES_WHILE_BUSY = 3;

/** Data stays on screen when a refresh fails; only a busy server is asked again by itself. */
export function makeQueries(onSignedOut: (problem: ApiProblem) => void): QueryClient {
  const watch = (error: unknown): void => {
    if (error instanceof ApiProblem && error.signedOut) onSignedOut(error);
  };
  const queries = new QueryClient({
    queryCache: new QueryCache({ onError: watch }),
    mutationCache: new MutationCache({
      onError: (error, _variables, _result, mutation) => {
        // A refused token on the sign-in page is that page's own matter.
        if (mutation.meta?.["ownsSignIn"] !== true) watch(error);
      },
    }),
    defaultOptions: {
      queries: {
        // Whether Forge answers is found out by asking it: a loopback server works without a network.
        networkMode: "always",
        staleTime: 10_000,
        gcTime: 30 * 60_000,
        retry: (failed, error) => error instanceof ApiProblem && error.temporary && failed < TRIES_WHILE_BUSY,
        retryDelay: (attempt) => Math.min(500 * 2 ** attempt, 4_000),
      },
      mutations: { networkMode: "always", retry: false },
    },
  });
  onRecovery(() => void queries.invalidateQueries());
  return queries;
}

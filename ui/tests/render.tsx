/** Renders the app at an address, with answers in place of a server. */
import { MantineProvider } from "@mantine/core";
import { QueryClientProvider } from "@tanstack/react-query";
import { createMemoryHistory, RouterProvider } from "@tanstack/react-router";
import { render } from "@testing-library/react";
import { vi } from "vitest";

import { makeQueries } from "../src/api/queryClient";
import type { SystemView } from "../src/api/types";
import { leaveForLogin } from "../src/routing/leaveForLogin";
import { makeRouter } from "../src/routing/router";
import { theme, variables } from "../src/theme/theme";

/** By method and path: what is answered, or a function of the request. `[status, body]` for anything but 200. */
export type Answers = Record<string, unknown>;

export const system: SystemView = {
  version: "0.1.0",
  project: "shop",
  started_at: "2026-11-15T22:00:00Z",
  spark: { state: "stopped", master: "local[*]", since: null, error: null },
  jobs_running: 0,
  jobs_queued: 0,
  jobs_limit: 20,
  reads: { running: 0, waiting: 0, tokens: 0, at_once: 4, per_token: 2, waiting_limit: 8, seconds: 120, rows: 1000 },
  database: "sqlite",
  publish: "One transaction.",
  interrupted: [],
};

class Status {
  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {}
}

/** An answer other than 200. */
export function status(code: number, body: unknown): Status {
  return new Status(code, body);
}

/** From now on these are the answers; what is asked goes on in `asked`. */
export function serve(answers: Answers, asked: Request[] = []): Request[] {
  const known: Answers = {
    "GET /api/v1/system": system,
    "GET /api/v1/branches": { items: [], next_cursor: null, has_more: false },
    ...answers,
  };
  vi.stubGlobal("fetch", (input: Request | string) => {
    const request = typeof input === "string" ? new Request(new URL(input, location.origin)) : input;
    asked.push(request.clone());
    const key = `${request.method} ${decodeURIComponent(new URL(request.url).pathname)}`;
    const found = known[key];
    if (found instanceof Error) return Promise.reject(found);
    const answer =
      found instanceof Status
        ? found
        : new Status(found === undefined ? 404 : 200, found ?? { code: "FORGE-E108", detail: `No ${key}` });
    return Promise.resolve(
      new Response(answer.status === 204 ? null : JSON.stringify(answer.body), {
        status: answer.status,
        headers: { "content-type": answer.status < 400 ? "application/json" : "application/problem+json" },
      }),
    );
  });
  return asked;
}

export function renderPage(path: string, answers: Answers) {
  const asked = serve(answers);
  const queries = makeQueries((problem) => leaveForLogin(router, problem));
  const router = makeRouter(queries, createMemoryHistory({ initialEntries: [path] }));
  const view = render(
    <MantineProvider theme={theme} cssVariablesResolver={variables} env="test">
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </MantineProvider>,
  );
  return { ...view, router, queries, asked };
}

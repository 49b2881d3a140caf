import { describe, expect, it, vi } from "vitest";

import { client, unwrap } from "../../src/api/client";
import { ApiProblem, asProblem, problemOf } from "../../src/api/problem";

const BODY = {
  type: "about:blank",
  title: "Not found",
  status: 404,
  detail: "There is no table core.ordrs",
  instance: "/api/v1/catalog/assets/core.ordrs",
  code: "FORGE-E108",
  why: "Did you mean core.orders?",
  fix: "forge show core.orders",
  errors: [],
};
async function problemFrom(answer: Promise<Response>): Promise<ApiProblem> {
  vi.stubGlobal("fetch", () => answer);
  const caught: unknown = await unwrap(client.GET("/api/v1/session")).catch((error: unknown) => error);
  if (!(caught instanceof ApiProblem)) throw new Error("no problem was thrown");
  return caught;
}

describe("an error answer", () => {
  it("keeps code, what, why and fix", async () => {
    const problem = await problemFrom(Promise.resolve(new Response(JSON.stringify(BODY), { status: 404 })));
    expect(problem).toMatchObject({ status: 404, code: "FORGE-E108", message: BODY.detail, why: BODY.why, fix: BODY.fix });
  });

  it("that never came says that Forge cannot be reached", async () => {
    const problem = await problemFrom(Promise.reject(new TypeError("Failed to fetch")));
    expect(problem.unreachable).toBe(true);
  });

  it.each([502, 504])("of a proxy (%i) says that Forge cannot be reached", async (status) => {
    const problem = await problemFrom(Promise.resolve(new Response("<html>Bad gateway</html>", { status })));
    expect(problem.unreachable).toBe(true);
  });

  it("that is not problem+json is still readable", () => {
    expect(problemOf(500, "oops").message).toBe("The server answered 500");
  });

  it.each([
    [429, true],
    [503, true],
    [404, false],
    [500, false],
  ])("of status %i may pass by itself: %s", (status, temporary) => {
    expect(problemOf(status, { ...BODY, status }).temporary).toBe(temporary);
  });

  it("401 means signed out", () => expect(problemOf(401, BODY).signedOut).toBe(true));
});

it("a page's own file that cannot be fetched asks for a reload", () => {
  expect(asProblem(new TypeError("Failed to fetch dynamically imported module: /static/runs.js")).fix).toBe("Reload the page.");
  expect(asProblem(new Error("Unable to preload CSS for /static/runs.css")).fix).toBe("Reload the page.");
});

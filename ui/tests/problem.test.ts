import { describe, expect, it, vi } from "vitest";

import { client, unwrap } from "../src/api/client";
import { ApiProblem, asProblem, problemOf } from "../src/api/problem";
import { commandsIn } from "../src/parts/CopyCommand";

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

it.each([
  ["Start it with `forge serve`; this page goes on.", ["forge serve"]],
  ["Make one that may write: forge token create NAME --scope write", ["forge token create NAME --scope write"]],
  ["Open the address that `forge serve` printed, or type `forge token create NAME`.", ["forge serve", "forge token create NAME"]],
  ["Wait a moment.", []],
  ["Give one: forge run … --start 2026-11-14 --end 2026-11-15", []],
  ["Type `forge run … --force`.", []],
  ["Run it too: forge run +core.orders", ["forge run +core.orders"]],
  ["Take another name, or delete it: forge branch delete fix/a", ["forge branch delete fix/a"]],
  ["forge doctor", ["forge doctor"]],
])("commands in “%s”", (text, commands) => expect(commandsIn(text)).toEqual(commands));

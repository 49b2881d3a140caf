import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { ApiProblem, type ErrorView } from "../../../src/api";
import { NEW_RUN, readForm, sortProblem } from "../../../src/runs/list/form";
import { runsSearch } from "../../../src/runs/list/search";
import { blocked, interrupted, listed, queued, run, running, session } from "../../fixtures/runs";
import { renderPage, status, system, type Answers } from "../../render";

const show = (address: string, runs: Parameters<typeof listed>, more: Answers = {}) =>
  renderPage(address, { "GET /api/v1/runs": listed(...runs), "GET /api/v1/session": session, ...more });
const refusal = (errors: ErrorView[], code = 404) => {
  const [first] = errors;
  return status(code, { code: first?.code, detail: first?.what, where: first?.where, why: first?.why, fix: first?.fix, errors });
};

describe("the address of the runs", () => {
  it("keeps what makes sense", () => {
    expect(runsSearch({ branch: "main", status: "blocked", table: "core.orders", run: "new", select: "core.orders+" })).toEqual({
      branch: "main",
      status: "blocked",
      table: "core.orders",
      run: "new",
      select: ["core.orders+"],
    });
    expect(runsSearch({ status: "funny", run: "old" })).toEqual({});
  });
});

describe("the form of a run", () => {
  it("becomes a request; what is empty is left out", () => {
    expect(readForm(NEW_RUN)).toEqual({ request: { selection: [], params: {}, force: false }, wrong: {} });
    const { request, wrong } = readForm({
      selection: " core.orders+, tag:gold\nraw.* ",
      branch: "dev",
      params: "day = 2026-11-14\n\nfilter=a=b",
      start: "2026-11-13",
      end: "2026-11-14 06:30",
      message: " fix ",
      force: true,
    });
    expect(wrong).toEqual({});
    expect(request).toEqual({
      selection: ["core.orders+", "tag:gold", "raw.*"],
      branch: "dev",
      params: { day: "2026-11-14", filter: "a=b" },
      start: "2026-11-13T00:00:00.000Z",
      end: "2026-11-14T06:30:00.000Z",
      message: "fix",
      force: true,
    });
  });

  it("reads times with a zone", () => {
    expect(readForm({ ...NEW_RUN, start: "2026-11-13T01:00:00+01:00", end: "2026-11-13 06:00 UTC" }).request).toMatchObject({
      start: "2026-11-13T00:00:00.000Z",
      end: "2026-11-13T06:00:00.000Z",
    });
  });

  it.each([
    [{ params: "day" }, "params"],
    [{ params: "=x" }, "params"],
    [{ params: "day=1\nday=2" }, "params"],
    [{ start: "yesterday", end: "2026-11-14" }, "start"],
    [{ start: "2026-02-30", end: "2026-11-14" }, "start"],
    [{ start: "2026-11-13", end: "2026-11-13 25:00" }, "end"],
    [{ start: "2026-11-14", end: "2026-11-14" }, "end"],
    [{ start: "2026-11-14" }, "end"],
    [{ end: "2026-11-14" }, "start"],
  ])("refuses %j at the field %s", (part, field) => {
    expect(Object.keys(readForm({ ...NEW_RUN, ...part }).wrong)).toContain(field);
  });

  it.each<[ErrorView, string]>([
    [{ code: "FORGE-E602", what: "There is no branch 'mian'", why: "Did you mean main?" }, "branch"],
    [{ code: "FORGE-E108", what: "unknown parameter 'dy'", fix: "Did you mean day?" }, "params"],
    [{ code: "FORGE-E105", what: "the parameter day has no value" }, "params"],
    [{ code: "FORGE-E105", what: "the parameter start: 'x' is not a timestamp" }, "start"],
    [{ code: "FORGE-E105", what: "start and end go together" }, "end"],
    [{ code: "FORGE-E108", what: "no transform or source writes core.ordrs" }, "selection"],
    [{ code: "FORGE-E105", what: "Input should be a valid datetime", where: "body.start" }, "start"],
  ])("puts %j at the field %s", (error, field) => {
    const { wrong, rest } = sortProblem(new ApiProblem(422, error));
    expect(Object.keys(wrong)).toEqual([field]);
    expect(rest).toBeNull();
  });

  it("leaves above what belongs to no field", () => {
    const full: ErrorView = { code: "FORGE-E906", what: "20 runs wait already" };
    const file: ErrorView = { code: "FORGE-E108", what: "unknown parameter 'x'", where: "transforms/core/orders.sql:3:5" };
    const branch: ErrorView = { code: "FORGE-E602", what: "There is no branch 'x'" };
    expect(sortProblem(new ApiProblem(429, full))).toMatchObject({ wrong: {}, rest: { message: "20 runs wait already", status: 429 } });
    expect(sortProblem(new ApiProblem(404, branch, [branch, file]))).toMatchObject({
      wrong: { branch: "There is no branch 'x'." },
      rest: { message: "unknown parameter 'x'" },
    });
  });
});

describe("the list of runs", () => {
  it("says of each what it made, how long it took, who and what it became", async () => {
    show("/runs", [blocked]);
    const row = (await screen.findByRole("link", { name: blocked.run_id })).closest("tr");
    expect(row).toHaveTextContent("2 published, 1 held back, 1 skipped");
    expect(row).toHaveTextContent("9 s");
    expect(row).toHaveTextContent("sam");
    expect(row).toHaveTextContent("raw.orders+");
    expect(screen.getByRole("link", { name: "595bd9d1a74f" })).toBeVisible();
  });

  it("asks for what the address filters, and can forget it", async () => {
    const user = userEvent.setup();
    const { asked, router } = show("/runs?branch=dev&status=failed&table=core.orders", []);
    expect(await screen.findByText("No failed run of core.orders on dev")).toBeVisible();
    const first = asked.find((request) => request.url.includes("/api/v1/runs"));
    expect(Object.fromEntries(new URL(first?.url ?? "").searchParams)).toEqual({ branch: "dev", status: "failed", table: "core.orders" });
    await user.click(screen.getByRole("button", { name: "Show all runs" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it("puts a chosen status into the address", async () => {
    const user = userEvent.setup();
    const { router } = show("/runs", [blocked]);
    await user.click(await screen.findByRole("combobox", { name: "Status" }));
    await user.click(await screen.findByRole("option", { name: "blocked" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ status: "blocked" }));
  });

  it("takes a table at Enter, not at every letter", async () => {
    const user = userEvent.setup();
    const { router } = show("/runs", [blocked], { "GET /api/v1/catalog/suggest": { items: [] } });
    const field = await screen.findByRole("combobox", { name: "Table" });
    await user.type(field, "core.orders");
    expect(router.state.location.search).toEqual({});
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.search).toEqual({ table: "core.orders" }));
  });

  it("that is empty says how to make the first run", async () => {
    show("/runs", []);
    expect(await screen.findByText("No run yet")).toBeVisible();
    expect(screen.getByText("forge run")).toBeVisible();
    expect(await screen.findAllByRole("button", { name: "Run…" })).toHaveLength(2);
  });

  it("shows older runs when asked", async () => {
    const user = userEvent.setup();
    const { asked } = show("/runs", [], { "GET /api/v1/runs": { items: [blocked], next_cursor: "older", has_more: true } });
    await user.click(await screen.findByRole("button", { name: "Show older runs" }));
    await waitFor(() => expect(asked.some((request) => request.url.includes("cursor=older"))).toBe(true));
  });

  it("asks again by itself while a run works, not otherwise", async () => {
    const { queries } = show("/runs", [running]);
    await screen.findByText("at work");
    const interval = (): unknown => {
      const query = queries.getQueryCache().find({ queryKey: ["runs", { branch: undefined, status: undefined, table: undefined }] });
      const wanted = query?.observers[0]?.options.refetchInterval;
      return typeof wanted === "function" && query !== undefined ? wanted(query) : wanted;
    };
    expect(interval()).toBe(3000);
    queries.setQueriesData({ queryKey: ["runs"] }, { pages: [listed(blocked)], pageParams: [null] });
    await screen.findByText("blocked");
    expect(interval()).toBe(false);
  });

  it("names what the last stop of the server cut off, with a way to run it again", async () => {
    show("/runs", [interrupted], { "GET /api/v1/system": { ...system, interrupted: ["r_cut_off"] } });
    expect(await screen.findByText("The last stop of the server cut off 1 run")).toBeVisible();
    expect(screen.getByRole("link", { name: "Look and run again" })).toHaveAttribute("href", "/runs?status=interrupted");
    expect(await screen.findByRole("button", { name: "Run again: r_cut_off" })).toBeVisible();
  });
});

describe("starting a run", () => {
  it("sends what was typed and goes to the run", async () => {
    const user = userEvent.setup();
    const started = run({ ...queued, run_id: "r_new" });
    const { asked, router } = show("/runs?run=new&select=core.orders%2B", [], { "POST /api/v1/runs": status(202, started), "GET /api/v1/runs/r_new": started });
    const dialog = await screen.findByRole("dialog", { name: "Run tables" });
    expect(within(dialog).getByRole("textbox", { name: "Tables" })).toHaveValue("core.orders+");
    await user.type(within(dialog).getByRole("textbox", { name: "Parameters" }), "day=2026-11-14");
    await user.click(within(dialog).getByRole("checkbox", { name: "Run what is up to date, too" }));
    await user.click(within(dialog).getByRole("button", { name: "Run" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/runs/r_new"));
    const sent = asked.find((request) => request.method === "POST");
    expect(await sent?.json()).toEqual({ selection: ["core.orders+"], params: { day: "2026-11-14" }, force: true });
  });

  it("shows each problem at its field, takes the keyboard there, and asks nothing that cannot work", async () => {
    const user = userEvent.setup();
    const { asked } = show("/runs?run=new", [], {
      "POST /api/v1/runs": refusal([
        { code: "FORGE-E108", what: "unknown parameter 'dy'", where: null, why: null, fix: "Did you mean day?" },
        { code: "FORGE-E906", what: "20 runs wait already", where: null, why: null, fix: null },
      ]),
    });
    const dialog = await screen.findByRole("dialog", { name: "Run tables" });
    const params = within(dialog).getByRole("textbox", { name: "Parameters" });
    await user.type(params, "dy");
    await user.click(within(dialog).getByRole("button", { name: "Run" }));
    expect(params).toHaveAccessibleDescription(/“dy” is not name=value/);
    expect(params).toHaveFocus();
    expect(asked.some((request) => request.method === "POST")).toBe(false);
    await user.type(params, "=1");
    await user.click(within(dialog).getByRole("button", { name: "Run" }));
    expect(await within(dialog).findByText("20 runs wait already")).toBeVisible();
    expect(params).toHaveAccessibleDescription(/Unknown parameter 'dy'. Did you mean day\?/);
  });

  it("leaves the address when it is closed", async () => {
    const user = userEvent.setup();
    const { router } = show("/runs?branch=main&run=new", []);
    await screen.findByRole("dialog", { name: "Run tables" });
    await user.keyboard("{Escape}");
    await waitFor(() => expect(router.state.location.search).toEqual({ branch: "main" }));
  });

  it("is not offered to who may only read", async () => {
    const { queries } = show("/runs?run=new", [blocked], { "GET /api/v1/session": { ...session, scope: "read" } });
    await screen.findByText("blocked");
    await waitFor(() => expect(queries.getQueryData(["session"])).toBeDefined());
    expect(screen.queryByRole("button", { name: "Run…" })).not.toBeInTheDocument();
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { lost } from "../../../src/api/connection";
import { badFirst } from "../../../src/components/sampleColumns";
import { secondsOf } from "../../../src/format/run";
import { sampleOf, showSampleValue } from "../../../src/format/samples";
import { sparkLine, waysOf } from "../../../src/runs/record/stages";
import { groupByTable } from "../../../src/runs/record/verdicts";
import { leadOf, madeOf } from "../../../src/runs/words";
import { blocked, cancelled, COMMIT, failed, interrupted, listed, output, queued, run, running, session, step, verdict } from "../../fixtures/runs";
import { renderPage, status, system, type Answers } from "../../render";

const ID = blocked.run_id;
const RUN = `GET /api/v1/runs/${ID}`;
const show = (detail: typeof blocked, more: Answers = {}, search = "") =>
  renderPage(`/runs/${ID}${search}`, { [RUN]: detail, "GET /api/v1/session": session, ...more });
const lead = async () => {
  await screen.findByRole("link", { name: "main" });
  const found = document.querySelector(".run-lead");
  if (found === null) throw new Error("the page does not say how the run stands");
  return found;
};

describe("what a run made", () => {
  it("is counted in words, what matters first", () => {
    const outputs = [output("a", "skipped"), output("b", "published"), output("c", "blocked"), output("d", "published")];
    expect(madeOf(outputs)).toBe("2 published, 1 held back, 1 skipped");
    expect(madeOf([])).toBe("");
    expect(madeOf([output("a", "up to date"), output("b", "passed"), output("c", "failed")])).toBe("1 failed, 1 passed but not published, 1 up to date");
  });

  it("took no less than its longest table", () => {
    expect(secondsOf(run({ seconds: 0, outputs: [output("a", "published", { seconds: 2.6 })] }), 0)).toBe(2.6);
  });

  it("takes until now while it works, and nothing before it began", () => {
    const now = Date.parse("2026-11-15T22:10:00Z");
    expect(secondsOf(running, now)).toBe(60);
    expect(secondsOf(running, 0)).toBe(0);
    expect(secondsOf(queued, now)).toBeNull();
  });
});

describe("the way of a table", () => {
  const stages = (detail: typeof blocked, table: string) =>
    waysOf(detail)
      .find((way) => way.table === table)
      ?.stages.map((stage) => `${stage.word} ${stage.state}`);

  it("is at work on what comes after its newest step", () => {
    expect(stages(running, "core.orders")).toEqual(["started done", "staged now", "checked ahead", "published ahead"]);
    expect(stages(running, "marts.daily_revenue")).toEqual(["started ahead", "staged ahead", "checked ahead", "published ahead"]);
  });

  it("waits for the others once it is checked, until the run publishes", () => {
    expect(stages(running, "raw.orders")).toEqual(["started done", "staged done", "checked done", "published ahead"]);
    const events = [...(running.progress?.events ?? []), { at: "2026-11-15T22:09:05Z", table: null, step: "publishing", detail: "1 tables" }];
    const publishing = run({ ...running, progress: { queue_position: null, tables: [step("raw.orders", "passed")], events } });
    expect(stages(publishing, "raw.orders")?.at(-1)).toBe("published now");
  });

  it("of a view has nothing to stage", () => {
    expect(stages(blocked, "staging.orders")).toEqual(["started done", "checked done", "published done"]);
  });

  it("stops at the check that held it back", () => {
    expect(stages(blocked, "core.orders")).toEqual(["started done", "staged done", "blocked stopped", "published never"]);
  });

  it("stops where the run was cancelled", () => {
    expect(stages(cancelled, "raw.orders")).toEqual(["started done", "cancelled stopped", "checked never", "published never"]);
    expect(waysOf(cancelled).map((way) => way.word)).toEqual(["cancelled", "skipped"]);
  });

  it("of a table that failed stops after what it had reached", () => {
    expect(stages(failed, "core.orders")).toEqual(["started done", "failed stopped", "checked never", "published never"]);
    expect(stages(failed, "raw.orders")).toEqual(["started done", "staged done", "checked done", "published never"]);
  });

  it("counts the stages of Spark known so far, without a percentage", () => {
    expect(sparkLine(step("a", "started", { stages_done: 1, stages_known: 3, tasks_done: 4, tasks_known: 8 }))).toBe("stage 2 of 3 known · tasks 4/8");
    expect(sparkLine(step("a", "started", { stages_done: 3, stages_known: 3, tasks_done: 8, tasks_known: 8 }))).toBe("stage 3 of 3 known · tasks 8/8");
    expect(sparkLine(step("a", "started"))).toBe("");
  });
});

describe("verdicts", () => {
  it("come by table, failures first, the worst of them first", () => {
    const groups = groupByTable(blocked.verdicts);
    expect(groups.map((group) => group.table)).toEqual(["core.orders", "raw.orders"]);
    expect(groups[0]?.failed.map((one) => one.severity)).toEqual(["critical", "warning"]);
  });

  it("have only real rows in their sample", () => {
    expect(sampleOf(verdict("a.b", "c", "failed", { details: { sample: "none" } }))).toEqual([]);
    expect(sampleOf(verdict("a.b", "c", "failed", { details: { sample: [{ a: 1 }, null, 3, []] } }))).toEqual([{ a: 1 }]);
  });

  it("show masked values as dots and never a null as a text", () => {
    expect(showSampleValue("***")).toEqual({ text: "•••", masked: true, none: false });
    expect(showSampleValue(null).none).toBe(true);
    expect(showSampleValue({ a: [1] }).text).toBe('{"a":[1]}');
  });
});

describe("the columns of rows that failed", () => {
  it("begin with those that failed where there is little room", () => {
    expect(badFirst(["order_id", "email", "amount"], ["amount"])).toEqual(["amount", "order_id", "email"]);
  });
});

describe("how a run stands", () => {
  it("names its place in the queue", () => {
    expect(leadOf(queued).title).toBe("2 runs before it in the queue");
    expect(leadOf(run({ ...queued, progress: { queue_position: 0, tables: [], events: [] } })).title).toBe("Next in the queue");
  });

  it("says that Spark starts, as long as nothing has been staged", () => {
    expect(leadOf(running, { state: "starting", master: "local[*]" }).title).toBe("Spark is starting…");
    expect(leadOf(running, { state: "ready", master: "local[*]" }).title).toBe("Working on core.orders");
  });

  it("says where a run of a terminal works", () => {
    const elsewhere = leadOf(run({ status: "running", progress: { queue_position: null, tables: [], events: [] } }));
    expect(elsewhere.text.join(" ")).toContain("vm, process 5819");
  });

  it("says that nothing was published, and only then", () => {
    expect(leadOf(cancelled).text).toContain("Nothing was published.");
    expect(leadOf(interrupted).text).toContain("Nothing was published.");
    expect(leadOf(blocked).text).toContain("2 tables that passed were published.");
  });
});

describe("the page of a run", () => {
  it("that works shows where each table is, and that it is not live without a stream", async () => {
    show(running);
    expect(await lead()).toHaveTextContent("Working on core.orders");
    const way = screen.getByRole("list", { name: "Stages of core.orders" });
    expect(within(way).getByText("staged").closest("li")).toHaveAttribute("aria-current", "step");
    expect(screen.getByText("stage 2 of 3 known · tasks 4/8")).toBeVisible();
    expect(screen.getByText("polling")).toBeVisible();
    expect(screen.getByText("1 min")).toBeVisible();
  });

  it("says when Forge does not answer any more", async () => {
    const { unmount } = show(running);
    await lead();
    lost();
    expect(await screen.findByText("reconnecting")).toBeVisible();
    unmount();
  });

  it("says that Spark is starting", async () => {
    show(running, { "GET /api/v1/system": { ...system, spark: { state: "starting", master: "local[*]" } } });
    expect(await screen.findByText("Spark is starting…")).toBeVisible();
  });

  it("asks before it cancels, and says what will not happen", async () => {
    const user = userEvent.setup();
    const { asked } = show(running, { [`DELETE /api/v1/runs/${ID}`]: running });
    await user.click(await screen.findByRole("button", { name: "Cancel…" }));
    const dialog = await screen.findByRole("dialog", { name: "Cancel this run?" });
    expect(dialog).toHaveTextContent("Nothing of it is published; main stays as it is.");
    expect(asked.some((request) => request.method === "DELETE")).toBe(false);
    await user.click(within(dialog).getByRole("button", { name: "Cancel the run" }));
    expect(asked.some((request) => request.method === "DELETE")).toBe(true);
  });

  it("keeps the question open where it could not be cancelled", async () => {
    const user = userEvent.setup();
    show(running, { [`DELETE /api/v1/runs/${ID}`]: status(409, { code: "FORGE-E909", detail: "Run has ended: succeeded", errors: [] }) });
    await user.click(await screen.findByRole("button", { name: "Cancel…" }));
    const dialog = await screen.findByRole("dialog", { name: "Cancel this run?" });
    await user.click(within(dialog).getByRole("button", { name: "Cancel the run" }));
    expect(await within(dialog).findByText("Run has ended: succeeded")).toBeVisible();
  });

  it("that was cancelled says that nothing was published, and is no error", async () => {
    show(cancelled);
    expect(await lead()).toHaveTextContent("The run was cancelledNothing was published.");
    expect(screen.queryByText("FORGE-E901")).not.toBeInTheDocument();
  });

  it("that failed shows the error in full, once", async () => {
    show(failed);
    const problem = await screen.findByRole("alert");
    for (const part of ["FORGE-E304", "Spark was killed", "core.orders", "Its process ended while it worked.", "Give it more memory"]) {
      expect(problem).toHaveTextContent(part);
    }
    expect(screen.getAllByRole("alert")).toHaveLength(1);
  });

  it("that was blocked says why, what readers have, and shows the rows with masked values hidden", async () => {
    show(blocked);
    const told = await lead();
    expect(told).toHaveTextContent("core.orders was held back");
    expect(told).toHaveTextContent("102 of 387,001 rows (0.03%) are outside 0 … 5000");
    expect(told).toHaveTextContent("Readers of it keep the version before. 1 table that stands on it was skipped. 2 tables that passed were published.");
    const rows = screen.getByRole("region", { name: /Rows of core.orders that failed: amount is in euros/ });
    expect(within(rows).getByText("25547.98")).toBeVisible();
    expect(within(rows).getByText("masked")).toBeInTheDocument();
    expect(within(rows).queryByText("***")).not.toBeInTheDocument();
    expect(screen.getByRole("link", { name: COMMIT.slice(0, 12) })).toHaveAttribute("href", `/commits/${COMMIT}`);
  });

  it("has what is open in its address", async () => {
    const user = userEvent.setup();
    const { router } = show(blocked);
    await user.click(await screen.findByRole("button", { name: "Hide the rows" }));
    expect(await screen.findByRole("button", { name: "Show 1 row that failed" })).toHaveAttribute("aria-expanded", "false");
    expect(router.state.location.searchStr).toBe("?open=none");
    expect(screen.queryByText("country: no NULL")).not.toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Show what passed" }));
    expect(await screen.findByText("country: no NULL")).toBeVisible();
    expect(router.state.location.searchStr).toBe("?open=none&passed=shown");
  });

  it("of main is looked at before it is run again", async () => {
    const user = userEvent.setup();
    const again = run({ ...queued, run_id: "r_again" });
    const request = { ...interrupted.request, selection: ["raw.orders+"], params: { day: "2026-11-14" }, force: true, start: "2026-11-14T00:00:00Z", end: "2026-11-14T06:00:00Z" };
    const { asked } = show(run({ ...interrupted, run_id: ID, request }), { "GET /api/v1/runs": listed(), "POST /api/v1/runs": status(202, again), "GET /api/v1/runs/r_again": again });
    await user.click(await screen.findByRole("button", { name: `Run again: ${ID}` }));
    const dialog = await screen.findByRole("dialog", { name: "Run tables" });
    expect(asked.some((one) => one.method === "POST")).toBe(false);
    await user.click(within(dialog).getByRole("button", { name: "Run" }));
    await screen.findByText("2 runs before it in the queue");
    expect(await asked.find((one) => one.method === "POST")?.json()).toEqual({
      selection: ["raw.orders+"],
      branch: "main",
      params: { day: "2026-11-14" },
      force: true,
      start: "2026-11-14T00:00:00.000Z",
      end: "2026-11-14T06:00:00.000Z",
    });
  });

  it("of a branch that was cut off is run again at once, and leads to the new one", async () => {
    const user = userEvent.setup();
    const again = run({ ...queued, run_id: "r_again" });
    const { asked, router } = show(run({ ...interrupted, run_id: ID, branch: "fix-orders" }), { "POST /api/v1/runs": status(202, again), "GET /api/v1/runs/r_again": again });
    await user.click(await screen.findByRole("button", { name: `Run again: ${ID}` }));
    expect(await screen.findByText("2 runs before it in the queue")).toBeVisible();
    expect(router.state.location.pathname).toBe("/runs/r_again");
    const sent = asked.find((request) => request.method === "POST");
    expect(await sent?.json()).toEqual(interrupted.request);
  });

  it("offers nothing to who may only read", async () => {
    const { queries } = show(running, { "GET /api/v1/session": { ...session, scope: "read" } });
    await lead();
    await waitFor(() => expect(queries.getQueryData(["session"])).toBeDefined());
    expect(screen.queryByRole("button", { name: "Cancel…" })).not.toBeInTheDocument();
  });

  it("that does not exist says so", async () => {
    renderPage("/runs/nope", { "GET /api/v1/runs/nope": status(404, { code: "FORGE-E108", detail: "There is no run 'nope'", errors: [] }) });
    expect(await screen.findByText("There is no run 'nope'")).toBeVisible();
  });
});

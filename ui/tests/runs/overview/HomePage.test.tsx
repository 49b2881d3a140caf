import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { brokenWords, standingOf } from "../../../src/runs/overview/words";
import { paged } from "../../fixtures/catalog";
import { calm, empty, incident } from "../../fixtures/overview";
import { failed, run, running } from "../../fixtures/runs";
import { renderPage, status } from "../../render";

const OVERVIEW = "GET /api/v1/overview";

describe("the home page with an incident", () => {
  it("says what is wrong, since when, where it came from, who was spared, and that readers never saw it", async () => {
    renderPage("/", { [OVERVIEW]: incident });
    const worst = await screen.findByRole("region", { name: /core\.orders\.amount/ });
    expect(worst).toHaveTextContent("102 of 387,001 rows (0.03%) are outside 0 … 5000");
    expect(worst).toHaveTextContent("since 15 Nov 06:10 UTC");
    expect(worst).toHaveTextContent("385,850 rows, none outside 0 … 5000");
    expect(worst).toHaveTextContent("raw.orders.amount in commit 595bd9d1a74f “orders of 14 November 2026”");
    expect(worst).toHaveTextContent("Readers of core.orders and 3 more tables never saw it. main still has core.orders version 9 of 14 Nov");
    expect(worst).toHaveTextContent("raw.orders holds the rows as delivered; staging.orders passes them on.");
    expect(worst).toHaveTextContent(/Seen now\d+\.\d\d, /);
    expect(worst).toHaveTextContent("marts.daily_revenue.revenue fiona");
  });

  it("asks once", async () => {
    const { asked } = renderPage("/", { [OVERVIEW]: incident });
    await screen.findByRole("region", { name: /core\.orders\.amount/ });
    expect(asked.filter((request) => request.url.includes("/overview"))).toHaveLength(1);
  });

  it("has four counters that lead to what they count", async () => {
    renderPage("/", { [OVERVIEW]: incident });
    const counters = await screen.findByRole("list", { name: "At a glance" });
    const links = within(counters).getAllByRole("link");
    expect(links.map((link) => link.getAttribute("href"))).toEqual([
      "/assets",
      "/quality?health=failing",
      "/contracts",
      "/branches",
    ]);
    expect(links[1]).toHaveTextContent("1check failing");
  });

  it("leads to those who are hit and to the run", async () => {
    renderPage("/", { [OVERVIEW]: incident });
    const hit = await screen.findByRole("link", { name: "See who is hit" });
    expect(hit).toHaveAttribute("href", "/lineage?focus=core.orders.amount&direction=downstream");
    expect(screen.getByRole("link", { name: "Open the run" })).toHaveAttribute("href", "/runs/r20261115_061000_9391fe");
  });

  it("makes a branch to fix it on and goes there", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage("/", {
      [OVERVIEW]: incident,
      "POST /api/v1/branches": status(201, { name: "fix-orders-amount" }),
    });
    await user.click(await screen.findByRole("button", { name: "Fix on a branch" }));
    expect(await screen.findByLabelText(/Name of the branch/)).toHaveValue("fix-orders-amount");
    await user.click(screen.getByRole("button", { name: "Create the branch" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/branches/fix-orders-amount"));
    const sent: unknown = await asked.find((request) => request.method === "POST")?.json();
    expect(sent).toMatchObject({ name: "fix-orders-amount", from_commit: "main" });
  });

  it("shows in the dialog why a branch could not be made", async () => {
    const user = userEvent.setup();
    renderPage("/", {
      [OVERVIEW]: incident,
      "POST /api/v1/branches": status(409, { code: "FORGE-E305", detail: "There is a branch fix-orders-amount", errors: [] }),
    });
    await user.click(await screen.findByRole("button", { name: "Fix on a branch" }));
    await user.click(await screen.findByRole("button", { name: "Create the branch" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E305There is a branch fix-orders-amount");
  });

  it("tells the trend in a table for those who cannot see bars", async () => {
    renderPage("/", { [OVERVIEW]: incident });
    const table = await screen.findByRole("table", { name: "Checks per day" });
    expect(within(table).getAllByRole("row").at(-1)).toHaveTextContent(/^15 Nov\d+10$/);
  });
});

describe("a branch without an incident", () => {
  it.each([
    [{}, "well"],
    [{ last_run: run({ status: "nothing to do" }) }, "well"],
    [{ trend: [] }, "unchecked"],
    [{ last_run: null }, "unchecked"],
    [{ last_run: run({ status: "failed" }) }, "broken"],
    [{ last_run: run({ status: "interrupted" }) }, "broken"],
    [{ last_run: run({ status: "conflict" }) }, "broken"],
    [{ last_run: run({ status: "cancelled" }) }, "stopped"],
    [{ last_run: running }, "working"],
    [{ last_run: running, head: null }, "first run works"],
    [{ last_run: null, head: null }, "first run"],
    [{ counters: { ...calm.counters, checks_failing: 1 } }, "failing"],
  ])("with %o is %s", (part, standing) => expect(standingOf({ ...calm, ...part })).toBe(standing));

  it("names the error of a table where the run has none of its own", () => {
    const error = { code: "FORGE-E207", what: "orders() raised", where: null, why: null, fix: null };
    const [first] = failed.outputs;
    if (first === undefined) throw new Error("the fixture has no output");
    expect(brokenWords({ ...failed, error: null, outputs: [{ ...first, table: "core.orders", error }] })).toMatchObject({
      title: "The last run failed: orders() raised",
      where: "core.orders",
    });
    expect(brokenWords(run({ status: "interrupted" })).title).toBe("The last run was cut off");
  });
});

describe("what one may want to see", () => {
  const recommended = {
    id: "marts.daily_revenue",
    name: "daily_revenue",
    qualified_name: "marts.daily_revenue",
    type: "table",
    description: "Revenue **by day**.",
    score: 0.8,
    reasons: [
      { source: "lineage", text: "made of core.orders, which you looked at", points: 1 },
      { source: "people", text: "people who used core.orders used it too", points: 1 },
    ],
  };

  it("is on the home page, each with its reasons", async () => {
    renderPage("/", { [OVERVIEW]: calm, "GET /api/v1/catalog/recommendations": paged([recommended]) });
    const section = await screen.findByRole("region", { name: "You may want to see" });
    expect(within(section).getByRole("link", { name: "marts.daily_revenue" })).toHaveAttribute("href", "/assets/marts.daily_revenue");
    expect(section).toHaveTextContent("Revenue by day.");
    const why = within(section).getByRole("list", { name: "Why" });
    expect(within(why).getAllByRole("listitem").map((one) => one.textContent)).toEqual(["made of core.orders, which you looked at", "people who used core.orders used it too"]);
    expect(within(section).getByRole("link", { name: "Search the catalog" })).toHaveAttribute("href", "/search");
  });

  it("takes no room where there is nothing to say, and breaks nothing where it cannot be asked", async () => {
    const { unmount } = renderPage("/", { [OVERVIEW]: calm, "GET /api/v1/catalog/recommendations": paged([]) });
    await screen.findByRole("heading", { name: "Nothing is wrong on main" });
    expect(screen.queryByRole("region", { name: "You may want to see" })).not.toBeInTheDocument();
    unmount();
    renderPage("/", { [OVERVIEW]: calm, "GET /api/v1/catalog/recommendations": status(503, { code: "FORGE-E401", detail: "busy" }) });
    await screen.findByRole("heading", { name: "Nothing is wrong on main" });
    expect(screen.queryByRole("alert")).not.toBeInTheDocument();
  });

  it("has the edits that wait for approval, with the way to decide", async () => {
    const proposal = { id: "p1", asset: "core.orders", state: "open", changes: { owner: "eve" }, documentation_version: 3, undoes: null, by: "ada@shop.example", at: "2026-11-15T22:00:00Z", decided_by: null, decided_at: null, comment: "" };
    renderPage("/", { [OVERVIEW]: calm, "GET /api/v1/catalog/proposals": paged([proposal]) });
    const section = await screen.findByRole("region", { name: "1 edit waits for approval" });
    expect(section).toHaveTextContent("core.orders: owner, by ada@shop.example");
    expect(within(section).getByRole("link", { name: /^Decide/ })).toHaveAttribute("href", "/assets/core.orders?tab=history");
  });
});

describe("the home page otherwise", () => {
  it("says that the last run failed, with what and where, and is not green", async () => {
    renderPage("/", { [OVERVIEW]: { ...calm, last_run: failed } });
    const card = await screen.findByRole("region", { name: "The last run failed: Spark was killed" });
    expect(card).toHaveTextContent("core.orders");
    expect(card).toHaveTextContent("readers keep what they had");
    expect(within(card).getByRole("link", { name: "Open the last run" })).toHaveAttribute("href", `/runs/${failed.run_id}`);
    expect(screen.queryByText(/Nothing is wrong/)).not.toBeInTheDocument();
  });

  it("tells a run that failed after the incident, too", async () => {
    renderPage("/", { [OVERVIEW]: { ...incident, last_run: { ...failed, run_id: "r_later" } } });
    expect(await screen.findByRole("region", { name: /^core\.orders\.amount/ })).toBeInTheDocument();
    expect(screen.getByRole("region", { name: "The last run failed: Spark was killed" })).toBeInTheDocument();
  });

  it("says that the first run is working, and leads to it", async () => {
    renderPage("/", { [OVERVIEW]: { ...empty, last_run: running } });
    expect(await screen.findByRole("heading", { name: "The first run is working" })).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Watch the run" })).toHaveAttribute("href", `/runs/${running.run_id}`);
    expect(screen.queryByText("Nothing has run yet")).not.toBeInTheDocument();
  });

  it("is calm where nothing is wrong", async () => {
    renderPage("/", { [OVERVIEW]: calm });
    expect(await screen.findByRole("heading", { name: "Nothing is wrong on main" })).toBeInTheDocument();
    expect(screen.getByText("last run succeeded")).toBeInTheDocument();
    expect(screen.queryByText(/never saw it/)).not.toBeInTheDocument();
  });

  it("says how to make the first run, and makes it", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/", { [OVERVIEW]: empty, "POST /api/v1/runs": status(202, { run_id: "r1" }) });
    expect(await screen.findByText("Nothing has run yet")).toBeInTheDocument();
    expect(screen.getByText("forge run")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Make the first run" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/runs/r1"));
  });

  it("shows a problem with its code and fix, and tries again", async () => {
    const user = userEvent.setup();
    const problem = {
      code: "FORGE-E401",
      detail: "The database cannot be read",
      why: "It is damaged.",
      fix: "Type `forge doctor`.",
      errors: [],
    };
    const { asked } = renderPage("/", { [OVERVIEW]: status(500, problem) });
    const alert = await screen.findByRole("alert");
    expect(alert).toHaveTextContent("FORGE-E401The database cannot be read");
    expect(within(alert).getByRole("button", { name: "Copy: forge doctor" })).toBeInTheDocument();
    await user.click(within(alert).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(asked.filter((request) => request.url.includes("/overview"))).toHaveLength(2));
  });

  it("names the tab and keeps the branch in the address", async () => {
    const { asked } = renderPage("/?branch=dev", { [OVERVIEW]: { ...calm, branch: "dev" } });
    await screen.findByRole("heading", { name: "Nothing is wrong on dev" });
    expect(document.title).toBe("Home · Forge");
    expect(asked.some((request) => request.url.endsWith("/overview?branch=dev"))).toBe(true);
  });
});

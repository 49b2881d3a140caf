import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { calm, empty, incident } from "./fixtures/overview";
import { renderPage, status } from "./render";

const OVERVIEW = "GET /api/v1/overview";

describe("the home page with an incident", () => {
  it("says what is wrong, since when, where it came from, who was spared, and that readers never saw it", async () => {
    renderPage("/", { [OVERVIEW]: incident });
    const worst = await screen.findByRole("region", { name: /core\.orders\.amount/ });
    expect(worst).toHaveTextContent("102 of 387,001 rows (0.03%) are outside 0 … 5000");
    expect(worst).toHaveTextContent("since 15 Nov 06:10 UTC");
    expect(worst).toHaveTextContent("385,850 rows, none outside 0 … 5000");
    expect(worst).toHaveTextContent("raw.orders.amount in commit 595bd9d1a74f “orders of 14 November 2026”");
    expect(worst).toHaveTextContent("Readers never saw it. main still has core.orders version 9 of 14 Nov");
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
      "/assets?state=failing",
      "/assets?state=failing",
      "/branches",
    ]);
    expect(links[1]).toHaveTextContent("1check failing");
  });

  it("leads to those who are hit and to the run", async () => {
    renderPage("/", { [OVERVIEW]: incident });
    const hit = await screen.findByRole("link", { name: "See who is hit" });
    expect(hit).toHaveAttribute("href", "/lineage?root=core.orders.amount&direction=downstream");
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

describe("the home page otherwise", () => {
  it("is calm where nothing is wrong", async () => {
    renderPage("/", { [OVERVIEW]: calm });
    expect(await screen.findByRole("heading", { name: "Nothing is wrong on main" })).toBeInTheDocument();
    expect(screen.getByText("last run succeeded")).toBeInTheDocument();
    expect(screen.queryByText(/Readers never saw it/)).not.toBeInTheDocument();
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

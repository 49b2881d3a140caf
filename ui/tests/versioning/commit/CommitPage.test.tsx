import { screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";

import { commitDetail, HEAD_COMMIT, OLD_COMMIT, session } from "../../fixtures/catalog";
import { renderPage, status } from "../../render";

const change = { rows_added: 0, rows_deleted: 0, rows_modified: 0, bytes_added: 0, bytes_deleted: 0, record_count: 0, total_size: 0 };
const newest = commitDetail(HEAD_COMMIT, {
  message: "orders of 14 November 2026\n\nLoaded by hand.",
  parents: [OLD_COMMIT],
  tables: [
    { ...change, table: "core.orders", rows_added: 293, rows_deleted: 4, bytes_added: 5500, record_count: 115_659, total_size: 1_199_223 },
    { ...change, table: "marts.new_one", rows_added: 8 },
    { ...change, table: "staging.orders" },
  ],
});
const answers = {
  [`GET /api/v1/branches/commits/${HEAD_COMMIT}`]: newest,
  [`GET /api/v1/branches/commits/${OLD_COMMIT}`]: commitDetail(OLD_COMMIT),
  "GET /api/v1/session": session,
};

describe("the page of a commit", () => {
  it("says who made it, when, where, and by which run", async () => {
    renderPage(`/commits/${HEAD_COMMIT}`, answers);
    expect(await screen.findByRole("heading", { level: 1, name: "orders of 14 November 2026" })).toBeInTheDocument();
    expect(screen.getByText("Loaded by hand.")).toBeInTheDocument();
    const about = screen.getByRole("region", { name: "About it" });
    expect(about).toHaveTextContent("Sam Shop");
    expect(about).toHaveTextContent("2026-11-14 06:10:00 UTC");
    expect(within(about).getByRole("link", { name: "main" })).toHaveAttribute("href", "/branches/main");
    expect(within(about).getByRole("link", { name: "ba7555bed334" })).toHaveAttribute("href", `/commits/${OLD_COMMIT}`);
    expect(within(about).getByRole("link", { name: "r20261114_061000_6890e3" })).toHaveAttribute("href", "/runs/r20261114_061000_6890e3");
  });

  it("shows what it did to each table, now and before", async () => {
    renderPage(`/commits/${HEAD_COMMIT}`, answers);
    const table = await screen.findByRole("table", { name: "Tables changed by this commit" });
    const orders = within(table).getByRole("row", { name: /core\.orders/ });
    expect(within(orders).getAllByRole("cell").map((cell) => cell.textContent)).toEqual(["core.orders", "293", "0", "4", "115,659", "5.5 kB", "1.2 MB", "@ba7555bed334"]);
    expect(within(orders).getByRole("link", { name: "core.orders" })).toHaveAttribute("href", `/assets/core.orders?at=${HEAD_COMMIT}`);
    expect(within(orders).getByRole("link", { name: "@ba7555bed334" })).toHaveAttribute("href", `/assets/core.orders?at=${OLD_COMMIT}`);
    expect(await within(table).findByText("new here")).toBeInTheDocument();
    expect(within(table).getByRole("row", { name: /staging\.orders/ })).toHaveTextContent("staging.orders––––––");
  });

  it("lists every table of the commit with its version", async () => {
    renderPage(`/commits/${HEAD_COMMIT}`, answers);
    const table = await screen.findByRole("table", { name: "Tables of this commit" });
    expect(within(table).getByRole("row", { name: /core\.orders/ })).toHaveTextContent("core.orderstable9changed");
    expect(within(table).getByRole("row", { name: /raw\.countries/ })).toHaveTextContent("raw.countriestable1as before");
  });

  it("can begin a branch there", async () => {
    renderPage(`/commits/${HEAD_COMMIT}`, answers);
    expect(await screen.findByRole("link", { name: "Branch from here" })).toHaveAttribute("href", `/branches?dialog=create&from=${HEAD_COMMIT}`);
  });

  it("knows the first commit", async () => {
    renderPage(`/commits/${OLD_COMMIT}`, answers);
    expect(await screen.findByText("none: it is the first")).toBeInTheDocument();
  });

  it("leads on from a commit that is not there", async () => {
    renderPage("/commits/ffffffff", { "GET /api/v1/branches/commits/ffffffff": status(404, { code: "FORGE-E601", detail: "No branch, commit or time matches 'ffffffff'", errors: [] }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("No branch, commit or time matches 'ffffffff'");
    expect(screen.getByRole("link", { name: "Branches and their commits" })).toHaveAttribute("href", "/branches");
  });
});

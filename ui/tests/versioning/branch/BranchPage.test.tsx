import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { exampleTable, nextSteps, runFrom } from "../../../src/versioning/branch/nextSteps";
import { asset, branch, commit, commitDetail, fix, FIX_COMMIT, hit, main, OLD_COMMIT, paged, session } from "../../fixtures/catalog";
import { incident as overview } from "../../fixtures/overview";
import { blocked } from "../../fixtures/runs";
import { renderPage, status } from "../../render";

const COMMITS = "GET /api/v1/branches/fix-orders/commits";
const answers = {
  "GET /api/v1/branches": paged([main, fix]),
  "GET /api/v1/session": session,
  "GET /api/v1/catalog/search": paged([hit("core.orders"), hit("raw.orders")]),
  "GET /api/v1/branches/fix-orders": fix,
  [`GET /api/v1/branches/commits/${FIX_COMMIT}`]: commitDetail(FIX_COMMIT, { time: "2026-11-13T22:10:00Z" }),
  [COMMITS]: paged([commit(FIX_COMMIT, { message: "Mended\n\nAll of it", branch: "fix-orders" }), commit(OLD_COMMIT)]),
};

describe("what to type next", () => {
  it("names the branch and a table that is there", () => {
    expect(nextSteps("fix-orders", false, "core.orders").map((step) => step.command)).toEqual([
      "forge run core.orders+ --branch fix-orders",
      'forge query "SELECT * FROM core.orders LIMIT 10" --at fix-orders',
      "forge diff HEAD..fix-orders",
      "forge merge fix-orders",
    ]);
  });

  it("needs no name on the default branch, and no table where none is known", () => {
    expect(nextSteps("main", true, "core.orders").map((step) => step.command)).toEqual(["forge run", 'forge query "SELECT * FROM core.orders LIMIT 10"']);
    expect(nextSteps("new", false, undefined).map((step) => step.command)).toEqual(["forge run --branch new", "forge diff HEAD..new", "forge merge new"]);
  });

  it("takes the first table that a commit changed", () => {
    expect(exampleTable([{ tables: [] }, commit(OLD_COMMIT)])).toBe("core.orders");
    expect(exampleTable([])).toBeUndefined();
  });

  it("runs a fix from where the data came in, if that is a table of the project", () => {
    const known = (name: string) => name === "raw.orders";
    expect(runFrom("core.orders", { origin: "raw.orders.amount" }, known)).toBe("raw.orders");
    expect(runFrom("core.orders", { origin: "raw.orders" }, known)).toBe("raw.orders");
    expect(runFrom("core.orders", { origin: "files:data/a.csv" }, known)).toBe("core.orders");
    expect(runFrom("core.orders", undefined, known)).toBe("core.orders");
  });
});

describe("the page of a branch", () => {
  it("says where it stands, what to type, and lists its commits", async () => {
    renderPage("/branches/fix-orders", answers);
    const table = await screen.findByRole("table", { name: "Commits of fix-orders" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(within(first as HTMLElement).getByRole("link", { name: "Mended" })).toHaveAttribute("href", `/commits/${FIX_COMMIT}`);
    expect(within(first as HTMLElement).getByRole("link", { name: "core.orders" })).toHaveAttribute("href", `/assets/core.orders?at=${FIX_COMMIT}`);
    expect(second).toHaveTextContent("main");
    const about = screen.getByRole("region", { name: "About it" });
    expect(about).toHaveTextContent("1 commit ahead of main");
    // The time of the commit, not of the branch, which may be younger.
    await waitFor(() => expect(about).toHaveTextContent(`${FIX_COMMIT.slice(0, 12)}, 2 days ago`));
    expect(await screen.findByText("forge run core.orders+ --branch fix-orders")).toBeInTheDocument();
    expect(await screen.findByRole("link", { name: "Delete" })).toHaveAttribute("href", "/branches?dialog=delete&name=fix-orders");
    expect(screen.getByRole("link", { name: "Its runs" })).toHaveAttribute("href", "/runs?branch=fix-orders");
  });

  it("asks with the filters of the address, and keeps them there", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage("/branches/fix-orders?table=core.orders", answers);
    await screen.findByRole("table", { name: "Commits of fix-orders" });
    expect(asked.some((request) => request.url.includes("/commits?table=core.orders"))).toBe(true);
    await user.type(screen.getByLabelText("Author"), "sam");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ table: "core.orders", author: "sam" }));
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(router.state.location.searchStr).toBe(""));
  });

  it("shows a way out where no commit passes the filters", async () => {
    renderPage("/branches/fix-orders?author=nobody", { ...answers, [COMMITS]: paged([]) });
    expect(await screen.findByText("No commit passes these filters")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Show all commits" })).toBeInTheDocument();
  });

  it("leads a fix step by step: from where it came in, then to the result", async () => {
    const [worst] = overview.incidents;
    renderPage("/branches/fix-orders?fix=core.orders", {
      ...answers,
      "GET /api/v1/quality/incidents": paged(worst === undefined ? [] : [worst]),
      "GET /api/v1/catalog/assets/raw.orders": asset({ id: "raw.orders", qualified_name: "raw.orders" }),
      [`GET /api/v1/runs/${blocked.run_id}`]: {
        ...blocked,
        request: { ...blocked.request, start: "2026-11-14T00:00:00Z", end: "2026-11-15T00:00:00Z" },
      },
    });
    const steps = await screen.findByRole("region", { name: "How to fix core.orders here" });
    const command = "--start 2026-11-14 --end 2026-11-15 --param day=2026-11-14";
    expect(await within(steps).findByText(`forge run raw.orders+ --branch fix-orders ${command}`)).toBeInTheDocument();
    const link = within(steps).getByRole("link", { name: "Run it on this branch" });
    const filled = new URL(link.getAttribute("href") ?? "", "http://forge");
    expect(Object.fromEntries(filled.searchParams)).toEqual({
      run: "new",
      select: "raw.orders+",
      branch: "fix-orders",
      start: "2026-11-14",
      end: "2026-11-15",
      params: "day=2026-11-14",
    });
    expect(steps).toHaveTextContent("An append source does not load a changed file again (E215): set kind: full in its source for one run.");
    expect(within(steps).getByText("forge merge fix-orders main")).toBeInTheDocument();
    expect(within(steps).getByRole("link", { name: "Compare and merge" })).toHaveAttribute("href", "/compare/main...fix-orders");
    expect(steps).toHaveTextContent("It came in at raw.orders.amount");
    expect(within(steps).getByRole("link", { name: "core.orders@fix-orders" })).toHaveAttribute("href", "/assets/core.orders?at=fix-orders");
  });

  it("still says what to do when the incident is over", async () => {
    renderPage("/branches/fix-orders?fix=core.orders", { ...answers, "GET /api/v1/quality/incidents": paged([]) });
    expect(await screen.findByText("forge run core.orders+ --branch fix-orders")).toBeInTheDocument();
  });

  it("cannot delete the default branch", async () => {
    renderPage("/branches/main", { ...answers, "GET /api/v1/branches/main": main, "GET /api/v1/branches/main/commits": paged([commit(OLD_COMMIT)]) });
    expect(await screen.findByRole("link", { name: "Branch from here" })).toHaveAttribute("href", "/branches?dialog=create&from=main");
    expect(screen.queryByRole("link", { name: "Delete" })).not.toBeInTheDocument();
  });

  it("reads a name with a slash", async () => {
    renderPage("/branches/feature%2Fa", { ...answers, "GET /api/v1/branches/feature/a": branch("feature/a"), "GET /api/v1/branches/feature/a/commits": paged([]) });
    expect(await screen.findByRole("heading", { level: 1, name: "feature/a" })).toBeInTheDocument();
    expect(await screen.findByText("No commit yet")).toBeInTheDocument();
  });

  it("offers to create a branch that is not there", async () => {
    renderPage("/branches/nope", { ...answers, "GET /api/v1/branches/nope": status(404, { code: "FORGE-E602", detail: "There is no branch 'nope'", errors: [] }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("There is no branch 'nope'");
    expect(screen.getByRole("link", { name: "Create it" })).toHaveAttribute("href", "/branches?dialog=create&name=nope");
  });
});

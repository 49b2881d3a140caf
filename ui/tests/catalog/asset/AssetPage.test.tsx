import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { RowsView } from "../../../src/api";
import { columnNamed, maskedInWords, queryCommand } from "../../../src/catalog/asset/words";
import { isNumber, showValue } from "../../../src/format/values";
import { badRows, whatWentWrong } from "../../../src/format/verdicts";
import { askedFor, branchOfHistory, standOf } from "../../../src/versioning/history/revision";
import { asset, column, commit, commitDetail, fix, FIX_COMMIT, HEAD_COMMIT, health, heldBack, main, OLD_COMMIT, paged, verdict } from "../../fixtures/catalog";
import { contractView } from "../../fixtures/contracts";
import { graphOf } from "../../fixtures/lineage";
import { renderPage, status, system } from "../../render";

const ASSET = "GET /api/v1/catalog/assets/core.orders";
const BRANCHES = "GET /api/v1/branches";
const HEALTH = "GET /api/v1/quality/datasets/core.orders/health";
const branches = [main, fix];

describe("which time the page shows", () => {
  it.each([
    [undefined, { kind: "now" }],
    ["HEAD", { kind: "now" }],
    ["main", { kind: "now" }],
    ["fix-orders", { kind: "branch", branch: "fix-orders" }],
    ["HEAD~0", { kind: "past", newest: true }],
  ])("at %s", (at, stand) => {
    expect(standOf(at, HEAD_COMMIT, branches)).toEqual(stand);
  });

  it("is the past for an older commit", () => {
    expect(standOf(OLD_COMMIT, OLD_COMMIT, branches)).toEqual({ kind: "past", newest: false });
  });

  it("tells the history of the branch that is shown, or of the one a commit was made on while it is there", () => {
    expect(branchOfHistory({ kind: "now" }, undefined, branches)).toBe("main");
    expect(branchOfHistory({ kind: "branch", branch: "fix-orders" }, undefined, branches)).toBe("fix-orders");
    expect(branchOfHistory({ kind: "past", newest: false }, "fix-orders", branches)).toBe("fix-orders");
    expect(branchOfHistory({ kind: "past", newest: false }, "gone", branches)).toBe("main");
    expect(branchOfHistory({ kind: "now" }, undefined, [])).toBeUndefined();
  });

  it("repeats how the revision was named only where that says more than the commit", () => {
    expect(askedFor("HEAD~1", OLD_COMMIT)).toBe("HEAD~1");
    expect(askedFor(OLD_COMMIT, OLD_COMMIT)).toBeNull();
    expect(askedFor("ba7555", OLD_COMMIT)).toBeNull();
  });
});

describe("words of an asset", () => {
  it("puts what blocked first and leaves out what passed", () => {
    const warned = verdict({ check_id: "w", outcome: "failed", severity: "warning" });
    const unmeasured = verdict({ check_id: "u", outcome: "not measured" });
    const found = whatWentWrong([verdict(), unmeasured, warned, heldBack]);
    expect(found.map((one) => one.check_id)).toEqual([heldBack.check_id, "w", "u"]);
  });

  it("keeps NULL apart from text, and numbers as they came", () => {
    expect(showValue(null)).toBeNull();
    expect(showValue("null")).toBe("null");
    expect(showValue(0)).toBe("0");
    expect(showValue({ a: [1] })).toBe('{"a":[1]}');
  });

  it.each([
    ["bigint", true],
    ["decimal(12,2)", true],
    ["string", false],
    ["interval day", false],
  ])("knows whether %s is a number", (type, is) => {
    expect(isNumber(type)).toBe(is);
  });

  it("finds a column however it is spelled", () => {
    expect(columnNamed("AMOUNT", [column("amount")])).toBe("amount");
    expect(columnNamed("nothing", [column("amount")])).toBeUndefined();
    expect(columnNamed(undefined, [column("amount")])).toBeUndefined();
  });

  it("names the masked columns", () => {
    expect(maskedInWords([{ name: "id", type: "int", masked: false }])).toBeNull();
    expect(maskedInWords([{ name: "email", type: "string", masked: true }])).toBe("1 column holds personal data: email");
  });

  it("writes the command for what is shown", () => {
    expect(queryCommand("core.orders", undefined)).toBe('forge query "SELECT * FROM core.orders" --limit 1000');
    expect(queryCommand("core.orders", OLD_COMMIT)).toBe('forge query "SELECT * FROM core.orders" --at ba7555bed334 --limit 1000');
  });

  it("takes refused rows only where they are rows", () => {
    expect(badRows(heldBack)).toEqual([{ order_id: 2026111400013, amount: "22198.00" }]);
    expect(badRows({ details: { sample: "no rows" } })).toEqual([]);
    expect(badRows({ details: { sample: [1, null] } })).toEqual([]);
  });
});

describe("the page of an asset", () => {
  it("names its contract, where it has one, with what speaks against it", async () => {
    const CONTRACTS = "GET /api/v1/contracts";
    const first = renderPage("/assets/core.orders", { [ASSET]: asset(), [BRANCHES]: paged(branches), [CONTRACTS]: paged([contractView({ state: "deprecated" })]) });
    expect(await screen.findByRole("link", { name: "Orders 1.2.0" })).toHaveAttribute("href", "/contracts/shop-core-orders");
    expect(screen.getByRole("region", { name: "About it" })).toHaveTextContent("ContractOrders 1.2.0, deprecated, 1 error");
    expect(first.asked.some((one) => one.url.includes("/api/v1/contracts?table=core.orders"))).toBe(true);
    first.unmount();
    renderPage("/assets/core.orders", { [ASSET]: asset(), [BRANCHES]: paged(branches), [CONTRACTS]: paged([]) });
    await waitFor(() => expect(screen.getByRole("region", { name: "About it" })).toHaveTextContent("Contractnone"));
  });

  it("says what it is, and marks personal and failing columns", async () => {
    renderPage("/assets/core.orders", { [ASSET]: asset(), [BRANCHES]: paged(branches) });
    const table = await screen.findByRole("table", { name: "Columns of core.orders" });
    const about = screen.getByRole("region", { name: "About it" });
    expect(about).toHaveTextContent("Rows115,659");
    expect(about).toHaveTextContent("9, of commit ba7555bed334, written by run r20261114_061000_6890e3");
    expect(within(about).getByRole("link", { name: "gold" })).toHaveAttribute("href", "/search?tags=gold");
    expect(within(about).getByRole("link", { name: "1 of 16 failed" })).toHaveAttribute("href", "/assets/core.orders?tab=quality");
    expect(within(table).getByRole("row", { name: /email/ })).toHaveTextContent("personal data");
    expect(within(table).getByRole("row", { name: /email/ })).toHaveTextContent("never");
    const amount = within(table).getByRole("row", { name: /^amount/ });
    expect(amount).toHaveTextContent("failing");
    expect(within(amount).getByRole("link", { name: "staging.orders.amount" })).toHaveAttribute("href", "/lineage?focus=staging.orders.amount");
    expect(within(amount).getByRole("link", { name: "amount" })).toHaveAttribute("href", "/assets/core.orders?tab=lineage&col=amount");
    expect(screen.queryByRole("note")).not.toBeInTheDocument();
  });

  it("says clearly that it shows the past, and leads back", async () => {
    const { asked } = renderPage("/assets/core.orders?at=HEAD~1", {
      [ASSET]: asset({ at: "HEAD~1", commit: OLD_COMMIT }),
      [BRANCHES]: paged(branches),
      [`GET /api/v1/branches/commits/${OLD_COMMIT}`]: commitDetail(OLD_COMMIT),
    });
    const note = await screen.findByRole("note");
    await waitFor(() => expect(note).toHaveTextContent("As of commit ba7555bed334 (HEAD~1), 2 days ago (2026-11-14 06:10:00 UTC). It has not changed since — show now"));
    expect(within(note).getByRole("link", { name: "show now" })).toHaveAttribute("href", "/assets/core.orders");
    expect(asked.some((request) => request.url.includes("at=HEAD~1") || request.url.includes("at=HEAD%7E1"))).toBe(true);
  });

  it("says on which branch it is", async () => {
    renderPage("/assets/core.orders?at=fix-orders", { [ASSET]: asset({ commit: FIX_COMMIT }), [BRANCHES]: paged(branches) });
    expect(await screen.findByRole("note")).toHaveTextContent("On branch fix-orders");
  });

  it("leads on where there is no such table at that time", async () => {
    renderPage("/assets/core.orders?at=HEAD~9", { [ASSET]: status(404, { code: "FORGE-E108", detail: "There is no table core.orders at HEAD~9", errors: [] }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("There is no table core.orders at HEAD~9");
    expect(screen.getByRole("link", { name: "Show it as it is now" })).toHaveAttribute("href", "/assets/core.orders");
    expect(screen.getByRole("link", { name: "All assets" })).toHaveAttribute("href", "/assets");
  });

  it("keeps the tab in the address", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/assets/core.orders", { [ASSET]: asset(), [BRANCHES]: paged(branches), [HEALTH]: health() });
    await user.click(await screen.findByRole("tab", { name: "Quality" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ tab: "quality" }));
    await user.click(screen.getByRole("tab", { name: "Schema" }));
    await waitFor(() => expect(router.state.location.searchStr).toBe(""));
  });
});

describe("the quality of an asset", () => {
  const path = "/assets/core.orders?tab=quality";

  it("shows above the verdicts what held the newest attempt back", async () => {
    renderPage(path, { [ASSET]: asset(), [BRANCHES]: paged(branches), [HEALTH]: health({ held_back: [heldBack] }) });
    const about = await screen.findByRole("region", { name: "About it" });
    await waitFor(() => expect(about).toHaveTextContent("newest attempt: 1 of 16 failed"));
    expect(screen.getByTitle(/^The newest attempt did not pass and was held back. Readers have version 9/)).toHaveTextContent("failing");
    const box = await screen.findByRole("region", { name: "The newest attempt was held back" });
    expect(box).toHaveTextContent("readers still have version 9");
    expect(box).toHaveTextContent("amount: 39 of 116,008 rows (0.03%) are outside 0 … 5000");
    expect(within(box).getByRole("cell", { name: "22198.00" })).toBeInTheDocument();
    expect(within(box).getByRole("link", { name: "r20261115_061000_16e4a0" })).toHaveAttribute("href", "/runs/r20261115_061000_16e4a0");
    expect(screen.getByText("of 1 check passed for version 9")).toBeInTheDocument();
  });

  it("has no such box when nothing was held back", async () => {
    renderPage(path, { [ASSET]: asset({ state: "ok" }), [BRANCHES]: paged(branches), [HEALTH]: health() });
    expect(await screen.findByRole("table", { name: "Checks of core.orders, version 9" })).toHaveTextContent("amount is in euros");
    expect(screen.queryByText("The newest attempt was held back")).not.toBeInTheDocument();
  });

  it("says where checks are written when there are none", async () => {
    renderPage(path, { [ASSET]: asset({ state: "unchecked" }), [BRANCHES]: paged(branches), [HEALTH]: health({ checks: [], score: null, passed: 0 }) });
    expect(await screen.findByText("Nothing checks this version")).toBeInTheDocument();
  });
});

describe("the lineage of an asset", () => {
  const graph = graphOf("core.orders", []);

  it("starts from the column of the address and as far as it says", async () => {
    const { asked } = renderPage("/assets/core.orders?tab=lineage&col=AMOUNT&depth=2&direction=upstream", { [ASSET]: asset(), [BRANCHES]: paged(branches), "GET /api/v1/lineage/graph": graph });
    expect(await screen.findByText("Nothing is known to flow into or out of core.orders.amount")).toBeInTheDocument();
    const [request] = asked.filter((one) => one.url.includes("/lineage/graph"));
    const query = new URL(request?.url ?? "").searchParams;
    expect([query.get("root_id"), query.get("depth"), query.get("direction")]).toEqual(["core.orders.amount", "2", "upstream"]);
    expect(screen.getByRole("link", { name: "Open in Lineage" })).toHaveAttribute("href", "/lineage?focus=core.orders.amount&direction=upstream&up=2&down=2");
  });

  it("says so when there is no such column, and shows the table", async () => {
    renderPage("/assets/core.orders?tab=lineage&col=gone", { [ASSET]: asset(), [BRANCHES]: paged(branches), "GET /api/v1/lineage/graph": graph });
    expect(await screen.findByText(/There is no column gone at this version/)).toBeInTheDocument();
    expect(screen.getByLabelText("Start from")).toHaveValue("");
  });

  it("writes a chosen column into the address", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/assets/core.orders?tab=lineage", { [ASSET]: asset(), [BRANCHES]: paged(branches), "GET /api/v1/lineage/graph": graph });
    await user.selectOptions(await screen.findByLabelText("Start from"), "amount");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ tab: "lineage", col: "amount" }));
  });
});

describe("the history of an asset", () => {
  it("lists what changed it and leads to the table as it was", async () => {
    renderPage("/assets/core.orders?tab=history", {
      [ASSET]: asset(),
      [BRANCHES]: paged(branches),
      "GET /api/v1/branches/datasets/core.orders/branches/main/commits": paged([commit(OLD_COMMIT), commit(FIX_COMMIT, { message: "orders of 12 November 2026\n\nmore" })]),
    });
    const table = await screen.findByRole("table", { name: "Commits that changed core.orders" });
    const [, shown, older] = within(table).getAllByRole("row");
    expect(shown).toHaveTextContent("shown");
    expect(shown).toHaveTextContent("+293");
    expect(within(older as HTMLElement).getByRole("link", { name: "orders of 12 November 2026" })).toHaveAttribute("href", `/commits/${FIX_COMMIT}`);
    expect(within(older as HTMLElement).getByRole("link", { name: /^@/ })).toHaveAttribute("href", `/assets/core.orders?at=${FIX_COMMIT}`);
  });
});

describe("the sample of an asset", () => {
  const rows: RowsView = {
    dataset_id: "core.orders",
    commit: HEAD_COMMIT,
    columns: [
      { name: "order_id", type: "bigint", masked: false },
      { name: "email", type: "string", masked: true },
      { name: "note", type: "string", masked: false },
    ],
    rows: [[17, null, null]],
    truncated: true,
      has_more: true,
      items: [],
  };
  const DATA = `GET /api/v1/branches/datasets/core.orders/commits/${HEAD_COMMIT}/data`;

  it("is not asked for before it is opened", async () => {
    const { asked } = renderPage("/assets/core.orders", { [ASSET]: asset(), [BRANCHES]: paged(branches), [DATA]: rows });
    await screen.findByRole("table", { name: "Columns of core.orders" });
    expect(asked.filter((request) => request.url.endsWith("/data?limit=50"))).toHaveLength(0);
  });

  it("hides personal data and says why", async () => {
    renderPage("/assets/core.orders?tab=sample", { [ASSET]: asset(), [BRANCHES]: paged(branches), [DATA]: rows });
    const table = await screen.findByRole("table", { name: "Rows of core.orders" });
    const cells = within(table).getAllByRole("cell");
    expect(cells.map((cell) => cell.textContent)).toEqual(["17", "•••hidden", "NULL", ""]);
    expect(screen.getByText(/1 column holds personal data: email/)).toBeInTheDocument();
    expect(screen.getByText(/The first 1 row in no certain order/)).toBeInTheDocument();
  });

  it("says that Spark starts while a view is waited for", async () => {
    renderPage("/assets/core.orders?tab=sample", {
      [ASSET]: asset({ type: "view" }),
      [BRANCHES]: paged(branches),
      "GET /api/v1/system": system,
      [DATA]: status(503, { code: "FORGE-E908", detail: "Spark is starting", errors: [] }),
    });
    expect(await screen.findByText(/Starting Spark, this takes some seconds/)).toBeInTheDocument();
  });
});

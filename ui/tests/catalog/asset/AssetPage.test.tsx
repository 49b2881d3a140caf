import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { ProfiledColumnView, ProfileView, RowsView } from "../../../src/api";
import { columnNamed, maskedInWords, meantBy, nodeOf, queryCommand } from "../../../src/catalog/asset/words";
import { isLakeTable } from "../../../src/format/names";
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

  it("reads the names that were meant", () => {
    expect(meantBy({ why: "Did you mean core.orders or raw.orders?", fix: "`forge show` lists the tables." })).toEqual(["core.orders", "raw.orders"]);
    expect(meantBy({ why: null, fix: "Did you mean files:data/orders/*.csv?" })).toEqual(["files:data/orders/*.csv"]);
    expect(meantBy({ why: "Nothing records it.", fix: null })).toEqual([]);
  });

  it("knows names of the lake, and where the graph has a pipeline", () => {
    expect(["core.orders", "files:data/orders.csv", "crm.public.people"].map(isLakeTable)).toEqual([true, false, false]);
    const made = { id: "forge:shop.core.orders", type: "pipeline", source: "project", backed_by: ["core.orders", "staging.orders"] } as const;
    expect(nodeOf({ ...made, backed_by: [...made.backed_by] })).toBe("transform:core.orders");
    expect(nodeOf({ ...made, source: "dbt", backed_by: [] })).toBe("forge:shop.core.orders");
    expect(nodeOf({ ...made, id: "core.orders", type: "table", backed_by: [] })).toBe("core.orders");
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

  it("links to what was meant", async () => {
    const why = "Did you mean core.orders or raw.orders?";
    renderPage("/assets/core.ordrs?at=fix-orders", { "GET /api/v1/catalog/assets/core.ordrs": status(404, { code: "FORGE-E108", detail: "There is no table core.ordrs", why, errors: [] }) });
    expect(await screen.findByRole("link", { name: "Open core.orders" })).toHaveAttribute("href", "/assets/core.orders?at=fix-orders");
    expect(screen.getByRole("link", { name: "Open raw.orders" })).toBeInTheDocument();
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

describe("the profile in the schema", () => {
  const PROFILE = "GET /api/v1/catalog/assets/core.orders/profile";
  const parts = ["avg_length", "empties", "max_length", "maximum", "mean", "median", "min_length", "minimum", "negatives", "not_finite", "q1", "q3", "stddev", "zeros"] as const;
  const nothing = Object.fromEntries(parts.map((part) => [part, null])) as Record<(typeof parts)[number], null>;
  const counted = (name: string, more: Partial<ProfiledColumnView> = {}): ProfiledColumnView => ({
    ...nothing,
    name,
    type: "bigint",
    nulls: 0,
    distinct: 8211,
    distinct_exact: true,
    histogram: { edges: [0, 10, 20], counts: [3, 9] },
    masked: false,
    top: [],
    top_exact: true,
    ...more,
  });
  const profile: ProfileView = {
    table: "core.orders",
    state: "1",
    snapshot_id: "1",
    commit_id: HEAD_COMMIT,
    profiled_at: "2026-11-15T06:10:00Z",
    row_count: 200,
    duplicate_rows: 0,
    sampled: false,
    sample_fraction: null,
    sample_rows: null,
    quantile_error: 0,
    columns: [counted("Amount", { nulls: 25 }), counted("email", { masked: true, histogram: null })],
  };
  const shop = asset({ schema: [column("amount", { type: "bigint" }), column("email", { pii: true }), column("added")] });

  it("shows NULLs, distinct values and how they are spread, of personal data without values", async () => {
    const { asked } = renderPage("/assets/core.orders", { [ASSET]: shop, [BRANCHES]: paged(branches), [PROFILE]: profile });
    const picture = await screen.findByRole("img", { name: "Distribution of Amount: from 0 to 20, most between 10 and 20" });
    const [, amount, email, added] = within(picture.closest("table") as HTMLElement).getAllByRole("row");
    expect(amount).toHaveTextContent("12.5%8,211");
    expect(email).toHaveTextContent("0%8,211hidden");
    expect(within(email as HTMLElement).queryByRole("img", { name: /Distribution/ })).not.toBeInTheDocument();
    expect(added).toHaveTextContent("allowed––");
    expect(asked.filter((request) => new URL(request.url).pathname.endsWith("/profile"))).toHaveLength(1);
    expect(screen.queryByText(/Nobody looked at its values/)).not.toBeInTheDocument();
  });

  it("is not waited for: it is asked for beside the asset", () => {
    const { asked } = renderPage("/assets/core.orders", { [ASSET]: shop, [BRANCHES]: paged(branches), [PROFILE]: profile });
    return waitFor(() => {
      const paths = asked.map((request) => new URL(request.url).pathname);
      expect(paths.indexOf("/api/v1/catalog/assets/core.orders/profile") - paths.indexOf("/api/v1/catalog/assets/core.orders")).toBe(1);
    });
  });

  it("leads to where it is made, where nobody looked yet", async () => {
    renderPage("/assets/core.orders", { [ASSET]: shop, [BRANCHES]: paged(branches), [PROFILE]: status(404, { code: "FORGE-E108", detail: "core.orders has no profile", errors: [] }) });
    expect(await screen.findByRole("link", { name: "profile it" })).toHaveAttribute("href", "/assets/core.orders?tab=profile");
    expect(screen.getByRole("row", { name: /^amount/ })).toHaveTextContent("allowed––");
  });

  it("is not asked for of what is outside of the lake", async () => {
    const file = asset({ id: "files:a.csv", qualified_name: "files:a.csv", type: "dataset", commit: "", schema: [column("amount")] });
    const { asked } = renderPage("/assets/files:a.csv", { "GET /api/v1/catalog/assets/files:a.csv": file, [BRANCHES]: paged(branches) });
    const table = await screen.findByRole("table", { name: "Columns of files:a.csv" });
    expect(within(table).queryByRole("columnheader", { name: "Distribution" })).not.toBeInTheDocument();
    expect(asked.some((request) => request.url.includes("/profile"))).toBe(false);
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

  it("of a pipeline is that of its transform", async () => {
    const id = "forge:shop.core.orders";
    const pipeline = asset({ id, qualified_name: id, type: "pipeline", commit: "", source: "project", backed_by: ["core.orders", "staging.orders"], schema: [] });
    const { asked } = renderPage(`/assets/${id}?tab=lineage`, { [`GET /api/v1/catalog/assets/${id}`]: pipeline, [BRANCHES]: paged(branches), "GET /api/v1/lineage/graph": graph });
    expect(await screen.findByRole("link", { name: "Open in Lineage" })).toHaveAttribute("href", expect.stringContaining("focus=transform:core.orders"));
    await waitFor(() => expect(asked.map((request) => new URL(request.url).searchParams.get("root_id"))).toContain("transform:core.orders"));
  });

  it("that is not there is not tried again", async () => {
    renderPage("/assets/core.orders?tab=lineage", { [ASSET]: asset(), [BRANCHES]: paged(branches), "GET /api/v1/lineage/graph": status(404, { code: "FORGE-E801", detail: "It is not in the lineage graph", errors: [] }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("It is not in the lineage graph");
    expect(screen.queryByRole("button", { name: "Try again" })).not.toBeInTheDocument();
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

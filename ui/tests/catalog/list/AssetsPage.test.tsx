import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { assetsSearch } from "../../../src/catalog/list/search";
import { checksInWords, isFiltered, markWords, whyFound, wordsOf } from "../../../src/catalog/list/words";
import { columnHit, hit, paged } from "../../fixtures/catalog";
import { renderPage } from "../../render";

const SEARCH = "GET /api/v1/catalog/search";
const three = paged([
  hit("core.orders", { state: "failing", checks_passed: 15, checks_failed: 1 }),
  hit("marts.daily_revenue", { description: "What we earned each day.", owner: "fiona@shop.example" }),
  hit("staging.orders", { type: "view", state: "unchecked", row_count: null, size_bytes: null, checks_passed: 0 }),
]);

function asked(requests: readonly Request[], part: string): string[] {
  return requests.map((request) => decodeURIComponent(request.url)).filter((url) => url.includes(part));
}

describe("what the list of assets says", () => {
  it("marks every place where a word of the query is", () => {
    expect(markWords("core.orders", wordsOf("ORD core"))).toEqual([
      { text: "core", marked: true },
      { text: ".", marked: false },
      { text: "ord", marked: true },
      { text: "ers", marked: false },
    ]);
  });

  it("marks nothing without a query, and overlapping words once", () => {
    expect(markWords("orders", [])).toEqual([{ text: "orders", marked: false }]);
    expect(markWords("orders", ["ord", "rder"])).toEqual([
      { text: "order", marked: true },
      { text: "s", marked: false },
    ]);
    expect(markWords("", ["a"])).toEqual([]);
  });

  it("marks nothing rather than the wrong thing where small letters are longer", () => {
    expect(markWords("İstanbul", ["bul"])).toEqual([{ text: "İstanbul", marked: false }]);
  });

  it("says why something was found where its name does not", () => {
    const found = { qualified_name: "core.customers", description: "Old orders point at them." };
    expect(whyFound(found, ["custom"])).toBeNull();
    expect(whyFound(found, ["orders"])).toBe("found in its description");
    expect(whyFound(found, ["custmers"])).toBe("name is like “custmers”");
  });

  it.each([
    [{ checks_passed: 0, checks_failed: 0, checks_not_measured: 0 }, "no checks"],
    [{ checks_passed: 16, checks_failed: 0, checks_not_measured: 0 }, "16 passed"],
    [{ checks_passed: 15, checks_failed: 1, checks_not_measured: 0 }, "1 of 16 failed"],
    [{ checks_passed: 13, checks_failed: 1, checks_not_measured: 2 }, "1 of 16 failed, 2 of 16 not measured"],
  ])("counts checks in words: %#", (counted, words) => {
    expect(checksInWords(counted)).toBe(words);
  });

  it("takes from the address what makes sense and leaves the rest", () => {
    expect(assetsSearch({ q: "a", type: "stage", state: "failing", tags: ["gold", ""], sort: "size" })).toEqual({
      q: "a",
      type: undefined,
      state: "failing",
      owners: undefined,
      tags: ["gold"],
      sort: undefined,
    });
    expect(isFiltered({ sort: "name" })).toBe(false);
    expect(isFiltered({ owners: ["a"] })).toBe(true);
  });
});

describe("the page of assets", () => {
  it("lists tables and views with their state in words, and leads to each", async () => {
    renderPage("/assets", { [SEARCH]: three });
    const table = await screen.findByRole("table", { name: "Tables and views" });
    const [, orders, , view] = within(table).getAllByRole("row");
    expect(orders).toHaveTextContent("failing");
    expect(orders).toHaveTextContent("1 of 16 failed");
    expect(orders).toHaveTextContent("115,659");
    expect(orders).toHaveTextContent("1.2 MB");
    expect(view).toHaveTextContent("unchecked");
    expect(within(table).getByRole("link", { name: "core.orders" })).toHaveAttribute("href", "/assets/core.orders");
    expect(screen.getByText("3 assets")).toHaveAttribute("role", "status");
  });

  it("asks with every filter of the address", async () => {
    const { asked: requests } = renderPage("/assets?q=order&type=table&state=failing&owners=a@b&tags=gold&tags=pii&sort=freshness", { [SEARCH]: three });
    await screen.findByRole("table");
    const [url] = asked(requests, "q=order");
    for (const part of ["q=order", "types=table", "state=failing", "owners=a@b", "tags=gold", "tags=pii", "sort=freshness"]) expect(url).toContain(part);
  });

  it("writes what is typed into the address, and takes it back", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/assets", { [SEARCH]: three });
    const field = await screen.findByLabelText("Filter");
    await user.type(field, "ord");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ q: "ord" }));
    await user.click(await screen.findByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(router.state.location.search).not.toHaveProperty("q", "ord"));
    expect(field).toHaveValue("");
  });

  it("keeps the state in the address", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/assets", { [SEARCH]: three });
    await user.click(await screen.findByRole("radio", { name: "Failing" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ state: "failing" }));
  });

  it("says that columns were found too, and lists them with their lineage", async () => {
    renderPage("/assets?q=amount&type=column", { [SEARCH]: paged([columnHit("core.orders", "amount")]) });
    const table = await screen.findByRole("table", { name: "Columns" });
    expect(within(table).getByRole("link", { name: "core.orders.amount" })).toHaveAttribute("href", "/assets/core.orders?tab=lineage&col=amount");
    expect(screen.getByText("1 column")).toBeInTheDocument();
  });

  it("shows a way out where nothing passes the filters", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/assets?q=zebra", { [SEARCH]: paged([]) });
    expect(await screen.findByText("Nothing is called “zebra” or nearly so")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Show all assets" }));
    await waitFor(() => expect(router.state.location.searchStr).toBe(""));
  });

  it("tells a new project how tables come to be", async () => {
    renderPage("/assets", { [SEARCH]: paged([]) });
    expect(await screen.findByText("No tables yet")).toBeInTheDocument();
    expect(screen.getByText("forge run")).toBeInTheDocument();
  });

  it("fetches the next page when asked to", async () => {
    const user = userEvent.setup();
    const { asked: requests } = renderPage("/assets", { [SEARCH]: paged([hit("core.orders")], { next_cursor: "bzUw", has_more: true, total_count: 60 }) });
    expect(await screen.findByText("1 of 60 assets")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Show more" }));
    await waitFor(() => expect(asked(requests, "cursor=bzUw")).not.toHaveLength(0));
    // The same one again: the list moved on between the two requests.
    expect(screen.getAllByRole("link", { name: "core.orders" })).toHaveLength(1);
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { SearchHit } from "../../../src/api";
import { hit, paged } from "../../fixtures/catalog";
import { renderPage, status } from "../../render";

const SEARCH = "GET /api/v1/catalog/search";

const found: SearchHit = {
  ...hit("core.orders"),
  domain: "sales",
  classification: "confidential",
  pii: ["email"],
  popularity: 12,
  stage: "phrase",
  highlight: { name: { text: "orders", marks: [[0, 6]] }, description: { text: "One row per order, in euros.", marks: [[12, 17]] } },
  matched_columns: [{ name: "order_id", marks: [[0, 5]] }],
  explanation: { stage: "phrase", points: 520, base: 400, boosts: [{ name: "usage", points: 80 }, { name: "owner", points: 40 }] },
};
const answer = {
  ...paged([found, hit("raw.orders")]),
  total_exact: true,
  generation: 1,
  facets: { type: [{ value: "table", count: 2 }], owner: [{ value: "carlos@shop.example", count: 2 }], quality: [{ value: "unknown", count: 1 }] },
};

describe("the search", () => {
  it("marks what matched, names the column, and says why", async () => {
    const user = userEvent.setup();
    renderPage("/search?q=orders", { [SEARCH]: answer });
    const [first] = within(await screen.findByRole("list", { name: "Results" })).getAllByRole("listitem");
    if (first === undefined) throw new Error("no result");
    expect(within(first).getByRole("link", { name: "core.orders" })).toHaveAttribute("href", "/assets/core.orders");
    expect([...first.querySelectorAll("mark")].map((mark) => mark.textContent)).toEqual(["orders", "order", "order"]);
    expect(first).toHaveTextContent("Matching column: order_id");
    expect(first).toHaveTextContent("confidential");
    await user.click(within(first).getByRole("button", { name: "Why here?" }));
    expect(first).toHaveTextContent("its name has these words in this order");
    expect(first).toHaveTextContent("+80 people use it");
  });

  it("says which columns match by what is said of them", async () => {
    const columns = [...found.matched_columns, { name: "country", marks: [] }];
    renderPage("/search?q=orders", { [SEARCH]: { ...answer, items: [{ ...found, matched_columns: columns }, { ...found, id: "b", matched_columns: columns.slice(1) }] } });
    const [first, second] = within(await screen.findByRole("list", { name: "Results" })).getAllByRole("listitem");
    expect(first).toHaveTextContent("Matching column: order_id; by description or term: country");
    expect(second).toHaveTextContent("Columns that match by description or term: country");
  });

  it("does not give points as the reason where they do not decide", async () => {
    const user = userEvent.setup();
    renderPage("/search?q=orders&sort=popularity", { [SEARCH]: answer });
    await user.click(await screen.findByRole("button", { name: "Why here?" }));
    expect(screen.getByText(/Its rank is by how often it is used, as you chose/)).toBeInTheDocument();
    expect(screen.queryByText(/points/)).not.toBeInTheDocument();
  });

  it("chooses results also where a filter was just ticked", async () => {
    const user = userEvent.setup();
    renderPage("/search?q=orders", { [SEARCH]: answer });
    await user.click(await screen.findByRole("checkbox", { name: /carlos@shop.example/ }));
    await user.keyboard("j");
    const [first] = within(screen.getByRole("list", { name: "Results" })).getAllByRole("listitem");
    expect(first).toHaveAttribute("aria-current", "true");
  });

  it("keeps what is chosen in the address", async () => {
    const user = userEvent.setup();
    const { router, asked } = renderPage("/search?q=orders&tags=gold", { [SEARCH]: answer });
    await user.click(await screen.findByRole("checkbox", { name: /carlos@shop.example/ }));
    await waitFor(() => expect(router.state.location.searchStr).toBe("?q=orders&tags=gold&owners=carlos@shop.example"));
    expect(screen.getByRole("checkbox", { name: "gold" })).toBeChecked();
    await waitFor(() => expect(asked.some(({ url }) => new URL(url).searchParams.get("owners") === "carlos@shop.example")).toBe(true));
  });

  it("is used by keyboard alone", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/search?q=orders", { [SEARCH]: answer });
    await screen.findByRole("list", { name: "Results" });
    await user.click(screen.getByRole("textbox", { name: "Words" }));
    await user.keyboard("{ArrowDown}{ArrowDown}{Enter}");
    await waitFor(() => expect(router.state.location.pathname).toBe("/assets/raw.orders"));
  });

  it("says that nothing matches, and what went wrong", async () => {
    renderPage("/search?q=zzz", { [SEARCH]: { ...answer, ...paged([]), facets: {} } });
    expect(await screen.findByText("Nothing matches “zzz”")).toBeInTheDocument();
  });

  it("shows the problem of a search that failed", async () => {
    renderPage("/search", { [SEARCH]: status(422, { code: "FORGE-E105", detail: "A search has at most 16 words" }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("A search has at most 16 words");
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { TermView } from "../../../src/api";
import { paged, session } from "../../fixtures/catalog";
import { renderPage, status } from "../../render";

const TERMS = "GET /api/v1/catalog/glossary/terms";

function term(id: string, name: string, domain: string, more: Partial<TermView> = {}): TermView {
  return { id, name, domain, definition: `In ${domain}.`, synonyms: [], related: [], examples: [], owner: null, state: "draft", version: 2, created_at: null, updated_at: null, updated_by: "", file: null, ...more };
}

const revenue = term("sales.net-revenue", "Net revenue", "sales");
const basket = term("sales.basket", "Basket", "sales");
const other = term("web.basket", "basket", "web");
const known = {
  "GET /api/v1/session": session,
  [TERMS]: paged([revenue, basket, other]),
  "GET /api/v1/catalog/glossary/terms/sales.net-revenue": { ...revenue, links: [] },
  "GET /api/v1/catalog/glossary/terms/web.basket": { ...other, links: [] },
};

describe("a term", () => {
  it("opened by its name is edited and deleted", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/glossary?term=net_revenue", { ...known, "DELETE /api/v1/catalog/glossary/terms/sales.net-revenue": status(204, null) });
    const shown = await screen.findByRole("article", { name: "Net revenue" });
    await user.click(await within(shown).findByRole("button", { name: "Edit" }));
    expect(await screen.findByRole("dialog", { name: "Edit “Net revenue”" })).toBeInTheDocument();
    await user.keyboard("{Escape}");
    await user.click(await within(shown).findByRole("button", { name: "Delete…" }));
    await user.click(await screen.findByRole("button", { name: "Delete the term" }));
    await waitFor(() => expect(asked.find(({ method }) => method === "DELETE")?.url).toContain("/terms/sales.net-revenue?expected_version=2"));
  });

  it("of a name that two domains have is chosen", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/glossary?term=Basket", known);
    const which = await screen.findByRole("region", { name: "Which “Basket”?" });
    expect(within(which).getAllByRole("link").map((link) => link.textContent)).toEqual(["Basket, sales", "basket, web"]);
    await user.click(within(which).getByRole("link", { name: "basket, web" }));
    expect(await screen.findByRole("article", { name: "basket" })).toBeInTheDocument();
    expect(router.state.location.search).toEqual({ term: "web.basket" });
  });

  it("that nobody has says so", async () => {
    renderPage("/glossary?term=nothing", { ...known, "GET /api/v1/catalog/glossary/terms/nothing": status(404, { code: "FORGE-E861", detail: "There is no term 'nothing'" }) });
    await waitFor(() => expect(screen.getByRole("alert")).toHaveTextContent("There is no term 'nothing'"));
  });
});

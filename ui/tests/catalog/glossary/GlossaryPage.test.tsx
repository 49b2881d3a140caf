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

describe("files of terms", () => {
  const IMPORT = "POST /api/v1/catalog/glossary/import";
  const file = new File(["name,domain\nOrder,sales\n"], "terms.csv", { type: "text/csv" });

  it("say what they would change before they are imported", async () => {
    const user = userEvent.setup();
    const { asked, container } = renderPage("/glossary?dialog=import", { ...known, [IMPORT]: { added: ["sales.order"], changed: [], unchanged: ["sales.basket"], dry_run: true } });
    const dialog = await screen.findByRole("dialog", { name: "Import terms" });
    expect(within(dialog).getByRole("button", { name: "Import" })).toBeDisabled();
    await user.upload(container.ownerDocument.querySelector<HTMLInputElement>("input[type=file]") ?? document.createElement("input"), file);
    expect(await within(dialog).findByText("1 new term, 0 changed, 1 as they are")).toBeInTheDocument();
    await user.click(within(dialog).getByRole("button", { name: "Import" }));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
    const sent = await Promise.all(asked.filter(({ method }) => method === "POST").map((request): Promise<unknown> => request.json()));
    expect(sent).toEqual([true, false].map((dry_run) => ({ format: "csv", text: "name,domain\nOrder,sales\n", dry_run })));
  });

  it("that are wrong say every fault, and nothing is imported", async () => {
    const user = userEvent.setup();
    const faults = [{ code: "FORGE-E860", what: "terms.csv:2 has no name", where: null, why: null, fix: null }, { code: "FORGE-E860", what: "terms.csv:3 has no name", where: null, why: null, fix: null }];
    const { container } = renderPage("/glossary?dialog=import", { ...known, [IMPORT]: status(422, { code: "FORGE-E860", detail: "2 terms are wrong", errors: faults }) });
    const dialog = await screen.findByRole("dialog", { name: "Import terms" });
    await user.upload(container.ownerDocument.querySelector<HTMLInputElement>("input[type=file]") ?? document.createElement("input"), file);
    expect(await within(dialog).findByText("terms.csv:3 has no name")).toBeInTheDocument();
    expect(within(dialog).getByRole("button", { name: "Import" })).toBeDisabled();
  });

  it("are written of the domain that is shown", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/glossary?domain=sales", { ...known, "GET /api/v1/catalog/glossary/export": "id,name\n" });
    URL.createObjectURL = () => "blob:terms";
    await user.click(await screen.findByRole("button", { name: "Export" }));
    await user.click(await screen.findByRole("menuitem", { name: "CSV, for a spreadsheet" }));
    await waitFor(() => expect(asked.some(({ url }) => url.endsWith("/glossary/export?format=csv&domain=sales"))).toBe(true));
  });
});

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

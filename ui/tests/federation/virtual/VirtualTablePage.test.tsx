import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { paged, session } from "../../fixtures/catalog";
import { bought, people } from "../../fixtures/federation";
import { renderPage, status } from "../../render";

const LIST = "GET /api/v1/federation/virtual-tables";
const SESSION = "GET /api/v1/session";
const secret = { ...people, id: "secret", name: "secret", may_read: false, sources: null, columns: null, readers: null };

describe("one virtual table", () => {
  const ONE = `${LIST}/people`;
  const answers = { [LIST]: { ...paged([bought, people]), errors: [] }, [ONE]: people, [SESSION]: session };

  it("says what it is made of", async () => {
    renderPage("/virtual-tables/people", answers);
    const columns = await screen.findByRole("table", { name: "Columns of people" });
    expect(within(columns).getByText("crm.customers.city")).toBeInTheDocument();
    expect(within(columns).getByText("upper(c.town)")).toBeInTheDocument();
    expect(within(columns).getByLabelText("hidden: reads as NULL")).toBeInTheDocument();
    expect(screen.getByText("c.id > 0")).toBeInTheDocument();
    expect(await screen.findByRole("link", { name: "bought" })).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Open in query" })).toHaveAttribute("href", expect.stringContaining("virtual.people"));
  });

  it("is tested, and says what is wrong and what to do", async () => {
    const user = userEvent.setup();
    renderPage("/virtual-tables/people?tab=sources", {
      ...answers,
      [`${ONE}/drift`]: { virtual_table: "people", seen_at: "2026-11-14T06:10:00Z", changes: [{ table: "crm.customers", change: "removed", column: "city", before: "text", after: null }] },
      [`POST ${ONE.slice(4)}/test`]: status(422, { code: "FORGE-E893", detail: "people reads city of crm.customers, which has no such column", fix: "Did you mean town?", errors: [] }),
    });
    expect(await screen.findByText("crm.customers.city is gone")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Test it" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("Did you mean town?");
  });

  it("is edited with what differs", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/virtual-tables/people?dialog=edit", { ...answers, [`PATCH ${ONE.slice(4)}`]: status(409, { code: "FORGE-E897", detail: "people has changed since it was read", fix: "Read it again.", errors: [] }) });
    const form = await screen.findByRole("dialog", { name: "Edit people" });
    await user.click(within(form).getByRole("switch"));
    await user.click(within(form).getByRole("button", { name: "Save" }));
    expect(await within(form).findByRole("alert")).toHaveTextContent("FORGE-E897");
    expect(await asked.find(({ method }) => method === "PATCH")?.json()).toEqual({ expected_version: 4, cache_enabled: false });
  });

  it("tells who reads it before it is deleted", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage("/virtual-tables/people?dialog=delete", { ...answers, [`DELETE ${ONE.slice(4)}`]: status(204, null) });
    const dialog = await screen.findByRole("dialog", { name: "Delete virtual.people?" });
    expect(await within(dialog).findByText(/reads it: queries of it fail/)).toHaveTextContent("bought");
    await user.click(within(dialog).getByRole("button", { name: "Delete it all the same" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/virtual-tables"));
    expect(asked.find(({ method }) => method === "DELETE")?.url).toContain("expected_version=4");
  });

  it("is not changed by who may only read, nor where it is of a file", async () => {
    renderPage("/virtual-tables/bought", { ...answers, [`${LIST}/bought`]: bought });
    expect(await screen.findByText("It is declared in virtual_tables/a.yaml:2: change it there.")).toBeInTheDocument();
    expect(screen.getByText("o.person = p.id")).toBeInTheDocument();
    for (const name of ["Edit", "Delete"]) expect(screen.queryByRole("button", { name })).not.toBeInTheDocument();
  });

  it("shows nothing of what it is made of to who may not read it", async () => {
    renderPage("/virtual-tables/secret", { ...answers, [`${LIST}/secret`]: { ...secret, sql: null }, [SESSION]: { ...session, scope: "read" } });
    expect(await screen.findByText("What it is made of is for its readers")).toBeInTheDocument();
    expect(screen.queryByRole("link", { name: "Open in query" })).not.toBeInTheDocument();
  });
});

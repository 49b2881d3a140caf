import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { paged, session } from "../../fixtures/catalog";
import { bought, people } from "../../fixtures/federation";
import { renderPage, status } from "../../render";

const LIST = "GET /api/v1/federation/virtual-tables";
const SESSION = "GET /api/v1/session";
const secret = { ...people, id: "secret", name: "secret", may_read: false, sources: null, columns: null, readers: null };

describe("virtual tables", () => {
  it("are listed with what they are made of, and compared with their sources when asked", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/virtual-tables", {
      [LIST]: { ...paged([bought, people, secret]), errors: [] },
      [SESSION]: session,
      [`${LIST}/people/drift`]: { virtual_table: "people", seen_at: "2026-11-14T06:10:00Z", changes: [{ table: "crm.customers", change: "removed", column: "city", before: "text", after: null }] },
      [`${LIST}/bought/drift`]: status(403, { code: "FORGE-E885", detail: "You may not read it", errors: [] }),
    });
    const table = await screen.findByRole("table", { name: "Virtual tables" });
    const row = (name: string) => within(within(table).getByRole("link", { name }).closest("tr") as HTMLElement);
    expect(row("bought").getByText("core.orders")).toBeInTheDocument();
    expect(row("bought").getByText("never kept")).toBeInTheDocument();
    expect(row("secret").getByText("told to its readers")).toBeInTheDocument();
    expect(asked.some(({ url }) => url.endsWith("/drift"))).toBe(false);
    await user.click(screen.getByRole("button", { name: "Compare with their sources" }));
    expect(await row("people").findByText("1 change")).toBeInTheDocument();
    expect(row("bought").getByText("FORGE-E885")).toBeInTheDocument();
    expect(row("secret").getByText("not compared")).toBeInTheDocument();
    expect(asked.some(({ url }) => url.includes("/secret/"))).toBe(false);
  });

  it("say how the first is made where there is none, and what is wrong with files", async () => {
    renderPage("/virtual-tables", { [LIST]: { ...paged([]), errors: [{ code: "FORGE-E894", what: "two columns are called id", where: "virtual_tables/a.yaml:3", why: null, fix: "Rename one of them." }] }, [SESSION]: session });
    expect(await screen.findByText("No virtual tables yet")).toBeInTheDocument();
    expect(screen.getByRole("alert")).toHaveTextContent("virtual_tables/a.yaml:3");
  });

  it("say what is wrong where the server does not answer", async () => {
    renderPage("/virtual-tables", { [LIST]: status(422, { code: "FORGE-E105", detail: "It is broken", errors: [] }), [SESSION]: session });
    expect(await screen.findByRole("alert")).toHaveTextContent("It is broken");
  });
});

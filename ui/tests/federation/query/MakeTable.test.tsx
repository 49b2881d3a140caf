import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { paged, session } from "../../fixtures/catalog";
import { found, people } from "../../fixtures/federation";
import { renderPage, status } from "../../render";

const SESSION = "GET /api/v1/session";
const DRAFT = "POST /api/v1/federation/virtual-tables/draft";
const VIRTUAL = "/api/v1/federation/virtual-tables";
const SQL = "SELECT city, id * 2 AS n FROM crm.customers";
const address = `/query?${new URLSearchParams({ sql: SQL }).toString()}`;
const draft = {
  sources: people.sources,
  columns: [
    { name: "city", data_type: "", source_column: "customers.city", expression: "", nullable: true },
    { name: "n", data_type: "bigint", source_column: "", expression: "customers.id * 2", nullable: true },
  ],
  joins: [],
  default_filters: [],
};

beforeEach(() => localStorage.clear());

describe("a query that becomes a virtual table", () => {
  it("is drafted by the server with the types of its result, and named", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage(address, { [SESSION]: session, "POST /api/v1/federation/query": found, [DRAFT]: draft, [`POST ${VIRTUAL}`]: people, [`GET ${VIRTUAL}/people`]: people, [`GET ${VIRTUAL}`]: { ...paged([people]), errors: [] } });
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await screen.findByRole("table", { name: "Result" });
    await user.click(screen.getByRole("button", { name: "Save as virtual table" }));
    const form = await screen.findByRole("dialog", { name: "Save as virtual table" });
    expect(await within(form).findByText("customers.id * 2")).toBeInTheDocument();
    expect(await asked.find(({ url }) => url.endsWith("/draft"))?.json()).toEqual({ sql: SQL, types: { city: "string", n: "bigint" } });
    const name = within(form).getByRole("textbox", { name: "Name" });
    await user.type(name, "my people");
    expect(within(form).getByRole("button", { name: "Save" })).toBeDisabled();
    await user.clear(name);
    await user.type(name, "people");
    await user.click(within(form).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/virtual-tables/people"));
    expect(await asked.find(({ method, url }) => method === "POST" && url.endsWith("/virtual-tables"))?.json()).toMatchObject({ name: "people", columns: draft.columns });
  });

  it("is refused with the reason of the server", async () => {
    const user = userEvent.setup();
    renderPage(address, { [SESSION]: session, [DRAFT]: status(422, { code: "FORGE-E889", detail: "this SELECT is no virtual table: it has LIMIT", where: "query:1:1", fix: "Leave it out here.", errors: [] }) });
    await user.click(await screen.findByRole("button", { name: "Save as virtual table" }));
    const form = await screen.findByRole("dialog", { name: "Save as virtual table" });
    expect(await within(form).findByRole("alert")).toHaveTextContent("Leave it out here.");
    expect(within(form).getByRole("button", { name: "Save" })).toBeDisabled();
  });

  it("takes the place of the SELECT that it was opened from", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(`${address}&into=people`, { [SESSION]: session, [DRAFT]: draft, [`GET ${VIRTUAL}/people`]: people, [`PATCH ${VIRTUAL}/people`]: people, [`GET ${VIRTUAL}`]: { ...paged([people]), errors: [] } });
    await user.click(await screen.findByRole("button", { name: "Change virtual.people" }));
    const form = await screen.findByRole("dialog", { name: "Change virtual.people" });
    await within(form).findByText("customers.id * 2");
    await user.click(within(form).getByRole("button", { name: "Change it" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
    expect(await asked.find(({ method }) => method === "PATCH")?.json()).toMatchObject({ expected_version: 4, columns: draft.columns });
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { paged, session } from "../../fixtures/catalog";
import { crm, customers } from "../../fixtures/federation";
import { renderPage } from "../../render";

const LIST = "GET /api/v1/federation/sources";
const ONE = "GET /api/v1/federation/sources/crm";
const TABLES = `${ONE}/tables`;
const SESSION = "GET /api/v1/session";
const listed = { ...paged([crm]), errors: [] };

describe("sources", () => {
  it("show their tables and columns as the address says", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/sources?source=crm", { [LIST]: listed, [ONE]: crm, [TABLES]: paged([customers]), [SESSION]: session });
    await user.click(await screen.findByRole("button", { name: /customers/ }));
    const columns = await screen.findByRole("table", { name: "Columns of customers" });
    expect(within(columns).getByLabelText("hidden: reads as NULL")).toBeInTheDocument();
    await waitFor(() => expect(router.state.location.search).toMatchObject({ source: "crm", table: "customers" }));
    await user.click(screen.getByRole("button", { name: "Query it" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/query"));
    expect(router.state.location.search).toEqual({ sql: "SELECT id, city\nFROM crm.customers\nLIMIT 100" });
  });

  it("name who uses them", async () => {
    const use = { kind: "virtual_table", name: "cities", id: "cities", owner: "", is_shared: false, through: ["people"], where: null };
    renderPage("/sources?source=crm", { [LIST]: listed, [ONE]: crm, [TABLES]: paged([]), [`${ONE}/users`]: paged([use]), [SESSION]: session });
    const link = await screen.findByRole("link", { name: "cities" });
    expect(link.closest("p")).toHaveTextContent("cities (through people)");
  });

  it("are changed with what differs, at the version that was seen", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/sources?source=crm&dialog=edit", { [LIST]: listed, [ONE]: crm, [TABLES]: paged([]), [SESSION]: session, "PATCH /api/v1/federation/sources/crm": crm });
    const form = await screen.findByRole("dialog", { name: "Edit crm" });
    const schema = within(form).getByRole("textbox", { name: "Schema" });
    await user.clear(schema);
    await user.type(schema, "sales");
    await user.click(within(form).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
    expect(await asked.find(({ method }) => method === "PATCH")?.json()).toEqual({ expected_version: 3, schema: "sales" });
  });

  it("of CSV files are added with the columns that their header proposes", async () => {
    const user = userEvent.setup();
    const proposed = { file: "data/shared/rates.csv", columns: [{ name: "day", type: "date" }, { name: "rate", type: "double" }], options: { header: "true" } };
    const { asked } = renderPage("/sources?dialog=new", { [LIST]: listed, [SESSION]: session, "POST /api/v1/federation/sources/columns": proposed, "POST /api/v1/federation/sources": crm });
    const form = await screen.findByRole("dialog", { name: "Add a source" });
    await user.type(within(form).getByRole("textbox", { name: "Name" }), "rates");
    await user.selectOptions(within(form).getByRole("combobox", { name: "Kind" }), "files");
    await user.type(within(form).getByRole("textbox", { name: "Path" }), "data/shared/rates.csv");
    expect(within(form).getByRole("button", { name: "Add the source" })).toBeDisabled();
    await user.click(within(form).getByRole("button", { name: "Look at the file" }));
    const type = await within(form).findByLabelText("Type of column 2");
    await user.clear(type);
    await user.type(type, "decimal(12,6)");
    await user.click(within(form).getByRole("button", { name: "Add the source" }));
    await waitFor(() => expect(asked.filter(({ method }) => method === "POST")).toHaveLength(2));
    const [, made] = asked.filter(({ method }) => method === "POST");
    expect(await made?.json()).toMatchObject({ name: "rates", connector: "files", path: "data/shared/rates.csv", columns: { day: "date", rate: "decimal(12,6)" }, options: { header: "true" } });
  });

  it("show what of them is for whom", async () => {
    const masked = { ...crm, options: { sslmode: "require" }, masks: [{ column: "customers.email", as: "hash", except: ["owners"] }], rows: [{ table: "customers", filter: "id > 9" }] };
    renderPage("/sources?source=crm&tab=about", { [LIST]: { ...paged([masked]), errors: [] }, [ONE]: masked, [SESSION]: session });
    expect(await screen.findByText("customers.email reads as a hash, for all but owners")).toBeInTheDocument();
    expect(screen.getByText("customers where id > 9, for everyone")).toBeInTheDocument();
    expect(screen.getByText("sslmode=require")).toBeInTheDocument();
  });

  it("cannot be changed by who may only read, nor are their addresses shown", async () => {
    const plain = { ...crm, url: null, user: null, readers: null, hidden: null, schema: null, columns: null, options: null };
    renderPage("/sources?source=crm&tab=about", { [LIST]: { ...paged([plain]), errors: [] }, [ONE]: plain, [SESSION]: { ...session, scope: "read" } });
    expect(await screen.findByText("Shown to tokens that may write")).toBeInTheDocument();
    for (const name of ["Test", "Edit", "Remove", "Add a source"]) expect(screen.queryByRole("button", { name })).not.toBeInTheDocument();
  });
});

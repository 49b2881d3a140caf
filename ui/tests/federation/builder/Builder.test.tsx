import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import type { BuilderQueryView } from "../../../src/api";
import { session } from "../../fixtures/catalog";
import { crm, customers, found } from "../../fixtures/federation";
import { renderPage, status } from "../../render";

const OUTLINE = "POST /api/v1/federation/query/outline";
const COMPOSE = "POST /api/v1/federation/query/compose";
const SQL = "SELECT c.city FROM crm.customers AS c";
const query: BuilderQueryView = {
  tables: [{ path: ["crm", "customers"], alias: "c", join: null, on: [] }],
  columns: [{ term: { table: "c", column: "city", aggregate: null }, alias: "" }],
  distinct: false,
  where: { connective: "and", groups: [] },
  group_by: [],
  having: { connective: "and", groups: [] },
  order_by: [],
  limit: null,
};
const answers = {
  "GET /api/v1/session": session,
  "GET /api/v1/federation/sources": { items: [crm], next_cursor: null, has_more: false },
  "GET /api/v1/federation/sources/crm/tables": { items: [customers], next_cursor: null, has_more: false },
  "GET /api/v1/federation/virtual-tables": { items: [], next_cursor: null, has_more: false },
  [OUTLINE]: { query, not_shown: null, has_comments: true },
  [COMPOSE]: { sql: "SELECT c.city, SUM(c.id) AS sum_id FROM crm.customers AS c GROUP BY c.city" },
};
const page = (sql: string) => `/query?${new URLSearchParams({ sql, by: "builder" }).toString()}`;
const bodies = async (asked: readonly Request[], path: string): Promise<unknown[]> => Promise.all(asked.filter(({ url }) => url.endsWith(path)).map((one) => one.clone().json()));

describe("the builder", () => {
  beforeEach(() => localStorage.clear());

  it("shows the SQL as parts, and writes a change as SQL", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(page(SQL), answers);
    const column = await screen.findByRole("group", { name: "Column 1" });
    expect(screen.getByText(/The first change here writes it anew/)).toBeInTheDocument();
    expect(within(column).getByRole("combobox", { name: "Column 1: which" })).toHaveValue("c.city");
    await user.click(screen.getByRole("combobox", { name: "Add a column" }));
    await user.click(await screen.findByRole("option", { name: /c\.id/ }));
    await user.selectOptions(screen.getByRole("combobox", { name: "Column 2: what of it" }), "sum");
    await waitFor(() => expect(screen.getByRole("region", { name: "SQL of the builder" })).toHaveTextContent("GROUP BY c.city"));
    expect(screen.getByRole("textbox", { name: "Column 2: name in the result" })).toHaveValue("sum_id");
    expect((await bodies(asked, "/compose")).at(-1)).toEqual({
      ...query,
      columns: [query.columns[0], { term: { table: "c", column: "id", aggregate: "sum" }, alias: "sum_id" }],
      group_by: [{ table: "c", column: "city", aggregate: null }],
    });
  });

  it("runs what was changed last, from any field", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(page(SQL), { ...answers, "POST /api/v1/federation/query": found });
    await user.type(await screen.findByRole("textbox", { name: "Rows at most" }), "7{Control>}{Enter}{/Control}");
    await screen.findByRole("table", { name: "Result" });
    expect((await bodies(asked, "/compose")).at(-1)).toMatchObject({ limit: 7 });
    expect((await bodies(asked, "/federation/query")).at(-1)).toMatchObject({ sql: answers[COMPOSE].sql });
  });

  it("leaves out a filter until it is complete, and says what is no number", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(page(SQL), answers);
    await user.click(await screen.findByRole("button", { name: "Add a filter" }));
    await user.click(screen.getByRole("combobox", { name: "Filter 1: column" }));
    await user.click(await screen.findByRole("option", { name: /c\.id/ }));
    await user.type(screen.getByRole("textbox", { name: "Filter 1: value" }), "7x");
    expect(screen.getByText(/Not a number/)).toBeInTheDocument();
    await waitFor(async () => expect((await bodies(asked, "/compose")).at(-1)).toMatchObject({ where: { groups: [] } }));
    await user.type(screen.getByRole("textbox", { name: "Filter 1: value" }), "{Backspace}");
    await waitFor(async () => expect((await bodies(asked, "/compose")).at(-1)).toMatchObject({ where: { groups: [[{ values: [{ kind: "number", text: "7" }] }]] } }));
  });

  it("names what it cannot show, and keeps the query", async () => {
    const user = userEvent.setup();
    const { router } = renderPage(page(SQL), { ...answers, [OUTLINE]: { query: null, not_shown: { what: "a window function", where: "query:2:3" }, has_comments: false } });
    expect(await screen.findByText(/The builder does not show/)).toHaveTextContent("a window function (line 2, column 3)");
    await user.click(screen.getByRole("button", { name: "Edit it as SQL" }));
    expect(await screen.findByRole("textbox", { name: "SQL" })).toHaveTextContent(SQL);
    expect(router.state.location.search).not.toHaveProperty("by");
  });

  it("shows why a text cannot be read", async () => {
    renderPage(page("SELEC"), { ...answers, [OUTLINE]: status(422, { code: "FORGE-E201", detail: "SQL syntax error", where: "query:1:1", why: null, fix: null, errors: [] }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E201");
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { session } from "../../fixtures/catalog";
import { found, plan } from "../../fixtures/federation";
import { renderPage, status, system } from "../../render";

const ASK = "POST /api/v1/federation/query";
const EXPLAIN = "POST /api/v1/federation/query/explain";
const SESSION = "GET /api/v1/session";
const SYSTEM = "GET /api/v1/system";
const SQL = "SELECT city, count(*) AS n FROM crm.customers WHERE upper(city) <> :x GROUP BY city";
const address = `/query?${new URLSearchParams({ sql: SQL, p: "x=PARIS", at: "fix-orders", engine: "in-process" }).toString()}`;

describe("a query", () => {
  beforeEach(() => localStorage.clear());

  it("is not run by its address alone, and sends what the page shows", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(address, { [ASK]: found, [SESSION]: session });
    expect(await screen.findByRole("textbox", { name: "SQL" })).toHaveTextContent(SQL);
    expect(asked.some(({ method }) => method === "POST")).toBe(false);
    await user.click(screen.getByRole("button", { name: "Run" }));
    const rows = await screen.findByRole("table", { name: "Result" });
    expect(within(rows).getByText("NULL")).toBeInTheDocument();
    expect(within(rows).getByText("bigint")).toBeInTheDocument();
    expect(screen.getByText("2 rows")).toBeInTheDocument();
    const sent: unknown = await asked.find(({ method }) => method === "POST")?.json();
    expect(sent).toEqual({ sql: SQL, parameters: { x: "PARIS" }, at: "fix-orders", engine: "in-process", limit: 1000, explain: true, cache: true, form: "rows" });
  });

  it("asks for as many rows as the server gives, and says who sets that", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(address, { [ASK]: { ...found, truncated: true, has_more: true }, [SESSION]: session, [SYSTEM]: { ...system, reads: { ...system.reads, rows: 100_000 } } });
    await screen.findByRole("textbox", { name: "SQL" });
    await waitFor(() => expect(asked.some(({ url }) => url.endsWith("/system"))).toBe(true));
    await user.click(screen.getByRole("button", { name: "Run" }));
    expect(await screen.findByText(/More rows follow: an answer has at most 2 here \(server\.reads\.rows in forge\.yaml\)/)).toBeInTheDocument();
    const sent: unknown = await asked.find(({ method }) => method === "POST")?.json();
    expect(sent).toMatchObject({ limit: 100_000 });
  });

  it("says that it was kept from before, and is run anew", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(address, { [ASK]: { ...found, cache: "hit", kept_until: new Date(Date.now() + 3_595_000).toISOString() }, [SESSION]: session });
    await screen.findByRole("textbox", { name: "SQL" });
    await user.click(screen.getByRole("button", { name: "Run" }));
    expect(await screen.findByText("cache: hit, kept for 1 h more")).toBeInTheDocument();
    await user.click(screen.getByRole("button", { name: "Run anew" }));
    await waitFor(() => expect(asked.filter(({ method }) => method === "POST")).toHaveLength(2));
    const again: unknown = await asked.findLast(({ method }) => method === "POST")?.json();
    expect(again).toMatchObject({ cache: false });
  });

  it("becomes a chart, and a plan that says what was not left to the source", async () => {
    const user = userEvent.setup();
    const { router } = renderPage(address, { [ASK]: found, [SESSION]: session });
    await user.click(await screen.findByRole("button", { name: "Run" }));
    await screen.findByRole("table", { name: "Result" });
    await user.click(screen.getByText("Chart"));
    expect(await screen.findByRole("img", { name: "n by city, 2 values" })).toBeInTheDocument();
    await user.click(screen.getByText("Line"));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ view: "chart", chart: "line" }));
    await user.click(screen.getByText("Plan"));
    const tree = await screen.findByRole("list", { name: "Plan" });
    expect(screen.getByText(/^Joined in the order crm.customers, core.orders, rates\./)).toBeInTheDocument();
    expect(tree).toHaveTextContent("Not left to a source: a filter below it is not pushed.");
    expect(tree).toHaveTextContent('SELECT "city" FROM "customers"');
    expect(tree).toHaveTextContent("1,132 rows read, of about 20,000");
  });

  it("is explained without being run", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(address, { [EXPLAIN]: { ...plan, cache: "not cacheable (crm says so)" }, [SESSION]: session });
    await user.click(await screen.findByRole("button", { name: "Explain" }));
    expect(await screen.findByText("How it would be computed")).toBeInTheDocument();
    expect(screen.getByText("cache: not kept (crm says so)")).toBeInTheDocument();
    expect(asked.some(({ url }) => url.endsWith("/query"))).toBe(false);
  });

  it("names a source that cannot be reached, in the plan of the rest", async () => {
    const user = userEvent.setup();
    const nodes = { type: "scan", source: "crm", fragment: "f1", relations: ["crm.customers"], columns: ["id"], predicates: [], children: [], pushed: true, unavailable: "crm cannot be reached. Connection refused." };
    renderPage(address, { [EXPLAIN]: { ...plan, nodes }, [SESSION]: session });
    await user.click(await screen.findByRole("button", { name: "Explain" }));
    expect(await screen.findByRole("list", { name: "Plan" })).toHaveTextContent("Cannot be reached now: crm cannot be reached. Connection refused.");
  });

  it("shows what is wrong, and is remembered with its code", async () => {
    const user = userEvent.setup();
    renderPage(address, { [ASK]: status(422, { code: "FORGE-E201", detail: "SQL syntax error near 'x'", where: "query:1:8", why: "Unexpected token.", fix: "Correct the SQL there.", errors: [] }), [SESSION]: session });
    await screen.findByRole("textbox", { name: "SQL" });
    await user.click(screen.getByRole("button", { name: "Run" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E201");
    expect(document.querySelector(".sql-fault")).toHaveTextContent("city");
    await user.click(screen.getByRole("button", { name: "History" }));
    expect(await screen.findByRole("region", { name: "History" })).toHaveTextContent("FORGE-E201");
  });

  it("waits for a value that is a number", async () => {
    const user = userEvent.setup();
    renderPage(address, { [ASK]: found, [SESSION]: session });
    const value = await screen.findByRole("textbox", { name: ":x" });
    await user.selectOptions(screen.getByRole("combobox", { name: "Kind of x" }), "number");
    expect(screen.getByRole("button", { name: "Run" })).toBeDisabled();
    expect(screen.getByText("Not a number")).toBeInTheDocument();
    await user.clear(value);
    await user.type(value, "7");
    expect(screen.getByRole("button", { name: "Run" })).toBeEnabled();
  });
});

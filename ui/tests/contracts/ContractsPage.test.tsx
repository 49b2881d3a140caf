import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { branch, paged, session } from "../fixtures/catalog";
import { change, changed, comparison, compiled, contract, contractView, drift, effective, nullable, reader, tested, undocumented, version, violation, violations } from "../fixtures/contracts";
import { renderPage, status, type Answers } from "../render";

const C = "/api/v1/contracts";
const ORDERS = `${C}/shop-core-orders`;
const answers: Answers = {
  "GET /api/v1/session": session,
  [`GET ${C}`]: paged([
    contractView(),
    contractView({ id: "shop-enterprise", name: "Enterprise standard", version: "2.0.0", tables: [], owner: null, violations: { errors: 0, warnings: 0, infos: 0, checked_at: "2026-11-15T21:55:00Z" } }),
    contractView({ id: "shop-marts", name: "Revenue", state: "draft", registered: false, violations: null }),
    contractView({ id: "shop-old", name: "Old orders", state: "deprecated", file_differs: true, file_version: "2.0.0" }),
  ]),
  [`GET ${ORDERS}`]: contract(),
  [`GET ${ORDERS}/effective`]: effective(),
  [`GET ${ORDERS}/violations`]: violations(),
  [`POST ${ORDERS}/check`]: violations(),
  [`GET ${ORDERS}/versions`]: paged([version("1.2.0", { current: true, breaking: 1 }), version("1.1.0", { bump: null, breaking: null, required_bump: null })]),
  [`GET ${ORDERS}/diff`]: comparison(),
  [`GET ${ORDERS}/drift`]: drift(),
  [`GET ${ORDERS}/consumers`]: paged([reader("marts.daily_revenue"), reader("marts.value", { owner: null, depth: 2, columns: [] })]),
  [`GET ${ORDERS}/results`]: paged([tested()]),
  [`POST ${ORDERS}/state`]: contract({ state: "deprecated", history: [change({ state: "deprecated", before: "active", told: ["fin@shop.example"] })] }),
  "GET /api/v1/contract-violations": paged([violation(), nullable, undocumented]),
  "GET /api/v1/compile": compiled,
};

function asked(requests: Request[], path: string): URL[] {
  return requests.map((one) => new URL(one.url)).filter((one) => one.pathname === path);
}

describe("contracts", () => {
  it("are listed with state, owner, problems and last check", async () => {
    renderPage("/contracts", answers);
    const table = await screen.findByRole("table", { name: "Contracts" });
    const [, orders, enterprise, revenue, old] = within(table).getAllByRole("row");
    expect(orders).toHaveTextContent("activeOrderscore.orders1.2.0carlos@shop.example1 error, 1 warning, 1 note15 min ago");
    expect(within(orders ?? table).getByRole("link", { name: "Orders" })).toHaveAttribute("href", "/contracts/shop-core-orders");
    expect(within(orders ?? table).getByRole("link", { name: "1 error, 1 warning, 1 note of Orders" })).toHaveAttribute("href", "/contracts/shop-core-orders?part=problems");
    expect(enterprise).toHaveTextContent("no table of its own2.0.0nobody none15 min ago");
    expect(revenue).toHaveTextContent("not registeredcarlos@shop.examplenot checkednever");
    expect(old).toHaveTextContent("file has 2.0.0");
  });

  it("are asked for as the address says", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/contracts?q=orders&is=active", answers);
    await screen.findByRole("table", { name: "Contracts" });
    await user.selectOptions(screen.getByLabelText("Problems"), "problems");
    await waitFor(() => expect(router.state.location.href).toBe("/contracts?q=orders&is=active&found=problems"));
    await waitFor(() => expect(asked(requests, C).at(-1)?.search).toBe("?q=orders&state=active&violations=true"));
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(router.state.location.href).toBe("/contracts"));
  });

  it("may be none, or none that passes the filters", async () => {
    const none = { ...answers, [`GET ${C}`]: paged([]) };
    const first = renderPage("/contracts", none);
    expect(await screen.findByText("Nothing is promised yet")).toBeInTheDocument();
    first.unmount();
    renderPage("/contracts?q=x", none);
    expect(await screen.findByText("No contract passes these filters")).toBeInTheDocument();
  });

  it("tell a problem with a way to try again", async () => {
    renderPage("/contracts", { ...answers, [`GET ${C}`]: status(500, { code: "FORGE-E000", detail: "Something broke" }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("Something broke");
    expect(screen.getByRole("button", { name: "Try again" })).toBeInTheDocument();
  });

  it("have all their problems on one page, the worst first, each leading to its line", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/contracts?view=problems", answers);
    const list = await screen.findByRole("list", { name: "Problems" });
    const [first, second, third] = within(list).getAllByRole("listitem");
    expect(first).toHaveTextContent("errorFORGE-E530core.orders.amount is double");
    expect(within(first ?? list).getByRole("link", { name: "contracts/core.orders.odcs.yaml:17:9" })).toHaveAttribute("href", "/contracts/shop-core-orders?part=text&line=17");
    expect(second).toHaveTextContent("warningcore.orders.order_id may be null");
    expect(third).toHaveTextContent("FORGE-E532");
    expect(await screen.findByRole("region", { name: "The last compile did not pass" })).toHaveTextContent("1 error, 1 warning, 1 note · 15 min ago by sam@shop.example · enforcement warnnaming0coverage2");
    expect(screen.getByRole("link", { name: "Problems" })).toHaveAttribute("data-status", "active");
    expect(screen.getByRole("link", { name: "All contracts" })).not.toHaveAttribute("data-status");
    await user.selectOptions(screen.getByLabelText("Severity"), "error");
    await waitFor(() => expect(router.state.location.href).toBe("/contracts?view=problems&severity=error"));
    await waitFor(() => expect(asked(requests, "/api/v1/contract-violations").at(-1)?.search).toBe("?severity=error"));
  });

  it("say how the project is compiled where it never was", async () => {
    renderPage("/contracts?view=problems", { ...answers, "GET /api/v1/compile": status(200, null), "GET /api/v1/contract-violations": paged([]) });
    expect(await screen.findByText("forge compile")).toBeInTheDocument();
    expect(await screen.findByText("No problem is known")).toBeInTheDocument();
  });
});

describe("one contract", () => {
  it("shows what binds, and whose word each promise is", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/contracts/shop-core-orders", answers);
    const chain = await screen.findByRole("list", { name: "The contracts that bind, outermost first" });
    expect(screen.getByRole("heading", { level: 1 })).toHaveTextContent("Orders");
    expect(chain).toHaveTextContent("Enterprise standard 2.0.0Sales domain 1.1.0Orders 1.2.0");
    const table = screen.getByRole("table", { name: "Columns of orders" });
    expect(within(table).getByRole("row", { name: /^email/ })).toHaveTextContent("classpiifrom Enterprise standard");
    expect(within(table).getByRole("row", { name: /^order_id/ })).toHaveTextContent("keyrequired");
    expect(within(table).getByRole("row", { name: /^order_id/ })).not.toHaveTextContent("from");
    expect(screen.getByRole("region", { name: "Service levels" })).toHaveTextContent("latency1 d (orders.ordered_at, analytics)retention10 yfrom Enterprise standard");
    await user.click(screen.getByLabelText("Only what is inherited"));
    await waitFor(() => expect(router.state.location.href).toBe("/contracts/shop-core-orders?only=inherited"));
    await waitFor(() => expect(within(screen.getByRole("table", { name: "Columns of orders" })).getAllByRole("row")).toHaveLength(2));
  });

  it("says so where nothing stands above it", async () => {
    renderPage("/contracts/shop-core-orders", { ...answers, [`GET ${ORDERS}/effective`]: effective({ chain: effective().chain.slice(-1), origins: {} }) });
    expect(await screen.findByText("No contract stands above it: all of this is its own word.")).toBeInTheDocument();
    expect(screen.queryByLabelText("Only what is inherited")).not.toBeInTheDocument();
  });

  it("tells what weakens a parent", async () => {
    const weak = violation({ code: "FORGE-E510", message: "latency 2 d is weaker than 1 d" });
    renderPage("/contracts/shop-core-orders", { ...answers, [`GET ${ORDERS}/effective`]: effective({ violations: [weak] }) });
    expect(await screen.findByRole("region", { name: "What does not fit its parents" })).toHaveTextContent("FORGE-E510latency 2 d is weaker than 1 d");
  });

  it("tells its problems now, and keeps a check that is asked for", async () => {
    const user = userEvent.setup();
    const { asked: requests } = renderPage("/contracts/shop-core-orders?part=problems", answers);
    const list = await screen.findByRole("list", { name: "Problems of Orders" });
    expect(within(list).getAllByRole("listitem").map((one) => one.textContent.slice(0, 7))).toEqual(["errorFO", "warning", "infoFOR"]);
    await user.click(screen.getByRole("button", { name: "Check now" }));
    await waitFor(() => expect(requests.some((one) => one.method === "POST" && one.url.endsWith("/check"))).toBe(true));
  });

  it("compares two versions, names the bump that is needed and who is hit", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/contracts/shop-core-orders?part=versions", answers);
    expect(await screen.findByText("It needs a MAJOR version")).toBeInTheDocument();
    expect(asked(requests, `${ORDERS}/diff`)[0]?.search).toBe("?old=1.1.0&new=1.2.0");
    expect(within(screen.getByRole("list", { name: "Breaks readers" })).getByRole("listitem")).toHaveTextContent("orders.amountdecimal(12,2) → stringcontracts/core.orders.odcs.yaml:17");
    expect(screen.getByRole("list", { name: "Only words" })).toHaveTextContent("OrdersAll orders");
    expect(within(screen.getByRole("list", { name: "Readers that are hit" })).getByRole("link", { name: "marts.daily_revenue" })).toBeInTheDocument();
    expect(screen.getByRole("list", { name: "What the gate says" })).toHaveTextContent("FORGE-E520");
    const registered = screen.getByRole("table", { name: "Registered versions" });
    expect(within(registered).getByRole("row", { name: /^1.2.0/ })).toHaveTextContent("newestMINOR1 breaking change");
    await user.selectOptions(screen.getByLabelText("From version"), "1.2.0");
    await waitFor(() => expect(router.state.location.href).toContain("old=1.2.0"));
  });

  it("compares the file with what is registered where it differs", async () => {
    const differs = contract({ file_differs: true, file_version: "1.3.0" });
    const { asked: requests } = renderPage("/contracts/shop-core-orders?part=versions", {
      ...answers,
      [`GET ${ORDERS}`]: differs,
      [`GET ${ORDERS}/diff`]: comparison({ old: "1.2.0", new: "1.3.0", new_source: "file", required_bump: "minor", changes: [changed({ bump: "minor", old: null, new: "string", message: "a new column" })], violations: [], consumers: [] }),
    });
    expect(await screen.findByText("1 change, and the version says so")).toBeInTheDocument();
    expect(asked(requests, `${ORDERS}/diff`)[0]?.search).toBe("?old=1.2.0&new=file");
    expect(screen.getByLabelText("To version")).toHaveDisplayValue("1.3.0, the file now");
    expect(screen.queryByText(/hit$/)).not.toBeInTheDocument();
  });

  it("has nothing to compare with at first", async () => {
    const first = renderPage("/contracts/shop-core-orders?part=versions", { ...answers, [`GET ${ORDERS}/versions`]: paged([version("1.0.0", { current: true, bump: null, breaking: null })]) });
    expect(await screen.findByText("There is only one version; the next is compared with it.")).toBeInTheDocument();
    expect(asked(first.asked, `${ORDERS}/diff`)).toEqual([]);
    first.unmount();
    renderPage("/contracts/shop-core-orders?part=versions", { ...answers, [`GET ${ORDERS}`]: contract({ registered: false, versions: 0 }), [`GET ${ORDERS}/versions`]: paged([]) });
    expect(await screen.findByText("It was never registered")).toBeInTheDocument();
    expect(screen.getByText("forge contract register contracts/core.orders.odcs.yaml")).toBeInTheDocument();
  });

  it("is held against its tables at any revision, with both ways to mend it", async () => {
    const { asked: requests } = renderPage("/contracts/shop-core-orders?part=drift&at=dev", { ...answers, "GET /api/v1/branches": paged([branch("main", { is_default: true }), branch("dev")]) });
    const table = await screen.findByRole("region", { name: "core.orders@dev" });
    expect(asked(requests, `${ORDERS}/drift`)[0]?.search).toBe("?at=dev");
    expect(within(table).getByRole("list", { name: "Differences of core.orders" })).toHaveTextContent("FORGE-E530");
    expect(within(table).getByRole("region", { name: "Change the table" })).toHaveTextContent("ALTER TABLE `core`.`orders` ALTER COLUMN `amount` TYPE decimal(12,2);");
    expect(within(table).getByRole("region", { name: "Change the contract" })).toHaveTextContent("name: coupon");
    expect(screen.getByRole("region", { name: "core.order_notes" })).toHaveTextContent("The table is not there yet");
  });

  it("names its readers", async () => {
    renderPage("/contracts/shop-core-orders?part=readers", answers);
    const table = await screen.findByRole("table", { name: "Readers of Orders" });
    const [, near, far] = within(table).getAllByRole("row");
    expect(near).toHaveTextContent("marts.daily_revenuefin@shop.exampledirectlyamountordered_at");
    expect(far).toHaveTextContent("marts.valuenobodythrough 1 tablecore.orders");
  });

  it("may have no readers, tests or problems", async () => {
    const calm = { ...answers, [`GET ${ORDERS}/consumers`]: paged([]), [`GET ${ORDERS}/results`]: paged([]), [`GET ${ORDERS}/violations`]: violations([]) };
    for (const [part, words] of [
      ["readers", "Nobody is known to read it"],
      ["tests", "No test was published"],
      ["problems", "Nothing is wrong"],
    ]) {
      const view = renderPage(`/contracts/shop-core-orders?part=${part}`, calm);
      expect(await screen.findByText(words ?? "")).toBeInTheDocument();
      view.unmount();
    }
  });

  it("shows what tests found", async () => {
    renderPage("/contracts/shop-core-orders?part=tests", answers);
    const list = await screen.findByRole("list", { name: "Tests of Orders" });
    expect(list).toHaveTextContent("failed11 passed, 1 failedversion 1.2.0, production, datacontract-cli 1.2.8");
    expect(within(list).getByRole("list", { name: "Checks that did not pass" })).toHaveTextContent("amount is not negative 3 rows are below 0");
    expect(list).not.toHaveTextContent("order_id is required");
  });

  it("shows its text with problems at their lines", async () => {
    renderPage("/contracts/shop-core-orders?part=text&line=17", answers);
    const text = await screen.findByRole("region", { name: "Its text" });
    const lines = within(text).getAllByRole("listitem");
    expect(lines).toHaveLength(17);
    expect(lines[16]).toHaveAttribute("data-marked");
    await waitFor(() => expect(lines[16]).toHaveTextContent("physicalType: decimal(12,2)error: FORGE-E530 core.orders.amount is double"));
    expect(lines[13]).toHaveTextContent("required: truewarning: core.orders.order_id may be null");
  });

  it("shows the file first where it differs: problems stand at its lines", async () => {
    const user = userEvent.setup();
    const differs = contract({ file_differs: true, file_version: "1.3.0" });
    const { router, asked: requests } = renderPage("/contracts/shop-core-orders?part=text", { ...answers, [`GET ${ORDERS}`]: differs });
    await screen.findByRole("region", { name: "Its text" });
    expect(asked(requests, ORDERS).map((one) => one.search)).toContain("?version=file");
    await user.click(screen.getByText("Registered, 1.2.0"));
    await waitFor(() => expect(router.state.location.href).toBe("/contracts/shop-core-orders?part=text&text=registered"));
    await waitFor(() => expect(screen.getByRole("region", { name: "Its text" })).not.toHaveTextContent("FORGE-E530"));
  });

  it("goes on in its life, and tells readers", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/contracts/shop-core-orders?part=life", answers);
    const way = await screen.findByRole("list", { name: "States, in their order" });
    expect(within(way).getAllByRole("listitem").find((one) => one.getAttribute("aria-current") === "step")).toHaveTextContent("active");
    expect(screen.getByRole("list", { name: "What happened, newest first" })).toHaveTextContent("was draft by sam@shop.example");
    await user.click(await screen.findByRole("button", { name: "Change state…" }));
    const dialog = await screen.findByRole("dialog");
    await user.type(within(dialog).getByLabelText("Reason"), "Cents come");
    await user.type(within(dialog).getByLabelText("Go to instead"), "shop-orders-2");
    await user.click(within(dialog).getByRole("button", { name: "Make it deprecated" }));
    await waitFor(() => expect(router.state.location.href).toBe("/contracts/shop-core-orders?part=life"));
    const sent = requests.find((one) => one.method === "POST");
    expect(await sent?.json()).toEqual({ state: "deprecated", reason: "Cents come", ends_at: null, replacement: "shop-orders-2" });
  });

  it("is not changed by who may only read", async () => {
    renderPage("/contracts/shop-core-orders?part=problems", { ...answers, "GET /api/v1/session": { ...session, scope: "read" } });
    await screen.findByRole("list", { name: "Problems of Orders" });
    expect(screen.queryByRole("button", { name: "Change state…" })).not.toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Check now" })).not.toBeInTheDocument();
  });

  it("tells of its end", async () => {
    const notice = { state: "deprecated", since: "2026-11-14T06:10:00Z", ends_at: "2027-01-31T00:00:00Z", replacement: "shop-orders-2", reason: "Amounts move to cents" };
    renderPage("/contracts/shop-core-orders", { ...answers, [`GET ${ORDERS}`]: contract({ state: "deprecated", notice } as Partial<ReturnType<typeof contract>>) });
    const note = await screen.findByRole("note");
    expect(note).toHaveTextContent("It was deprecated 2 days agoAmounts move to cents. It ends on 31 Jan 2027. Go to shop-orders-2");
    expect(within(note).getByRole("link")).toHaveAttribute("href", "/contracts/shop-orders-2");
  });

  it("that is not there is told, with the way back", async () => {
    renderPage("/contracts/nope", { ...answers, [`GET ${C}/nope`]: status(404, { code: "FORGE-E504", detail: "No contract nope" }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("No contract nope");
    expect(screen.getByRole("link", { name: "All contracts" })).toHaveAttribute("href", "/contracts");
  });
});

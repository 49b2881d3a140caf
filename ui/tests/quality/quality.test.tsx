import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { asset, health, paged, session } from "../fixtures/catalog";
import { checkTypes } from "../fixtures/checkTypes";
import { cause, DAYS, dataset, entry, incidentDetail, metric, monitor, monitorRun, point, preview, remedy, remedyPreview, resultDetail, series, sla } from "../fixtures/quality";
import { running } from "../fixtures/runs";
import { renderPage, status, type Answers } from "../render";

const Q = "/api/v1/quality";
const answers: Answers = {
  "GET /api/v1/session": session,
  [`GET ${Q}/trend`]: DAYS,
  [`GET ${Q}/checks/types`]: checkTypes,
  [`GET ${Q}/datasets`]: paged([
    dataset("core.orders", { score: 81.3, passed: 13, failed: 3, failing: "amount: 39 rows are outside 0 … 5000", failing_result_id: "q1.0", monitors: 1, open_incidents: 1, days: DAYS }),
    dataset("core.customers"),
    dataset("raw.rates", { score: null, passed: 0, checked_at: null, days: DAYS.map((day) => ({ ...day, passed: 0, failed: 0, not_measured: 0 })) }),
  ]),
  [`GET ${Q}/incidents`]: paged([incidentDetail()]),
  [`GET ${Q}/incidents/i1`]: incidentDetail(),
  [`PATCH ${Q}/incidents/i1`]: incidentDetail({ status: "acknowledged" }),
  [`GET ${Q}/alerts/mutes`]: paged([]),
  [`GET ${Q}/monitors`]: paged([monitor(), monitor({ id: "m2", name: "Rates", dataset: "raw.rates", state: "never ran", last_run: null, next_run_at: null, schedule: null })]),
  [`GET ${Q}/monitors/m1`]: monitor(),
  [`GET ${Q}/monitors/m1/results`]: paged([resultDetail(), resultDetail({ id: "q1.1", verdict: "passed", outcome: "passed", details: { name: "no key twice" }, message: "order_id: no key twice" })]),
  [`GET ${Q}/monitors/m1/runs`]: paged([monitorRun("q1"), monitorRun("q0", { status: "passed", failed: 0, passed: 5 })]),
  [`GET ${Q}/monitors/m1/sla`]: sla(),
  [`GET ${Q}/channels`]: [{ name: "ops", type: "slack" }],
  [`POST ${Q}/monitors`]: monitor(),
  [`POST ${Q}/monitors/preview`]: preview(),
  [`GET ${Q}/results/q1.0`]: resultDetail(),
  [`GET ${Q}/anomalies`]: [],
  [`GET ${Q}/datasets/core.orders/metrics`]: [metric("row_count", { is_anomaly: true }), metric("mean(amount)", { kind: "mean", column: "amount", value: 84.22 })],
  [`GET ${Q}/datasets/core.orders/series`]: series(),
  [`POST ${Q}/datasets/core.orders/feedback`]: {},
  [`GET ${Q}/remediations`]: paged([remedy()]),
  [`GET ${Q}/remediations/p1`]: remedy(),
  [`GET ${Q}/remediations/p1/preview`]: remedyPreview(),
  "GET /api/v1/catalog/suggest": { items: [] },
  "GET /api/v1/catalog/assets/core.orders": asset(),
  [`GET ${Q}/datasets/core.orders/health`]: health({ monitors: 2 }),
};

function asked(requests: Request[], method: string, path: string): Request[] {
  return requests.filter((one) => one.method === method && new URL(one.url).pathname === `${Q}${path}`);
}

function queryOf(requests: Request[], path: string): string {
  return new URL(asked(requests, "GET", path).at(-1)?.url ?? "http://x").search;
}

describe("health", () => {
  it("tells what fails now, thirty days, and each dataset with its score", async () => {
    renderPage("/quality", answers);
    const now = await screen.findByRole("region", { name: "What fails now" });
    expect(await within(now).findByRole("link", { name: "core.orders.amount" })).toHaveAttribute("href", "/quality/incidents/i1");
    expect(screen.getByRole("region", { name: "Checks, 30 days" })).toHaveTextContent("480 passed2 failed1 not measured");
    const table = await screen.findByRole("table", { name: "Health by dataset" });
    const [, orders, customers, rates] = within(table).getAllByRole("row");
    expect(orders).toHaveTextContent("81.3%13 passed, 3 failed");
    expect(within(orders ?? table).getByRole("link", { name: "amount: 39 rows are outside 0 … 5000" })).toHaveAttribute("href", "/quality/results/q1.0");
    expect(within(orders ?? table).getByRole("link", { name: "1 monitor of core.orders" })).toHaveAttribute("href", "/quality/monitors?dataset=core.orders");
    expect(orders).toHaveTextContent("failed on 1 of 30 days with checks");
    expect(customers).toHaveTextContent("100%9 passed");
    expect(rates).toHaveTextContent("not checked in 30 days");
  });

  it("says so where nothing fails, and where nothing is", async () => {
    renderPage("/quality", { ...answers, [`GET ${Q}/incidents`]: paged([]), [`GET ${Q}/datasets`]: paged([]) });
    expect(await screen.findByText("Nothing fails")).toBeInTheDocument();
    expect(await screen.findByText("There is no dataset yet")).toBeInTheDocument();
  });

  it("keeps its filters in the address", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/quality?q=orders", answers);
    await screen.findByRole("table", { name: "Health by dataset" });
    await user.selectOptions(screen.getByLabelText("State"), "failing");
    await waitFor(() => expect(router.state.location.href).toBe("/quality?q=orders&health=failing"));
    await waitFor(() => expect(asked(requests, "GET", "/datasets").some((one) => one.url.includes("q=orders&state=failing"))).toBe(true));
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(router.state.location.href).toBe("/quality"));
  });

  it("tells a problem with a way to try again, part by part", async () => {
    renderPage("/quality", { ...answers, [`GET ${Q}/trend`]: status(500, { code: "FORGE-E000", detail: "Something broke" }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("Something broke");
    expect(await screen.findByRole("table", { name: "Health by dataset" })).toBeInTheDocument();
  });
});

describe("monitors", () => {
  it("are listed with their state, schedule and last run", async () => {
    renderPage("/quality/monitors", answers);
    const table = await screen.findByRole("table", { name: "Monitors" });
    const [, orders, rates] = within(table).getAllByRole("row");
    for (const words of ["failing", "Orders are whole", "core.orders", "Monday to Friday at 06:00 Europe/Berlin", "4 passed, 1 failed"]) expect(orders).toHaveTextContent(words);
    expect(rates).toHaveTextContent("never ranRatesraw.ratesby handnever");
  });

  it("are asked for as the address says", async () => {
    const { asked: requests } = renderPage("/quality/monitors?dataset=core.orders&q=whole&is=failing", answers);
    await screen.findByRole("table", { name: "Monitors" });
    expect(queryOf(requests, "/monitors")).toBe("?dataset_id=core.orders&q=whole&state=failing");
  });

  it("may be none", async () => {
    renderPage("/quality/monitors", { ...answers, [`GET ${Q}/monitors`]: paged([]) });
    expect(await screen.findByText("Nothing is watched yet")).toBeInTheDocument();
  });
});

describe("one monitor", () => {
  it("shows its newest results, the worst first, each leading to itself", async () => {
    renderPage("/quality/monitors/m1", answers);
    const table = await screen.findByRole("table", { name: "Results of Orders are whole" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(within(first ?? table).getByRole("link", { name: "amount is in euros" })).toHaveAttribute("href", "/quality/results/q1.0");
    expect(second).toHaveTextContent("no key twice");
    expect(screen.getByRole("link", { name: "Edit" })).toHaveAttribute("href", "/quality/monitors/m1/edit");
  });

  it("runs now, and the run is watched until it ends", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/quality/monitors/m1", {
      ...answers,
      [`POST ${Q}/monitors/m1/run`]: status(202, { run_id: "q2", monitor_id: "m1", status: "queued", kind: "monitor" }),
      "GET /api/v1/runs/q2": { ...running, run_id: "q2" },
    });
    await user.click(await screen.findByRole("button", { name: "Run now" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ live: "q2" }));
    const live = await screen.findByRole("region", { name: "The run that was started" });
    await waitFor(() => expect(live).toHaveTextContent("Checks are running"));
  });

  it("has its history, each run leading to what it said", async () => {
    renderPage("/quality/monitors/m1?part=history", answers);
    const table = await screen.findByRole("table", { name: "Runs of Orders are whole" });
    const [, newest] = within(table).getAllByRole("row");
    expect(newest).toHaveTextContent("4 passed, 1 failed");
    expect(within(newest ?? table).getByRole("link", { name: "16 h ago" })).toHaveAttribute("href", "/quality/monitors/m1?run=q1");
  });

  it("has its service level: what is left of the budget and how fast it goes", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/quality/monitors/m1?part=sla", answers);
    expect(await screen.findByText("The target is missed")).toBeInTheDocument();
    for (const words of ["97.5%", "overdrawn by 150%", "2.5×", "25× · too fast"]) expect(screen.getByText(words)).toBeInTheDocument();
    expect(within(screen.getByRole("table", { name: "Error budget by day" })).getAllByRole("row")).toHaveLength(31);
    await user.click(screen.getByText("90 days"));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ part: "sla" }));
    await waitFor(() => expect(queryOf(requests, "/monitors/m1/sla")).toBe("?window_days=90"));
  });

  it("is switched off and on", async () => {
    const user = userEvent.setup();
    const { asked: requests } = renderPage("/quality/monitors/m1", { ...answers, [`PATCH ${Q}/monitors/m1`]: monitor({ enabled: false }) });
    await user.click(await screen.findByRole("switch", { name: "Runs by itself" }));
    await waitFor(async () => expect(await asked(requests, "PATCH", "/monitors/m1")[0]?.json()).toEqual({ enabled: false }));
  });

  it("is deleted only after a question", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/quality/monitors/m1", { ...answers, [`DELETE ${Q}/monitors/m1`]: status(204, null) });
    await user.click(await screen.findByRole("button", { name: "Delete…" }));
    expect(asked(requests, "DELETE", "/monitors/m1")).toHaveLength(0);
    await user.click(await screen.findByRole("button", { name: "Delete the monitor" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/quality/monitors"));
  });

  it("of a file is changed in its file", async () => {
    renderPage("/quality/monitors/m1/edit", { ...answers, [`GET ${Q}/monitors/m1`]: monitor({ file: "quality/orders.yaml:3" }) });
    expect(await screen.findByText("quality/orders.yaml:3")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: /Make a copy/ })).toHaveAttribute("href", "/quality/monitors/new?copy=m1");
  });
});

describe("a new monitor", () => {
  it("is shown as it would be while it is typed, and is made", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/quality/monitors/new?dataset=core.orders", answers);
    expect(await screen.findByRole("combobox", { name: /^Dataset/ })).toHaveValue("core.orders");
    await user.click(screen.getByRole("button", { name: "Add a check" }));
    await user.type(screen.getByRole("combobox", { name: "Columns" }), "id,");
    const shown = screen.getByRole("complementary", { name: "Preview" });
    await waitFor(() => expect(shown).toHaveTextContent("It can be made"));
    expect(shown).toHaveTextContent("order_id is never NULL");
    expect(shown).toHaveTextContent("from metadata, no scan");
    expect(shown).toHaveTextContent("16 Nov 05:00 UTC");
    await waitFor(async () => expect(await asked(requests, "POST", "/monitors/preview").at(-1)?.clone().json()).toMatchObject({ name: "core.orders is well", dataset: "core.orders", checks: [{ type: "not_null", columns: ["id"] }], schedule: { type: "on_change" } }));
    expect(asked(requests, "POST", "/monitors")).toEqual([]);
    await user.click(screen.getByRole("button", { name: "Create the monitor" }));
    await waitFor(() => expect(asked(requests, "POST", "/monitors")).toHaveLength(1));
    await waitFor(() => expect(router.state.location.pathname).toBe("/quality/monitors/m1"));
  });

  it("has what is wrong at its field, by the server's word", async () => {
    const wrong = preview({ valid: false, monitor: null, checks: [], errors: [{ path: "checks[0].min", message: "'min' 9 is more than 'max' 5", fix: null }] });
    renderPage("/quality/monitors/new?copy=m1", { ...answers, [`POST ${Q}/monitors/preview`]: wrong });
    const field = await screen.findByLabelText("At least");
    await waitFor(() => expect(field).toHaveAccessibleDescription("'min' 9 is more than 'max' 5"));
    expect(screen.getByRole("complementary", { name: "Preview" })).toHaveTextContent("1 thing to mend");
  });

  it("is not sent without a name, and the field is where one lands", async () => {
    const user = userEvent.setup();
    const { asked: requests } = renderPage("/quality/monitors/new", answers);
    await user.click(await screen.findByRole("button", { name: "Create the monitor" }));
    expect(await screen.findByLabelText(/^Name/)).toHaveFocus();
    expect(screen.getByText("Give it a name.")).toBeInTheDocument();
    expect(asked(requests, "POST", "/monitors")).toHaveLength(0);
  });
});

describe("one result", () => {
  it("tells the numbers, the rows with personal data masked, and one click to the commit", async () => {
    renderPage("/quality/results/q1.0", answers);
    expect(await screen.findByRole("heading", { name: "core.orders: amount is in euros" })).toBeInTheDocument();
    expect(await screen.findByRole("region", { name: "What was measured" })).toHaveTextContent("outside range39");
    const rows = screen.getByRole("region", { name: "Rows that failed" });
    expect(within(rows).getByRole("cell", { name: "22198.00" })).toBeInTheDocument();
    expect(within(rows).getByRole("cell", { name: /masked/ })).toBeInTheDocument();
    const origin = screen.getByRole("region", { name: "Where it came in" });
    expect(within(origin).getByRole("link", { name: /^Open commit ba7555bed334/ })).toHaveAttribute("href", `/commits/${cause.commit?.id ?? ""}`);
    expect(screen.getByRole("link", { name: "Open the incident" })).toHaveAttribute("href", "/quality/incidents/i1");
    expect(screen.getByRole("link", { name: "Orders" })).toHaveAttribute("href", "/quality/monitors/m1?run=q1");
    expect(screen.getByRole("link", { name: /14 Nov 06:00: passed/ })).toHaveAttribute("href", "/quality/results/q0.0");
  });

  it("that is not known is told", async () => {
    renderPage("/quality/results/nothing", { ...answers, [`GET ${Q}/results/nothing`]: status(404, { code: "FORGE-E108", detail: "There is no result nothing" }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("There is no result nothing");
  });
});

describe("incidents", () => {
  it("are those that are not resolved, unless the address says otherwise", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/quality/incidents", answers);
    const table = await screen.findByRole("table", { name: "Incidents: not resolved" });
    expect(within(table).getByRole("link", { name: "core.orders.amount" })).toHaveAttribute("href", "/quality/incidents/i1");
    expect(queryOf(requests, "/incidents")).toBe("?status=unresolved");
    await user.click(screen.getByText("Resolved"));
    await waitFor(() => expect(router.state.location.search).toEqual({ status: "resolved" }));
    await waitFor(() => expect(queryOf(requests, "/incidents")).toBe("?status=resolved"));
  });

  it("tell all that happened, who was told and where it came in", async () => {
    renderPage("/quality/incidents/i1", answers);
    const list = await screen.findByRole("list", { name: "Timeline" });
    const [first, second, third] = within(list).getAllByRole("listitem");
    expect(within(first ?? list).getByRole("link", { name: "the result" })).toHaveAttribute("href", "/quality/results/q1.0");
    expect(second).toHaveTextContent("failed again 3 times");
    expect(third).toHaveTextContent("note by sam");
    expect(screen.getByRole("region", { name: "Alerts" })).toHaveTextContent("ops slacksent");
    expect(screen.getByRole("region", { name: "Where it came in" })).toHaveTextContent("raw.orders");
    expect(screen.getByRole("link", { name: /^Open commit/ })).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "r20261115_061000_16e4a0" })).toHaveAttribute("href", "/runs/r20261115_061000_16e4a0");
    expect(screen.getByText(/not published/)).toBeInTheDocument();
  });

  it("are acknowledged, noted, given to someone, muted and resolved", async () => {
    const user = userEvent.setup();
    const { asked: requests } = renderPage("/quality/incidents/i1", { ...answers, [`POST ${Q}/alerts/mutes`]: status(201, {}) });
    const sent = async () => await Promise.all(asked(requests, "PATCH", "/incidents/i1").map((one) => one.clone().json() as Promise<unknown>));
    await user.click(await screen.findByRole("button", { name: "Acknowledge" }));
    await waitFor(async () => expect(await sent()).toEqual([{ status: "acknowledged" }]));
    await user.type(screen.getByLabelText("Note"), "I ask for the file again");
    await user.click(screen.getByRole("button", { name: "Add the note" }));
    await waitFor(async () => expect((await sent()).at(-1)).toEqual({ note: "I ask for the file again" }));
    await user.click(await screen.findByRole("button", { name: "To me" }));
    await waitFor(async () => expect((await sent()).at(-1)).toEqual({ assignee: "sam@shop.example" }));
    await user.click(screen.getByRole("button", { name: "Mute…" }));
    await user.click(await screen.findByRole("button", { name: "Mute it" }));
    await waitFor(async () => expect(await asked(requests, "POST", "/alerts/mutes")[0]?.json()).toMatchObject({ check_id: "core.orders.amount.range", dataset: "core.orders", hours: 8 }));
    await user.click(screen.getByRole("button", { name: "Resolve" }));
    await waitFor(async () => expect((await sent()).at(-1)).toEqual({ status: "resolved" }));
  });

  it("of a reader cannot be changed", async () => {
    renderPage("/quality/incidents/i1", { ...answers, "GET /api/v1/session": { ...session, scope: "read" } });
    await screen.findByRole("list", { name: "Timeline" });
    expect(screen.queryByRole("button", { name: /Acknowledge|Resolve|Mute|note|Assign/ })).not.toBeInTheDocument();
  });

  it("that nothing was done about say so", async () => {
    renderPage("/quality/incidents/i1", { ...answers, [`GET ${Q}/incidents/i1`]: incidentDetail({ timeline: [], deliveries: [], sample: [], cause: null }) });
    expect(await screen.findByText("Nothing was done about it yet.")).toBeInTheDocument();
    expect(screen.getByRole("region", { name: "Where it came in" })).toHaveTextContent("Nothing upstream of it failed");
    expect(entry("opened").count).toBe(1);
  });
});

describe("anomalies", () => {
  const path = "/quality/anomalies?dataset=core.orders";

  it("stand in a chart that the arrow keys walk through", async () => {
    const user = userEvent.setup();
    const { router } = renderPage(path, answers);
    const chart = await screen.findByRole("slider", { name: "rows of core.orders" });
    expect(chart).toHaveAttribute("aria-valuetext", "15 Nov 06:00: 1,312; expected 3,800 to 4,200; an anomaly");
    chart.focus();
    await user.keyboard("{ArrowLeft}");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ at: point(28).time }));
    await waitFor(() => expect(chart).toHaveAttribute("aria-valuenow", "29"));
    await user.keyboard("{Home}");
    await waitFor(() => expect(chart).toHaveAttribute("aria-valuetext", "17 Oct 06:00: 4,000; too little history to expect anything"));
  });

  it("explain themselves, and take what a person says", async () => {
    const user = userEvent.setup();
    const { asked: requests } = renderPage(path, answers);
    expect(await screen.findByText("1,312 is far below what is expected of a Sunday.")).toBeInTheDocument();
    await user.click(await screen.findByRole("button", { name: "This was expected" }));
    await waitFor(async () => expect(await asked(requests, "POST", "/datasets/core.orders/feedback")[0]?.json()).toEqual({ metric: "row_count", time: point(29).time, verdict: "expected", note: "" }));
  });

  it("that were judged say by whom, and it can be taken back", async () => {
    const judged = series({ points: [point(0), point(1, { is_anomaly: true, feedback: "incident", feedback_by: "ada@shop.example", feedback_at: "2026-11-15T21:10:00Z" })] });
    renderPage(path, { ...answers, [`GET ${Q}/datasets/core.orders/series`]: judged });
    expect(await screen.findByText(/Said to be an incident/)).toHaveTextContent("ada@shop.example, 1 h ago");
    expect(await screen.findByRole("button", { name: "Take it back" })).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "This is an incident" })).toHaveAttribute("aria-pressed", "true");
  });

  it("are looked at by another method, of another metric", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage(path, answers);
    await user.selectOptions(await screen.findByLabelText("How it is expected"), "mad");
    await user.click(screen.getByRole("link", { name: /mean of amount/ }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ method: "mad", metric: "mean(amount)" }));
    await waitFor(() => expect(queryOf(requests, "/datasets/core.orders/series")).toBe("?metric=mean(amount)&method=mad"));
    expect(within(screen.getByLabelText("How it is expected")).queryByText("Prophet")).not.toBeInTheDocument();
  });

  it("may be none, of a dataset or of all", async () => {
    renderPage(path, { ...answers, [`GET ${Q}/datasets/core.orders/metrics`]: [] });
    expect(await screen.findByText("Nothing was measured of it yet")).toBeInTheDocument();
    expect(screen.getByText("forge quality run core.orders")).toBeInTheDocument();
  });
});

describe("remedies", () => {
  it("show their diff and how the checks stand after it", async () => {
    renderPage("/quality/remediations/p1", answers);
    expect(await screen.findByRole("heading", { name: "quarantine: core.orders" })).toBeInTheDocument();
    expect(await screen.findByText("39 rows move to core.orders_quarantine")).toBeInTheDocument();
    expect(screen.getByRole("region", { name: "The checks after it" })).toHaveTextContent("the check passes after it");
    const diff = await screen.findByRole("table", { name: "Changed rows of core.orders" });
    expect(within(diff).getByText("hidden")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Compare the branches" })).toHaveAttribute("href", "/compare/main..remedy%2Fp1");
  });

  it("are approved with a comment", async () => {
    const user = userEvent.setup();
    const { router, asked: requests } = renderPage("/quality/remediations/p1", { ...answers, [`POST ${Q}/remediations/p1/approve`]: remedy({ status: "applied" }) });
    await user.click(await screen.findByRole("button", { name: "Approve…" }));
    expect(router.state.location.search).toEqual({ dialog: "approve" });
    await user.type(await screen.findByLabelText("Comment"), "fine");
    await user.click(screen.getByRole("button", { name: "Approve and do it" }));
    await waitFor(async () => expect(await asked(requests, "POST", "/remediations/p1/approve")[0]?.json()).toEqual({ comment: "fine" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });

  it("that one may not approve say why", async () => {
    renderPage("/quality/remediations/p1", { ...answers, [`GET ${Q}/remediations/p1`]: remedy({ can_approve: false, why_not: "Who proposed it does not approve it." }) });
    expect(await screen.findByText("Who proposed it does not approve it.")).toBeInTheDocument();
    expect(await screen.findByRole("button", { name: "Approve…" })).toBeDisabled();
  });

  it("that were done can be taken back", async () => {
    renderPage("/quality/remediations/p1", { ...answers, [`GET ${Q}/remediations/p1`]: remedy({ status: "applied", commit: "a".repeat(64), preview_branch: null }) });
    expect(await screen.findByRole("button", { name: "Take it back…" })).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Approve…" })).not.toBeInTheDocument();
  });

  it("are listed with what they would do", async () => {
    renderPage("/quality/remediations", answers);
    const table = await screen.findByRole("table", { name: "Remedies" });
    expect(table).toHaveTextContent("39 deleted in core.orders; 39 added in core.orders_quarantine");
    expect(within(table).getByRole("link", { name: "quarantine" })).toHaveAttribute("href", "/quality/remediations/p1");
  });
});

describe("the ways to quality", () => {
  it("lead from an asset to its results, monitors, numbers and incidents", async () => {
    renderPage("/assets/core.orders?tab=quality", answers);
    const table = await screen.findByRole("table", { name: /^Checks of core.orders/ });
    expect(within(table).getByRole("link", { name: "amount is in euros" })).toHaveAttribute("href", "/quality/results/r20261114_061000_6890e3.1");
    expect(screen.getByRole("link", { name: "2 monitors" })).toHaveAttribute("href", "/quality/monitors?dataset=core.orders");
    expect(screen.getByRole("link", { name: "Its numbers over time" })).toHaveAttribute("href", "/quality/anomalies?dataset=core.orders");
    expect(screen.getByRole("link", { name: "Its incidents" })).toHaveAttribute("href", "/quality/incidents?dataset=core.orders&status=all");
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { CHANGES, commandFor, isReady, MEANINGS } from "../../../src/lineage/impact/changes";
import { groupsInWords, hours, sumInWords } from "../../../src/lineage/impact/words";
import { paged } from "../../fixtures/catalog";
import { affected, impact } from "../../fixtures/impact";
import { renderPage, status } from "../../render";

const IMPACT = "GET /api/v1/lineage/impact";
const SNAPSHOTS = "GET /api/v1/lineage/snapshots";
const answers = { [IMPACT]: impact(), [SNAPSHOTS]: paged([]) };
const DROP = "/impact?focus=core.orders.amount&change=drop";

describe("the form", () => {
  it("offers all changes where none is chosen, and asks nothing yet", async () => {
    const user = userEvent.setup();
    const { router, asked } = renderPage("/impact?focus=core.orders.amount", answers);
    for (const { label } of Object.values(MEANINGS)) expect(await screen.findByRole("button", { name: new RegExp(label) })).toBeInTheDocument();
    expect(asked.some((one) => one.url.includes("/lineage/impact"))).toBe(false);
    await user.click(screen.getByRole("button", { name: /Drop a column/ }));
    await waitFor(() => expect(router.state.location.search).toEqual({ focus: "core.orders.amount", change: "drop" }));
  });

  it("asks for the new name before it asks the server", async () => {
    const user = userEvent.setup();
    const { router, asked } = renderPage("/impact?focus=core.orders.amount&change=rename", answers);
    await user.type(await screen.findByLabelText("New name"), "net");
    await waitFor(() => expect(router.state.location.search).toMatchObject({ change: "rename", to: "net" }));
    await screen.findByText(/Dropping core.orders.amount hits/);
    const [request] = asked.filter((one) => one.url.includes("/lineage/impact"));
    expect(Object.fromEntries(new URL(request?.url ?? "").searchParams)).toEqual({ focus: "core.orders.amount", change: "rename", to: "net" });
  });

  it("forgets the new name with the change that wanted it", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/impact?focus=core.orders.amount&change=rename&to=net", answers);
    await user.selectOptions(await screen.findByLabelText("Change"), "drop");
    await waitFor(() => expect(router.state.location.search).toEqual({ focus: "core.orders.amount", change: "drop" }));
  });
});

describe("the report", () => {
  it("tells the risk, the sum in words, counts, effort and owners", async () => {
    renderPage(DROP, answers);
    const verdict = await screen.findByRole("region", { name: "Verdict" });
    for (const words of ["high risk", "breaking", "hits 2 entities", "17.3 h (2 days)", "2 columns"]) expect(verdict).toHaveTextContent(words);
    const owners = screen.getByRole("region", { name: "Owners to tell" });
    expect(owners).toHaveTextContent("fiona@shop.example");
    expect(owners).toHaveTextContent("marts.daily");
    expect(within(screen.getByRole("region", { name: "Migration steps" })).getAllByRole("listitem")).toHaveLength(2);
    expect(screen.getByRole("region", { name: "Breaking changes" })).toHaveTextContent("It is sum(amount) of the dropped column.");
    expect(screen.getByRole("region", { name: "Critical paths" })).toHaveTextContent("marts.daily.total");
    expect(screen.getByRole("region", { name: "Recommended actions" })).toHaveTextContent("Try it on a branch.");
    expect(screen.getByText("forge impact core.orders.amount --change drop")).toBeInTheDocument();
  });

  it("shows how a score came about, and the address knows of it", async () => {
    const user = userEvent.setup();
    const { router } = renderPage(DROP, answers);
    const score = await screen.findByRole("button", { name: /how the score of marts.daily.total came about/ });
    expect(score).toHaveAttribute("title", "5 × 0.8 × 1 × 0.9 × 1.2 = 4.32");
    await user.click(score);
    await waitFor(() => expect(router.state.location.href).toBe(`${DROP}&open=marts.daily.total`));
    expect(screen.getByText("use: aggregated")).toBeInTheDocument();
    expect(score).toHaveAttribute("aria-expanded", "true");
  });

  it("lists the first fifty, and all on request", async () => {
    const user = userEvent.setup();
    const many = Array.from({ length: 60 }, (_, index) => affected(`marts.t${index}.total`));
    renderPage(DROP, { ...answers, [IMPACT]: impact({ affected: many, critical_paths: [], breaking_changes: [] }) });
    const table = await screen.findByRole("table", { name: /What is hit/ });
    expect(within(table).getAllByRole("row")).toHaveLength(51);
    await user.click(screen.getByRole("button", { name: "Show all 60" }));
    await waitFor(() => expect(within(table).getAllByRole("row")).toHaveLength(61));
  });

  it("says that nothing is hit, and what it does not know", async () => {
    const none = impact({ affected: [], risk: "none", is_breaking: false, hidden: 3, owners: [], breaking_changes: [], critical_paths: [], migration_steps: [], counts: { high: 0, medium: 0, low: 0, total: 0 } });
    renderPage(DROP, { ...answers, [IMPACT]: none });
    expect(await screen.findByText("Nothing that Forge knows is hit")).toBeInTheDocument();
    expect(screen.getByText(/3 edges of low confidence lead on/)).toBeInTheDocument();
    expect(screen.getByRole("region", { name: "Verdict" })).toHaveTextContent("no risk");
  });

  it("leads back to the lineage", async () => {
    renderPage(`${DROP}&at=dev`, answers);
    expect(await screen.findByRole("link", { name: "See its lineage" })).toHaveAttribute("href", "/lineage?focus=core.orders.amount&at=dev&direction=downstream");
  });

  it("says what is wrong with a change that makes no sense, and where it would", async () => {
    const problem = { code: "FORGE-E810", detail: "location is a change of a table, and core.orders.amount is a column", fix: "Ask for the table: core.orders." };
    renderPage("/impact?focus=core.orders.amount&change=location", { ...answers, [IMPACT]: status(422, problem) });
    expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E810");
    expect(screen.getByRole("link", { name: "core.orders" })).toHaveAttribute("href", "/impact?focus=core.orders&change=location");
  });
});

describe("words", () => {
  it("has a meaning for every change of the address", () => {
    expect(Object.keys(MEANINGS).toSorted()).toEqual([...CHANGES].toSorted());
  });

  it("needs a new name or type where the change is one", () => {
    expect([isReady("rename", undefined), isReady("type", ""), isReady("rename", "x"), isReady("drop", undefined), isReady("location", undefined)]).toEqual([false, false, true, true, true]);
  });

  it("writes a command that a shell reads as it was meant", () => {
    expect(commandFor({ focus: "files:data/orders/*.csv", change: "type", to: "decimal(18,2)", at: "HEAD~2" })).toBe("forge impact 'files:data/orders/*.csv' --change type --to 'decimal(18,2)' --at HEAD~2");
    expect(commandFor({ focus: "core.o.a", change: "drop", to: "left over" })).toBe("forge impact core.o.a --change drop");
  });

  it("counts hours, and days of eight", () => {
    expect([hours(0.25), hours(8.64), hours(34.56)]).toEqual(["0.3 h", "8.6 h", "34.6 h (4 days)"]);
  });

  it("names only what is hit", () => {
    expect(groupsInWords({ columns: 2, datasets: 1, processes: 1, models: 0 })).toBe("2 columns, 1 dataset, 1 process");
    expect(sumInWords(affected("a.b.c"))).toBe("5 × 0.8 × 1 × 0.9 × 1.2 = 4.32");
  });
});

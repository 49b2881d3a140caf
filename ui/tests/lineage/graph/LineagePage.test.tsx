import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { EdgeDetail } from "../../../src/api";
import { hit, paged } from "../../fixtures/catalog";
import { edge, graphOf } from "../../fixtures/lineage";
import { renderPage, status } from "../../render";

const SEARCH = "GET /api/v1/catalog/search";
const GRAPH = "GET /api/v1/lineage/graph";
const EDGE = "GET /api/v1/lineage/edges";
const SNAPSHOTS = "GET /api/v1/lineage/snapshots";

const total = edge("core.orders.amount", "marts.daily.total", {
  transformation: "aggregation",
  relationship: "aggregated",
  expression: "sum(amount)",
  confidence: 0.95,
  level: "high",
});
const graph = graphOf("core.orders.amount", [edge("raw.orders.amount", "core.orders.amount"), total]);
const detail: EdgeDetail = {
  ...total,
  confirmed: false,
  actor: "Sam Shop",
  metadata: {},
  created_at: "2026-11-01T06:10:00Z",
  valid_from: "2026-11-10T06:10:00Z",
  evidence: [
    {
      producer: "table:marts.daily",
      basis: "resolved",
      extractor: "sql",
      file: "transforms/marts/daily.sql",
      line: 41,
      statement: "",
      run_id: "r20261114_061000_035846",
      seen_at: "2026-11-14T06:10:00Z",
      times: 9,
    },
  ],
  producers: [],
  history: [
    { valid_from: "2026-11-10T06:10:00Z", valid_to: null, confidence: 0.95, level: "high", transformation: "aggregation", expression: "sum(amount)", masking: false, producers: [] },
    { valid_from: "2026-11-01T06:10:00Z", valid_to: "2026-11-10T06:10:00Z", confidence: 0.95, level: "high", transformation: "aggregation", expression: "max(amount)", masking: false, producers: [] },
  ],
  behind: [],
};
const answers = { [GRAPH]: graph, [EDGE]: detail, [SNAPSHOTS]: paged([]) };

function queries(asked: Request[]): URLSearchParams[] {
  return asked.filter((one) => one.url.includes("/lineage/graph")).map((one) => new URL(one.url).searchParams);
}

it("the lineage page says before the first run that there is none", async () => {
  renderPage("/lineage", { [SEARCH]: paged([]) });
  expect(await screen.findByText("No lineage yet")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "To the first run" })).toHaveAttribute("href", "/");
});

it("the lineage page offers tables to begin with", async () => {
  renderPage("/lineage", { [SEARCH]: paged([hit("core.orders")]) });
  expect(await screen.findByRole("link", { name: "core.orders" })).toHaveAttribute("href", "/lineage?focus=core.orders");
});

describe("what the address says", () => {
  it("is what is asked, all of it", async () => {
    const { asked } = renderPage("/lineage?focus=core.orders.amount&level=table&direction=upstream&up=2&conf=0.8&indirect=yes&at=before-move&view=table", answers);
    await screen.findByRole("table", { name: "Lineage of core.orders.amount" });
    expect(Object.fromEntries(queries(asked)[0] ?? [])).toEqual({
      root_id: "core.orders.amount",
      level: "table",
      direction: "upstream",
      depth: "2",
      min_confidence: "0.8",
      indirect: "true",
      at: "before-move",
    });
  });

  it("may ask for what is inside programs", async () => {
    const user = userEvent.setup();
    const { router, asked } = renderPage("/lineage?focus=core.orders.amount&view=table", answers);
    await user.click(await screen.findByLabelText("inside programs"));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ inside: "yes" }));
    await waitFor(() => expect(queries(asked).at(-1)?.get("intermediate")).toBe("true"));
  });

  it("is asked once for each direction where they go differently far", async () => {
    const { asked } = renderPage("/lineage?focus=core.orders.amount&up=3&down=2&view=table", answers);
    await screen.findByRole("table", { name: "Lineage of core.orders.amount" });
    expect(queries(asked).map((one) => [one.get("direction"), one.get("depth")])).toEqual([
      ["upstream", "3"],
      ["downstream", "2"],
    ]);
  });

  it("may still be a link of former days", async () => {
    const { asked } = renderPage("/lineage?root=core.orders.amount&depth=2&view=table", answers);
    await screen.findByRole("table", { name: "Lineage of core.orders.amount" });
    expect(queries(asked).map((one) => [one.get("root_id"), one.get("depth")])).toEqual([["core.orders.amount", "2"]]);
  });

  it("follows the controls", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/lineage?focus=core.orders.amount&view=table", answers);
    await user.selectOptions(await screen.findByLabelText("Steps upstream"), "2");
    await user.selectOptions(screen.getByLabelText("Least confidence"), "0.8");
    await user.click(screen.getByLabelText("with indirect"));
    await user.click(screen.getByRole("radio", { name: "Tables" }));
    await waitFor(() => expect(router.state.location.href).toBe("/lineage?focus=core.orders.amount&view=table&up=2&conf=0.8&indirect=yes&level=table"));
  });

  it("leads to the impact of a change of the same thing", async () => {
    renderPage("/lineage?focus=core.orders.amount&at=dev", answers);
    expect(await screen.findByRole("link", { name: "What if it changes?" })).toHaveAttribute("href", "/impact?focus=core.orders.amount&at=dev");
  });

  it("may be one of the snapshots of lineage", async () => {
    const user = userEvent.setup();
    const snapshot = { name: "before-move", at: "2026-11-10T06:10:00Z", description: "", created_by: "Sam", created_at: null, nodes: {}, edges: {} };
    const { router } = renderPage("/lineage?focus=core.orders.amount&view=table", { ...answers, [SNAPSHOTS]: paged([snapshot]) });
    await user.click(await screen.findByRole("button", { name: /^Shown at/ }));
    await user.click(await screen.findByRole("button", { name: /before-move/ }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ at: "before-move" }));
  });
});

describe("the table", () => {
  it("has a row for every line of the picture, and is sorted by its heads", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/lineage?focus=core.orders.amount&view=table", answers);
    const table = await screen.findByRole("table", { name: "Lineage of core.orders.amount" });
    expect(within(table).getAllByRole("row")).toHaveLength(3);
    await user.click(within(table).getByRole("button", { name: "Confidence" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ order: "confidence" }));
    expect(within(table).getByRole("columnheader", { name: "Confidence" })).toHaveAttribute("aria-sort", "ascending");
    expect(within(table).getAllByRole("row")[1]).toHaveTextContent("marts.daily.total");
    await user.click(within(table).getByRole("button", { name: "Confidence" }));
    await waitFor(() => expect(within(table).getAllByRole("row")[1]).toHaveTextContent("raw.orders.amount"));
  });
});

describe("an edge", () => {
  it("tells how, how sure, who says so, since when, and what it was before", async () => {
    renderPage(`/lineage?focus=core.orders.amount&view=table&edge=${encodeURIComponent(total.id)}`, answers);
    const panel = await screen.findByRole("complementary", { name: "One step" });
    expect(await within(panel).findByText("transforms/marts/daily.sql:41")).toBeInTheDocument();
    expect(panel).toHaveTextContent("sum(amount)");
    expect(panel).toHaveTextContent("aggregated");
    expect(panel).toHaveTextContent("high (0.95)");
    expect(panel).toHaveTextContent("read from code, with known columns");
    expect(panel).toHaveTextContent("seen 9 times");
    expect(panel).toHaveTextContent("Valid since 10 Nov 06:10");
    expect(within(panel).getByRole("link", { name: "r20261114_061000_035846" })).toHaveAttribute("href", "/runs/r20261114_061000_035846");
    expect(within(panel).getByText("1 older version")).toBeInTheDocument();
    expect(panel).toHaveTextContent("max(amount)");
  });

  it("says that it is in code and in runs, and leads to the file", async () => {
    const [seen] = detail.evidence;
    const code = { ...seen, producer: "code:jobs/daily.sql", file: "daily.sql", line: 7, run_id: "" };
    renderPage(`/lineage?focus=core.orders.amount&view=table&edge=${encodeURIComponent(total.id)}`, { ...answers, [EDGE]: { ...detail, confirmed: true, evidence: [seen, code] } });
    const panel = await screen.findByRole("complementary", { name: "One step" });
    expect(await within(panel).findByText("confirmed: in code and in runs")).toBeInTheDocument();
    expect(within(panel).getByRole("link", { name: "jobs/daily.sql:7" })).toHaveAttribute("href", "/lineage/sources?file=jobs/daily.sql");
  });

  it("opens from the table and closes", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/lineage?focus=core.orders.amount&view=table", answers);
    await user.click(await screen.findByRole("button", { name: /aggregated: core.orders.amount to marts.daily.total/ }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ edge: total.id }));
    await user.click(await screen.findByRole("button", { name: "Close the detail" }));
    await waitFor(() => expect(router.state.location.search).not.toHaveProperty("edge"));
  });
});

it("an unknown name is a problem in words, with the nearest names to click", async () => {
  const problem = { code: "FORGE-E801", detail: "'core.orders.amuont' is not in the lineage graph", fix: "Did you mean core.orders.amount or raw.orders.amount?" };
  renderPage("/lineage?focus=core.orders.amuont&up=2&down=2", { ...answers, [GRAPH]: status(404, problem) });
  expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E801");
  expect(screen.getByRole("link", { name: "core.orders.amount" })).toHaveAttribute("href", "/lineage?focus=core.orders.amount&up=2&down=2");
});

it("a table that stands alone says so, and that indirect use is left out", async () => {
  renderPage("/lineage?focus=core.lone&direction=downstream", { ...answers, [GRAPH]: graphOf("core.lone", [], { direction: "downstream", hidden: 2 }) });
  const text = await screen.findByText(/core.lone goes nowhere/);
  expect(text).toHaveTextContent("2 edges are less sure than asked for");
  expect(text).toHaveTextContent("Indirect use");
});

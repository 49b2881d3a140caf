import { describe, expect, it } from "vitest";

import type { GraphView } from "../src/api";
import { layOut, reach, zoomFor } from "../src/lineage/layout";
import { edgeLabel } from "../src/lineage/words";
import { picture } from "./fixtures/overview";

const wide = layOut(picture, new Map(), 1000);
const card = (name: string, of = wide) => {
  const found = of.cards.find((one) => one.table === name);
  if (found === undefined) throw new Error(`no card ${name}`);
  return found;
};

describe("a lineage picture", () => {
  it("goes from left to right in the layers that the server gave", () => {
    const chain = ["files:data/orders/*.csv", "raw.orders", "staging.orders", "core.orders", "marts.daily_revenue"];
    const places = chain.map((name) => card(name).x);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(new Set(places).size).toBe(chain.length);
  });

  it("shows the touched columns and says how many more there are", () => {
    expect(card("core.orders").columns.map((column) => column.name)).toEqual(["amount"]);
    expect(card("core.orders").more).toBe(6);
  });

  it("opens a table to all its columns, the touched ones first", () => {
    const columns = [
      { name: "order_id", type: "bigint", pii: false, failing: false },
      { name: "amount", type: "decimal(12,2)", pii: false, failing: true },
    ];
    const opened = card("core.orders", layOut(picture, new Map([["core.orders", columns]]), 1000));
    expect(opened.columns.map((column) => [column.name, column.touched])).toEqual([
      ["amount", true],
      ["order_id", false],
    ]);
    expect(opened.height).toBeGreaterThan(card("core.orders").height);
  });

  it("never lets two cards overlap, wide or narrow", () => {
    for (const { cards } of [wide, layOut(picture, new Map(), 380)]) {
      for (const a of cards) {
        for (const b of cards) {
          if (a === b) continue;
          const apart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
          expect(apart, `${a.table} and ${b.table}`).toBe(true);
        }
      }
    }
  });

  it("leads an edge that skips a layer past the cards of that layer", () => {
    const long = wide.links.find((link) => link.source === "raw.countries.rate_to_eur");
    const [lane] = long?.lanes ?? [];
    const between = card("staging.orders");
    expect(lane?.x).toBe(between.x);
    expect(lane !== undefined && (lane.y < between.y || lane.y > between.y + between.height)).toBe(true);
  });

  it("stands below each other on a narrow screen, and fits", () => {
    const narrow = layOut(picture, new Map(), 380);
    expect(narrow.vertical).toBe(true);
    expect(new Set(narrow.cards.map((one) => one.x)).size).toBe(1);
    expect(zoomFor(narrow, 380)).toBe(1);
  });

  it("does without the server's layers, and survives a circle", () => {
    const nodes = ["a.x", "b.x", "c.x"].map((name) => ({ id: name, type: "table", name, qualified_name: name, attributes: {} }));
    const edge = (source: string, target: string) => ({
      id: `${source}>${target}`,
      source,
      target,
      type: "derives_from",
      transformation: "identity",
      expression: "",
      masking: false,
      confidence: 1,
      level: "certain",
    });
    const graph: GraphView = { ...picture, nodes, edges: [edge("a.x", "b.x"), edge("b.x", "c.x"), edge("c.x", "b.x")] };
    expect(layOut(graph).cards.map((one) => [one.table, one.layer])).toEqual([
      ["a.x", 0],
      ["b.x", 1],
      ["c.x", 2],
    ]);
  });

  it("knows what a column comes from and goes to", () => {
    expect(reach(wide.links, "core.orders.amount", "up")).toContain("raw.orders.amount");
    expect(reach(wide.links, "core.orders.amount", "up")).not.toContain("marts.daily_revenue.revenue");
    expect(reach(wide.links, "raw.orders.amount", "down")).toContain("marts.daily_revenue.revenue");
  });
});

it("an edge is labelled by its expression, a copy by a word, a long one is cut", () => {
  expect(edgeLabel({ transformation: "aggregation", expression: "sum(amount)", masking: false })).toBe("sum(amount)");
  expect(edgeLabel({ transformation: "identity", expression: "amount", masking: false })).toBe("copied");
  expect(edgeLabel({ transformation: "transformation", expression: "x".repeat(80), masking: false })).toHaveLength(44);
});

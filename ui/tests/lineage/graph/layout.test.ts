import { describe, expect, it } from "vitest";

import type { EdgeView } from "../../../src/api";
import { readChoice } from "../../../src/lineage/graph/choice";
import { layOut, reach, viewOf, zoomFor } from "../../../src/lineage/graph/layout";
import { edgeLabel, edgeMark, transformationWord } from "../../../src/lineage/graph/words";
import { columnNode, edge, graphOf } from "../../fixtures/lineage";
import { picture } from "../../fixtures/overview";

const wide = layOut(picture, { width: 1000 });
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
    const columns = [columnNode("core.orders.order_id"), columnNode("core.orders.amount")];
    const opened = card("core.orders", layOut(picture, { opened: new Map([["core.orders", columns]]), choice: readChoice(["all:core.orders"]), width: 1000 }));
    expect(opened.columns.map((column) => [column.name, column.touched])).toEqual([
      ["amount", true],
      ["order_id", false],
    ]);
    expect(opened.height).toBeGreaterThan(card("core.orders").height);
  });

  it("never lets two cards overlap, wide or narrow", () => {
    for (const { cards } of [wide, layOut(picture, { width: 380 })]) {
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
    const skipping = layOut(graphOf("a.c.x", [edge("a.a.x", "a.b.x"), edge("a.b.x", "a.c.x"), edge("a.a.x", "a.c.x")]), { width: 1000 });
    const [lane] = skipping.links.find((link) => link.source === "a.a.x" && link.target === "a.c.x")?.lanes ?? [];
    const between = card("a.b", skipping);
    expect(lane?.x).toBe(between.x);
    expect(lane !== undefined && (lane.y < between.y || lane.y > between.y + between.height)).toBe(true);
  });

  it("stands below each other on a narrow screen, and fits", () => {
    const narrow = layOut(picture, { width: 380 });
    expect(narrow.vertical).toBe(true);
    expect(new Set(narrow.cards.map((one) => one.x)).size).toBe(1);
    expect(zoomFor(narrow, 380)).toBe(1);
  });

  it("survives a circle, and cuts it where it comes back", () => {
    const circle = layOut(graphOf("a.x.k", [edge("a.x.k", "b.x.k"), edge("b.x.k", "c.x.k"), edge("c.x.k", "b.x.k")]));
    expect(circle.cards.map((one) => [one.table, one.layer])).toEqual([
      ["a.x", 0],
      ["b.x", 1],
      ["c.x", 2],
    ]);
    expect(circle.links).toHaveLength(3);
  });

  it("puts what the focus comes from as near to it as its edges allow", () => {
    const graph = graphOf("a.end.k", [edge("a.far.k", "a.mid.k"), edge("a.mid.k", "a.end.k"), edge("a.lone.k", "a.end.k")]);
    expect(new Map(layOut(graph).cards.map((one) => [one.table, one.layer]))).toEqual(
      new Map([
        ["a.far", 0],
        ["a.mid", 1],
        ["a.lone", 1],
        ["a.end", 2],
      ]),
    );
  });

  it("shows the focus where the picture does not fit, and never so small that nobody can read it", () => {
    const chain = Array.from({ length: 20 }, (_, index) => edge(`s.t${index}.k`, `s.t${index + 1}.k`));
    const long = layOut(graphOf("s.t10.k", chain, { depth: 50 }), { width: 900 });
    const { x, zoom } = viewOf(long, 900, 500);
    const focus = card("s.t10", long);
    expect(zoom).toBeGreaterThan(0.6);
    expect(focus.x * zoom + x).toBeGreaterThan(0);
    expect((focus.x + focus.width) * zoom + x).toBeLessThan(900);
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

it("says on an edge which function made the value, not the cast around it", () => {
  const say = (transformation: EdgeView["transformation"], expression: string) => edgeMark({ transformation, expression });
  expect(say("aggregation", "cast(sum(amount) AS decimal(14,2))")).toBe("sum");
  expect(say("transformation", "upper(name)")).toBe("upper");
  expect(say("transformation", "amount * rate")).toBe("ƒ");
  expect(say("identity", "amount")).toBe("");
  expect(edgeMark({ transformation: "unknown", expression: "", kind: "indirect", subtype: "group_by" })).toBe("group by");
});

it("says of an indirect edge how it shapes rows, and of another kind of edge what it is", () => {
  expect(transformationWord(edge("a.b.c", "a.d", { kind: "indirect", subtype: "filter" }))).toBe("decides which rows");
  expect(transformationWord(edge("a.b.c", "dashboard:x", { type: "consumes", transformation: "unknown", relationship: null }))).toBe("is used by");
  expect(transformationWord(edge("a.b.c", "a.d.c", { masking: true }))).toBe("copied, masked");
});

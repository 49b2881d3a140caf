import { describe, expect, it } from "vitest";

import { readChoice, withNear, writeChoice } from "../../../src/lineage/graph/choice";
import { layOut } from "../../../src/lineage/graph/layout";
import { HANDFUL, HELPING, mergeGraphs, sceneOf } from "../../../src/lineage/graph/scene";
import { cardSubtitle, lineLook, shortId } from "../../../src/lineage/graph/words";
import { columnNode, edge, graphOf, hub, tableNode } from "../../fixtures/lineage";

const choice = (near: string[], cols: string[] = []) => readChoice(cols, near);

describe("a graph of 301 tables", () => {
  const large = hub(150);

  it("is a handful at first, with the number of those that are not shown", () => {
    const { cards, left } = sceneOf(large);
    expect(cards.size).toBeLessThanOrEqual(HANDFUL);
    expect(cards.size + left).toBe(301);
    const focus = cards.get("core.hub");
    expect((focus?.down.shown ?? 0) + (focus?.down.hidden ?? 0)).toBe(150);
    expect(focus?.down.hidden).toBeGreaterThan(100);
  });

  it("shows more of the neighbours of one card, a helping at a time", () => {
    const before = sceneOf(large).cards.get("core.hub")?.down.shown ?? 0;
    const after = sceneOf(large, choice(["down1:core.hub"])).cards.get("core.hub")?.down;
    expect(after?.shown).toBe(before + HELPING);
    expect((after?.hidden ?? 0) + (after?.shown ?? 0)).toBe(150);
  });

  it("hides the neighbours of one card, and what only they lead to", () => {
    const { cards } = sceneOf(large, choice(["down0:core.hub"]));
    expect([...cards.keys()]).toEqual(["core.hub"]);
    expect(cards.get("core.hub")?.down).toEqual({ hidden: 150, shown: 0, steps: 0 });
  });

  it("closes the columns of all cards but the focus when it is opened wide, and opens them by hand", () => {
    const wide = choice(["down13:core.hub"], ["few:mid.t3"]);
    const { cards } = sceneOf(large, wide);
    expect(cards.size).toBeGreaterThan(150);
    expect(cards.get("core.hub")?.columns).toHaveLength(1);
    expect(cards.get("mid.t3")?.columns.map((column) => column.id)).toEqual(["mid.t3.key"]);
    expect(cards.get("mid.t4")?.columns).toEqual([]);
  });

  it("has no two cards on each other, however far it is opened, wide or narrow", () => {
    for (const width of [1000, 380]) {
      const { cards } = layOut(large, { choice: choice(["down13:core.hub"]), width });
      expect(cards.length).toBeGreaterThan(150);
      for (const [index, a] of cards.entries()) {
        for (const b of cards.slice(index + 1)) {
          const apart = a.x + a.width <= b.x || b.x + b.width <= a.x || a.y + a.height <= b.y || b.y + b.height <= a.y;
          if (!apart) expect.fail(`${a.table} lies on ${b.table}`);
        }
      }
    }
  });
});

describe("what is shown of a table", () => {
  it("is only what an edge of the picture touches, at most a few rows, the focus among them", () => {
    const many = Array.from({ length: 30 }, (_, index) => edge(`raw.t.c${index}`, `core.t.c${index}`));
    const { cards, links } = sceneOf(graphOf("core.t.c25", many, {}, { "core.t": { columns: 40 } }));
    const focus = cards.get("core.t");
    expect(focus?.columns).toHaveLength(8);
    expect(focus?.columns.map((column) => column.name)).toContain("c25");
    expect(focus?.more).toBe(32);
    // No edge is lost: those of the rows that are not shown are one line between the two cards.
    expect(new Set(links.flatMap((link) => link.edges).map((one) => one.id)).size).toBe(30);
  });

  it("stays whole where a column is only counted: a closed card keeps its lines", () => {
    const graph = graphOf("core.t.a", [edge("raw.t.a", "core.t.a"), edge("raw.t.b", "core.t.b", { confidence: 0.4, level: "low" })]);
    const { links } = sceneOf(graph, choice([], ["none:raw.t", "none:core.t"]));
    expect(links.map(({ id, edges, confidence }) => [id, edges.length, confidence])).toEqual([["raw.t->core.t", 2, 1]]);
  });

  it("is nothing but names where tables are wanted, not columns", () => {
    const graph = graphOf("core.t", [edge("raw.t", "core.t")], { level: "table" }, { "core.t": { columns: 9 } });
    expect(sceneOf(graph).cards.get("core.t")?.more).toBe(0);
  });

  it("ends at the table where a column only decides about its rows", () => {
    const graph = graphOf("core.t.status", [edge("core.t.status", "marts.t", { kind: "indirect", subtype: "filter" })]);
    const [link] = sceneOf(graph).links;
    expect([link?.source, link?.target, link?.targetCard]).toEqual(["core.t.status", "marts.t", "marts.t"]);
  });

  it("shows a failing neighbour before others", () => {
    const edges = Array.from({ length: 40 }, (_, index) => edge("core.t.k", `marts.t${index}.k`));
    const { cards } = sceneOf(graphOf("core.t.k", edges, {}, { "marts.t39": { failing: true } }));
    expect(cards.has("marts.t39")).toBe(true);
  });

  it("has what exists only inside a program under the name it has there", () => {
    const cte = "code:jobs/daily.sql#paid@7";
    const passes = (from: string, to: string) => edge(from, to, { type: "passes", relationship: null });
    const base = graphOf("core.t.k", [edge("core.t.k", "marts.t.k")]);
    const inside = tableNode(cte, { kind: "cte", intermediate: true, label: "paid", source_file: "jobs/daily.sql", source_line: 7, in_catalog: false });
    const graph = {
      ...base,
      nodes: [...base.nodes, inside, columnNode(`${cte}.k`, { table: cte })],
      edges: [...base.edges, passes("core.t.k", `${cte}.k`), passes(`${cte}.k`, "marts.t.k")],
    };
    const { cards, links } = sceneOf(graph);
    const card = cards.get(cte);
    expect([card?.name, card && cardSubtitle(card), card?.inside]).toEqual(["paid", "CTE · jobs/daily.sql:7", true]);
    expect(links.map(lineLook).toSorted()).toEqual(["inside", "inside", "plain"]);
    expect([shortId(`${cte}.k`), shortId(cte), shortId("code:a.py#df@3:2.x"), shortId("core.t.k")]).toEqual(["paid.k", "paid", "df.x", undefined]);
  });

  it("goes only the way that was asked for", () => {
    const graph = graphOf("core.t.k", [edge("raw.t.k", "core.t.k")], { direction: "upstream" }, { "core.t": { hidden_downstream: 7 } });
    const focus = sceneOf(graph).cards.get("core.t");
    expect([focus?.up.shown, focus?.down.hidden]).toEqual([1, 0]);
  });
});

describe("two answers", () => {
  const up = graphOf("core.t.k", [edge("raw.t.k", "core.t.k")], { direction: "upstream" }, { "core.t": { hidden_upstream: 2, hidden_downstream: 1 } });
  const down = graphOf("core.t.k", [edge("core.t.k", "marts.t.k")], { direction: "downstream" }, { "core.t": { hidden_upstream: 3, hidden_downstream: 0 } });

  it("are one graph, in which only that is hidden which neither has", () => {
    const both = mergeGraphs(up, down);
    expect(both.edges).toHaveLength(2);
    expect(both.nodes.filter((node) => node.id === "core.t")).toHaveLength(1);
    const table = both.nodes.find((node) => node.id === "core.t");
    expect([table?.attributes.hidden_upstream, table?.attributes.hidden_downstream]).toEqual([2, 0]);
  });

  it("bring the neighbours that were asked for", () => {
    const more = graphOf("core.t", [edge("raw.u.k", "core.t.k"), edge("raw.v.k", "core.t.k"), edge("raw.t.k", "core.t.k")]);
    const all = mergeGraphs(up, more);
    expect(all.nodes.find((node) => node.id === "core.t")?.attributes.hidden_upstream).toBe(0);
    expect(all.nodes.map((node) => node.id)).toContain(columnNode("raw.u.k").id);
  });
});

describe("what was opened and closed", () => {
  it("is in the address, also for names with colons", () => {
    const cols = ["all:core.orders", "none:files:data/x.csv"];
    const near = ["up2:files:data/x.csv", "down0:core.orders"];
    expect(writeChoice(readChoice(cols, near))).toEqual({ cols, near });
  });

  it("leaves nothing behind once all is as it was", () => {
    expect(writeChoice(withNear(readChoice([], ["up0:core.orders"]), "up", "core.orders", undefined))).toEqual({ cols: undefined, near: undefined });
  });

  it("falls away where it makes no sense", () => {
    expect(writeChoice(readChoice(["some:core.orders", "core.orders"], ["left1:core.orders", "up:core.orders"]))).toEqual({ cols: undefined, near: undefined });
  });
});

import { describe, expect, it } from "vitest";

import { layOutErd } from "../../../src/lineage/erd/layout";
import { relationId, schemaOf, schemasOf, type Relation } from "../../../src/lineage/erd/words";
import { erd, erdTable } from "../../fixtures/erd";

function key(source: string, target: string): Relation {
  return { type: "foreign_key", inferred: false, evidence: [], source, source_columns: ["a"], target, target_columns: ["b"], cardinality: "many_to_one" };
}

function overlaps(cards: ReturnType<typeof layOutErd>["cards"]): string[] {
  return cards.flatMap((one, index) =>
    cards.slice(index + 1).flatMap((other) => (one.x < other.x + other.width && other.x < one.x + one.width && one.y < other.y + other.height && other.y < one.y + one.height ? [`${one.table.name} ${other.table.name}`] : [])),
  );
}

describe("an ERD", () => {
  it.each([320, 1200])("lays no table over another and none outside of the picture, in %d pixels", (room) => {
    const picture = layOutErd(erd.tables, erd.relations, room);
    expect(overlaps(picture.cards)).toEqual([]);
    expect(picture.cards.every((card) => card.x >= 0 && card.x + card.width <= picture.width && card.y + card.height <= picture.height)).toBe(true);
    expect(picture.lines.map((line) => line.look)).toEqual(["declared", "inferred", "flow"]);
  });

  it("puts what is pointed at left of what points at it, and stands one below the other on a phone", () => {
    const place = (room: number) => new Map(layOutErd(erd.tables, erd.relations, room).cards.map((card) => [card.table.name, card.x]));
    expect(place(1200).get("core.customers")).toBeLessThan(place(1200).get("core.orders") ?? 0);
    expect(new Set(place(340).values()).size).toBe(1);
    expect(layOutErd(erd.tables, erd.relations, 340).width).toBeLessThanOrEqual(340);
  });

  it("shows keys and what is joined before all other columns", () => {
    const orders = layOutErd(erd.tables, erd.relations, 1200).cards.find((card) => card.table.name === "core.orders");
    expect(orders?.columns.slice(0, 3).map((column) => column.name)).toEqual(["customer_id", "order_id", "country"]);
    expect(orders?.more).toBe(4);
    expect(layOutErd(erd.tables, erd.relations, 1200, ["core.orders"]).cards.find((card) => card.table.name === "core.orders")?.more).toBe(0);
  });

  it("ends on circles, on a table that points at itself, and on tables that are not there", () => {
    const tables = ["a.a", "a.b", "a.c"].map((name) => erdTable(name, []));
    const picture = layOutErd(tables, [key("a.a", "a.b"), key("a.b", "a.c"), key("a.c", "a.a"), key("a.a", "a.a"), key("a.a", "x.y")], 1000);
    expect(picture.lines).toHaveLength(3);
    expect(overlaps(picture.cards)).toEqual([]);
    expect(layOutErd([], [], 1000).cards).toEqual([]);
  });

  it("names relations and schemas", () => {
    expect(new Set(erd.relations.map(relationId)).size).toBe(3);
    expect([schemaOf("core.orders"), schemaOf("shop.core.orders"), schemaOf("orders")]).toEqual(["core", "core", ""]);
    expect(schemasOf(erd.tables)).toEqual(["core", "staging"]);
  });
});

import { describe, expect, it } from "vitest";

import { boostInWords, excerptOf, isNarrowed, piecesOf, placeIn, placeOf, stageInWords, toggled } from "../../../src/catalog/search/words";

describe("what matched", () => {
  it("is cut out of a text by its marks", () => {
    expect(piecesOf("customer_orders", [[9, 15]])).toEqual([
      { text: "customer_", marked: false },
      { text: "orders", marked: true },
    ]);
    expect(piecesOf("orders", [])).toEqual([{ text: "orders", marked: false }]);
    expect(piecesOf("", [])).toEqual([]);
  });

  it("is counted in letters, as the server counts them", () => {
    expect(piecesOf("🛒🛒 order", [[3, 8]]).at(-1)).toEqual({ text: "order", marked: true });
  });

  it.each([[[[-5, 3]]], [[[3, 99]]], [[[9, 2]]], [[[0, 4], [2, 6]]]])("does no harm with odd marks: %j", (marks) => {
    expect(piecesOf("orders", marks).map((piece) => piece.text).join("")).toBe("orders");
  });

  it("of a long text is shown with what is around it", () => {
    const text = `${"word ".repeat(200)}order${" more".repeat(200)}`;
    const pieces = excerptOf(text, [[1000, 1005]]);
    expect(pieces.filter((piece) => piece.marked)).toEqual([{ text: "order", marked: true }]);
    expect(pieces[0]?.text).toMatch(/^… /);
    expect(pieces.map((piece) => piece.text).join("").length).toBeLessThan(240);
  });
});

describe("why it is here", () => {
  it("is said in words", () => {
    expect(stageInWords("exact")).toBe("its name is exactly that");
    expect(stageInWords("by_magic")).toBe("it matches by by magic");
    expect(boostInWords({ name: "usage", points: 120 })).toBe("+120 people use it");
    expect(boostInWords({ name: "deprecated", points: -250 })).toBe("−250 it is deprecated");
  });
});

describe("a result", () => {
  it.each([
    [{ type: "column" as const, id: "core.orders.amount", name: "amount", container: "core.orders" }, { to: "/assets/$assetId", params: { assetId: "core.orders" }, search: { tab: "lineage", col: "amount" } }],
    [{ type: "term" as const, id: "term:sales.net", name: "Net", container: "sales" }, { to: "/glossary", search: { term: "sales.net" } }],
    [{ type: "schema" as const, id: "schema:pg:shop.public", name: "public", container: "pg:shop" }, { to: "/catalog", search: { at: "pg:shop.public" } }],
    [{ type: "dashboard" as const, id: "bi:weekly", name: "weekly", container: "" }, { to: "/assets/$assetId", params: { assetId: "bi:weekly" }, search: {} }],
  ])("leads to its page: %j", (hit, place) => expect(placeOf(hit)).toEqual(place));

  it("says where it is before its name", () => {
    expect(placeIn({ qualified_name: "core.orders", name: "orders" })).toBe("core.");
    expect(placeIn({ qualified_name: "files:data/orders/*.csv", name: "*.csv" })).toBe("files:data/orders/");
    expect(placeIn({ qualified_name: "Net revenue", name: "Net revenue" })).toBe("");
  });
});

it("takes values of a facet in and out, and leaves nothing in the address where nothing is chosen", () => {
  expect(toggled(undefined, "gold")).toEqual(["gold"]);
  expect(toggled(["gold", "pii"], "gold")).toEqual(["pii"]);
  expect(toggled(["gold"], "gold")).toBeUndefined();
  expect(isNarrowed({ q: "orders" })).toBe(false);
  expect(isNarrowed({ pii: ["email"] })).toBe(true);
});

import { expect, it } from "vitest";

import { leadsTo, treeOf } from "../../../src/catalog/browse/tree";

const holder = (type: string, full: string, container = "") => ({ type, name: full.split(/[.:]/).at(-1) ?? full, qualified_name: full, container });

it("puts the lake's schemas together, and schemas of databases below them", () => {
  const tree = treeOf([holder("schema", "raw"), holder("schema", "core"), holder("database", "pg:shop"), holder("schema", "pg:shop.public", "pg:shop"), holder("schema", "pg:gone.public", "pg:gone")]);
  expect(tree.map((one) => one.label)).toEqual(["Lake", "pg:gone.public", "pg:shop"]);
  expect(tree[0]?.children.map((one) => one.name)).toEqual(["core", "raw"]);
  expect(tree[2]?.children.map((one) => one.name)).toEqual(["pg:shop.public"]);
});

it("opens what leads to what is looked at", () => {
  const [database] = treeOf([holder("database", "pg:shop"), holder("schema", "pg:shop.public", "pg:shop")]);
  if (database === undefined) throw new Error("no database");
  expect(leadsTo(database, "pg:shop.public")).toBe(true);
  expect(leadsTo(database, "core")).toBe(false);
  expect(leadsTo(database, undefined)).toBe(false);
  expect(treeOf([])).toEqual([]);
});

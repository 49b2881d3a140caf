import { expect, it } from "vitest";

import { branchNamed, leadsTo, treeOf } from "../../../src/catalog/browse/tree";

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

it("has folders of files below each other, and finds each by its name", () => {
  const tree = treeOf([holder("schema", "files:raw/shop", "files:raw"), holder("schema", "files:raw", "files:"), holder("database", "files:"), holder("schema", "core")]);
  expect(tree.map((one) => one.label)).toEqual(["Lake", "files"]);
  expect(branchNamed("files:raw", tree)?.children.map((one) => one.name)).toEqual(["files:raw/shop"]);
  expect(branchNamed("core", tree)?.type).toBe("schema");
  expect(branchNamed("nowhere", tree)).toBeUndefined();
  expect(branchNamed(undefined, tree)).toBeUndefined();
});

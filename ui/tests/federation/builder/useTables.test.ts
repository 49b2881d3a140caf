import { expect, it } from "vitest";

import { tableAt, type TableChoice } from "../../../src/federation/builder/useTables";

const tables: TableChoice[] = [
  { path: ["core", "orders"], group: "lake" },
  { path: ["crm", "public", "customers"], group: "crm" },
  { path: ["till", "customers"], group: "till" },
];

it("finds a table by its name, in any case, and without the schema of its source", () => {
  expect(tableAt(tables, ["core", "Orders"])).toBe(tables[0]);
  expect(tableAt(tables, ["crm", "customers"])).toBe(tables[1]);
  expect(tableAt(tables, ["CRM", "Public", "customers"])).toBe(tables[1]);
  expect(tableAt(tables, ["customers"])).toBeUndefined();
  expect(tableAt(tables, ["other", "customers"])).toBeUndefined();
});

import { expect, it } from "vitest";

import { splitColumn } from "../../src/format/names";

it("the last part of a name is the column", () => {
  expect(splitColumn("core.orders.amount")).toEqual({ table: "core.orders", column: "amount" });
  expect(splitColumn("amount")).toEqual({ table: "", column: "amount" });
});

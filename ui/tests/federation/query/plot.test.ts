import { describe, expect, it } from "vitest";

import { numeric, pointsOf, usualAxes, usualKind } from "../../../src/federation/query/plot";

const column = (name: string, type: string, masked = false) => ({ name, type, masked });
const sales = { columns: [column("year", "int"), column("city", "string"), column("total", "decimal(22,2)"), column("pay", "double", true)], rows: [[2025, "London", "10.50", null], [2026, null, null, null], [2026, "Paris", "-3", null]] };

describe("the picture of a result", () => {
  it("has a word along the bottom and a number as height", () => {
    expect(numeric(sales)).toEqual(["year", "total"]);
    expect(usualAxes(sales, {})).toEqual({ x: "city", y: "total" });
    expect(usualAxes(sales, { x: "year", y: "year" })).toEqual({ x: "year", y: "year" });
    expect(usualAxes(sales, { x: "gone", y: "city" })).toEqual({ x: "city", y: "total" });
    expect(usualAxes({ columns: [column("n", "bigint")], rows: [] }, {})).toEqual({ x: "n", y: "n" });
    expect(usualAxes({ columns: [column("city", "string")], rows: [] }, {})).toBeNull();
  });

  it("is a line over time", () => {
    expect(usualKind(sales, { x: "city", y: "total" })).toBe("bar");
    expect(usualKind({ columns: [column("day", "date"), column("n", "int")] }, { x: "day", y: "n" })).toBe("line");
  });

  it("reads decimals, and draws nothing for NULL", () => {
    expect(pointsOf(sales, { x: "city", y: "total" })).toEqual([
      { label: "London", value: 10.5 },
      { label: "NULL", value: null },
      { label: "Paris", value: -3 },
    ]);
  });
});

import { describe, expect, it } from "vitest";

import { seenRows, widthsOf } from "../../../src/federation/query/window";

describe("rows that are drawn", () => {
  it("are few of a hundred thousand, and the rest keeps its place", () => {
    for (const top of [0, 15, 3_000, 1_500_000, 2_999_400, 9_000_000]) {
      const { first, end, above, below } = seenRows(top, 600, 100_000, 30);
      expect(end - first).toBeLessThanOrEqual(44);
      expect(above + (end - first) * 30 + below).toBe(3_000_000);
      expect(first).toBeLessThanOrEqual(Math.min(Math.floor(top / 30), 99_980));
      expect(end).toBeGreaterThanOrEqual(Math.min(100_000, Math.floor(Math.min(top, 2_999_400) / 30) + 20));
    }
    expect(seenRows(0, 600, 100_000, 30).above).toBe(0);
    expect(seenRows(2_999_400, 600, 100_000, 30).below).toBe(0);
  });

  it("are all of a few", () => expect(seenRows(0, 600, 3, 30)).toEqual({ first: 0, end: 3, above: 0, below: 0 }));

  it("are none of none", () => expect(seenRows(0, 600, 0, 30)).toEqual({ first: 0, end: 0, above: 0, below: 0 }));

  it("have columns as wide as they need, within bounds", () => {
    expect(widthsOf(["id", "a long head", "text"], [["1", "x", "y".repeat(300)], ["123456789", null, ""]])).toEqual([9, 11, 46]);
    expect(widthsOf(["a"], [])).toEqual([6]);
  });
});

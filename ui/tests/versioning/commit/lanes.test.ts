import { describe, expect, it } from "vitest";

import { lanesOf, pathOf, widthOf } from "../../../src/versioning/commit/lanes";

describe("the lines of a log", () => {
  const rows = lanesOf([
    { lane: 0, edges: [{ start: 0, end: 0, to: "a" }, { start: 0, end: 1, to: "b" }] },
    { lane: 1, edges: [{ start: 0, end: 0, to: "a" }, { start: 1, end: 0, to: "a" }] },
    { lane: 0, edges: [] },
  ]);

  it("come into a row where those of the row above end", () => {
    expect(rows.map((row) => row.above)).toEqual([[], [0, 1], [0]]);
  });

  it("need a lane each, and bend between two", () => {
    expect(widthOf(rows)).toBe(32);
    expect(pathOf({ start: 0, end: 0 }, 32)).toBe("M8 0V100");
    expect(pathOf({ start: 0, end: 1 }, 32)).toBe("M8 0C8 60 24 40 24 100");
  });

  it("lie on the last lane where there are too many", () => {
    expect(widthOf(lanesOf([{ lane: 30, edges: [] }]))).toBe(128);
    expect(pathOf({ start: 30, end: 30 }, 128)).toBe("M120 0V100");
  });
});

import { describe, expect, it } from "vitest";

import { areaBetween, intervals, pathThrough, spread } from "../../src/quality/scale";

describe("lines of a chart", () => {
  it("are not drawn across a gap", () => {
    expect(intervals([1, 2, 0, 3], (one) => one > 0)).toEqual([[1, 2], [3]]);
    expect(pathThrough([{ x: 0, y: 1 }, { x: 2.006, y: 3 }])).toBe("M0 1L2.01 3");
    expect(areaBetween([{ x: 0, y: 0 }], [{ x: 0, y: 9 }])).toBe("M0 0L0 9Z");
    expect(areaBetween([], [])).toBe("");
  });

  it("have labels evenly spread, the first and the last among them", () => {
    expect(spread([1, 2, 3, 4, 5, 6, 7], 3)).toEqual([1, 4, 7]);
    expect(spread([1, 2], 5)).toEqual([1, 2]);
  });
});

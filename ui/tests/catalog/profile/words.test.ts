import { describe, expect, it } from "vitest";

import { barHeights, binsInWords, changeInWords, figure, share, shown, sideInWords, statisticName } from "../../../src/catalog/profile/words";

describe("bars", () => {
  it("are true to the numbers, and what occurs at all is seen", () => {
    expect(barHeights([0, 50, 100], 20)).toEqual([0, 10, 20]);
    expect(barHeights([1, 100_000], 20)).toEqual([1.5, 20]);
    expect(barHeights([0, 0], 20)).toEqual([0, 0]);
    expect(barHeights([], 20)).toEqual([]);
  });

  it("are read out", () => {
    expect(binsInWords({ edges: [0, 10, 20], counts: [3, 9] })).toBe("from 0 to 20, most between 10 and 20");
    expect(binsInWords({ edges: ["2026-11-01", "2026-11-02"], counts: [3] })).toBe("from 2026-11-01 to 2026-11-02");
  });
});

describe("numbers of a profile", () => {
  it.each([
    [0, "0"],
    [1204, "1,204"],
    [3.14159265, "3.1416"],
    [227131.25, "227,131"],
    [1e21, "1.00e+21"],
    [0.0000001, "1.00e-7"],
  ])("%s reads %s", (value, text) => expect(figure(value)).toBe(text));

  it("keeps nothing, and an empty text, apart", () => {
    expect([shown(null), shown(""), shown("x"), shown(false)]).toEqual(["–", "(empty)", "x", "false"]);
    expect([share(0, 10), share(1, 10_000), share(1, 4), share(null, 4), share(0, 0)]).toEqual(["0%", "< 0.1%", "25%", "–", "0%"]);
  });

  it("says by how much something changed", () => {
    expect(changeInWords({ by: 234, share: 0.05 })).toBe("+5%");
    expect(changeInWords({ by: -0.02, share: -0.0001 })).toBe("−0.02");
    expect(changeInWords({ by: null, share: null })).toBe("");
    expect(sideInWords("null_share", 0.14)).toBe("14%");
    expect(sideInWords("top", [{ value: "DE", count: 3 }, { value: null, count: 2 }])).toBe("DE, –");
    expect([statisticName("row_count"), statisticName("zeros")]).toEqual(["rows", "zeros"]);
  });
});

it("reads times of data as they stand everywhere, and shows what turns letters around", () => {
  expect(shown("2025-11-05T04:12:00Z", "timestamp")).toBe("2025-11-05 04:12:00 UTC");
  expect(shown("2025-11-05T04:12:00Z", "string")).toBe("2025-11-05T04:12:00Z");
  expect(shown("a\u202eb", "string")).toBe("a[U+202E]b");
});

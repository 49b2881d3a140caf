import { describe, expect, it } from "vitest";

import { bytes, count, day, duration, exact, moment, percent, plural, relative, signed, timeInData } from "../../src/format/numbers";

const NOW = Date.parse("2026-11-15T22:10:00Z");

describe("numbers", () => {
  it.each([
    [0, "0"],
    [387001, "387,001"],
    [null, "–"],
  ])("count %s reads %s", (value, text) => expect(count(value)).toBe(text));

  it.each([
    [970, "+970"],
    [-3, "−3"],
    [0, "±0"],
    [undefined, "–"],
  ])("a change of %s reads %s", (value, text) => expect(signed(value)).toBe(text));

  it.each([
    [0, "0 B"],
    [999, "999 B"],
    [1000, "1 kB"],
    [4_698_045, "4.7 MB"],
    [999_960, "1 MB"],
    [2.5e15, "2.5 PB"],
  ])("%s bytes read %s", (value, text) => expect(bytes(value)).toBe(text));

  it.each([
    [100, "100%"],
    [99.78, "99.8%"],
    [99.99, "99.9%"],
    [0, "0%"],
    [null, "–"],
  ])("a share of %s reads %s and is never rounded up to a hundred", (value, text) => expect(percent(value)).toBe(text));

  it("one is singular", () => {
    expect(plural(1, "table")).toBe("1 table");
    expect(plural(0, "table")).toBe("0 tables");
    expect(plural(2, "branch", "branches")).toBe("2 branches");
  });
});

describe("times", () => {
  it.each([
    [0.04, "0 s"],
    [0.44, "0.4 s"],
    [26.17, "26 s"],
    [59.7, "1 min"],
    [168.7, "2 min 49 s"],
    [3600, "1 h"],
    [11_100, "3 h 5 min"],
    [90_000, "1 d 1 h"],
    [null, "–"],
  ])("%s seconds read %s", (value, text) => expect(duration(value)).toBe(text));

  it.each([
    ["2026-11-15T22:09:40Z", "just now"],
    ["2026-11-15T22:05:00Z", "5 min ago"],
    ["2026-11-15T06:10:00Z", "16 h ago"],
    ["2026-11-14T06:10:00Z", "2 days ago"],
    ["2026-11-20T22:10:00Z", "in 5 days"],
    ["2025-01-01T00:00:00Z", "2 years ago"],
  ])("%s is %s", (time, text) => expect(relative(time, NOW)).toBe(text));

  it("exact times are UTC, whatever the offset they came with", () => {
    expect(exact("2026-11-15T07:10:00+01:00")).toBe("2026-11-15 06:10:00 UTC");
  });

  it("a year is said only where it is another one", () => {
    expect(day("2026-11-14T06:10:00Z", NOW)).toBe("14 Nov");
    expect(moment("2026-11-15T06:10:00Z", NOW)).toBe("15 Nov 06:10");
    expect(day("2025-11-14T06:10:00Z", NOW)).toBe("14 Nov 2025");
  });
});

it.each([
  ["2026-11-14T23:28:00+00:00", "2026-11-14 23:28:00 UTC"],
  ["2026-11-15T00:28:00+01:00", "2026-11-14 23:28:00 UTC"],
  ["2026-11-14T23:28:00.250000Z", "2026-11-14 23:28:00.250000 UTC"],
  ["2026-11-14T23:28:00.000000", "2026-11-14 23:28:00"],
  ["2026-11-14", "2026-11-14"],
  ["2026-99-14T23:28:00Z", "2026-99-14T23:28:00Z"],
  ["paid 2026-11-14T23:28:00Z", "paid 2026-11-14T23:28:00Z"],
])("a time in data: %s", (text, shown) => expect(timeInData(text)).toBe(shown));

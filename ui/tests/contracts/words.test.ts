import { describe, expect, it } from "vitest";

import { ruleInWords } from "../../src/contracts/terms";
import { bumpInWords, countsOf, depthInWords, nextVersion, noticeInWords, placeInWords, policyInWords, shortHash, tallyInWords, toneOfCounts, valueInWords, worstFirst } from "../../src/contracts/words";
import { comparison, nullable, undocumented, violation } from "../fixtures/contracts";

describe("what is wrong", () => {
  it("is counted in words, and what is none is not said", () => {
    expect(tallyInWords({ errors: 1, warnings: 2, infos: 1 })).toBe("1 error, 2 warnings, 1 note");
    expect(tallyInWords({ errors: 0, warnings: 0, infos: 0 })).toBe("");
    expect(countsOf([violation(), nullable, undocumented, undocumented])).toEqual({ errors: 1, warnings: 1, infos: 2 });
  });

  it("is as bad as its worst", () => {
    expect(["bad", "warn", "good"]).toEqual([toneOfCounts({ errors: 1, warnings: 9, infos: 0 }), toneOfCounts({ errors: 0, warnings: 1, infos: 0 }), toneOfCounts({ errors: 0, warnings: 0, infos: 3 })]);
  });

  it("comes worst first, and by its line among equals", () => {
    const late = violation({ line: 90 });
    const next = violation({ column: 30 });
    expect(worstFirst([undocumented, late, nullable, next, violation()])).toEqual([violation(), next, late, nullable, undocumented]);
  });

  it("stands somewhere", () => {
    expect(placeInWords({ file: "a.yaml", line: 4, column: 10, path: "version" })).toBe("a.yaml:4:10");
    expect(placeInWords({ file: "a.yaml", line: 4, column: 1, path: "version" })).toBe("a.yaml:4");
    expect(placeInWords({ file: "a.yaml", line: 0, column: 0, path: "version" })).toBe("a.yaml");
    expect(placeInWords({ file: "", line: 1, column: 1, path: "schema[0]" })).toBe("schema[0]");
  });
});

describe("a change", () => {
  it("that breaks readers without its MAJOR version is told with the version it needs", () => {
    expect(bumpInWords(comparison())).toEqual({ tone: "bad", title: "It needs a MAJOR version", text: "It breaks readers, and 1.2.0 is a MINOR one. The next one is 2.0.0." });
    expect(bumpInWords(comparison({ new: "1.1.0", actual_bump: "none" })).text).toContain("it still is 1.1.0");
    expect(bumpInWords(comparison({ new: "1.0.9", actual_bump: "downgrade" })).text).toContain("1.0.9 is older than 1.1.0");
    expect(bumpInWords(comparison({ required_bump: "minor", actual_bump: "patch" }))).toMatchObject({ tone: "warn", title: "It needs a MINOR version" });
  });

  it("with the version it needs is in order; a MAJOR one still asks readers to act", () => {
    expect(bumpInWords(comparison({ new: "2.0.0", actual_bump: "major" }))).toMatchObject({ tone: "warn", title: "3 changes, and the version says so" });
    expect(bumpInWords(comparison({ required_bump: "minor", actual_bump: "minor" }))).toMatchObject({ tone: "good", text: "Readers need not act. It needs at least a MINOR version, and 1.2.0 is a MINOR one." });
    expect(bumpInWords(comparison({ required_bump: "none", actual_bump: "none", new: "1.1.0" })).text).toContain("It needs no new version");
    expect(bumpInWords(comparison({ changes: [], required_bump: "none", actual_bump: "patch" }))).toMatchObject({ tone: "good", text: "It says the same as 1.1.0." });
  });

  it("asks for the next version", () => {
    expect([nextVersion("1.2.3", "major"), nextVersion("1.2.3-rc.1", "minor"), nextVersion("1.2.3", "patch"), nextVersion("1.2.3", "none")]).toEqual(["2.0.0", "1.3.0", "1.2.4", "1.2.3"]);
  });

  it("shows any value", () => {
    expect([valueInWords(null), valueInWords(["a", 1]), valueInWords({ value: 1 }), valueInWords(false)]).toEqual(["", "a, 1", "", "false"]);
    expect(shortHash("sha256:9fd9544b55a3b53665f28c07")).toBe("9fd9544b55a3");
  });
});

it("says how near a reader is, and what a policy is called", () => {
  expect([depthInWords(1), depthInWords(2), depthInWords(4)]).toEqual(["directly", "through 1 table", "through 3 tables"]);
  expect([policyInWords("data_contract"), policyInWords("naming")]).toEqual(["contracts", "naming"]);
});

it("tells readers of the end", () => {
  const notice = { state: "deprecated", since: "2026-11-14T06:10:00Z", ends_at: "2027-01-31T00:00:00Z", replacement: null, reason: "Amounts move to cents" } as const;
  expect(noticeInWords(notice)).toBe("Amounts move to cents. It ends on 31 Jan 2027.");
  expect(noticeInWords({ ...notice, state: "retired", reason: "", ends_at: null })).toContain("new readers are refused");
});

it("puts rules of quality in words", () => {
  expect(ruleInWords({ metric: "invalidValues", arguments: { validValues: ["open", "paid"] }, mustBe: 0 })).toBe("invalid values = 0 (valid values: open, paid)");
  expect(ruleInWords({ metric: "nullValues", mustBeLessThan: 5, unit: "percent" })).toBe("null values < 5%");
  expect(ruleInWords({ type: "text", description: "Only sold goods" })).toBe("Only sold goods");
  expect(ruleInWords({ type: "sql", query: "SELECT 1", mustBeBetween: [1, 2] })).toBe("SELECT 1 between 1, 2");
});

import { describe, expect, it } from "vitest";

import { boundOf, CHECK_FORMS, fieldsShown, formOf, indexIn, keyIn, otherKeys, textOf, valueOf, withKey, withType } from "../../../src/quality/check/forms";
import { tiersInWords } from "../../../src/quality/monitor/tiers";

describe("a check as a form", () => {
  it("is found by all of its names", () => {
    expect(["not_null", "completeness", "volume", "drift", "anomaly"].map((type) => formOf({ type })?.type)).toEqual(["not_null", "not_null", "row_count", "statistical", "anomaly"]);
    expect(formOf({ type: "custom", query: "SELECT 1" })?.type).toBe("query");
    expect(formOf({ type: "custom", sql: "a > 0" })?.type).toBe("expression");
    expect(formOf({ type: "sorted" })).toBeUndefined();
  });

  it("asks only for what its method needs", () => {
    const form = formOf({ type: "statistical" });
    if (form === undefined) throw new Error("no form");
    expect(fieldsShown(form, { statistical_check: "ks_test" }).map((one) => one.key)).toEqual(["statistical_check", "column", "reference", "max_distance"]);
    expect(fieldsShown(form, { statistical_check: "mean" }).map((one) => one.key)).toEqual(["statistical_check", "column", "min", "max"]);
  });

  it("reads texts into what the server takes, and leaves out what is empty", () => {
    expect(valueOf(" 1.5% ", "percent")).toBe(1.5);
    expect(valueOf("a, b", "columns")).toEqual(["a", "b"]);
    expect(valueOf("paid, 3", "list")).toEqual(["paid", 3]);
    expect(valueOf("id: bigint\namount: decimal(12,2)", "pairs")).toEqual({ id: "bigint", amount: "decimal(12,2)" });
    expect(valueOf("many", "number")).toBe("many");
    expect(valueOf("  ", "number")).toBeUndefined();
    expect([boundOf("0"), boundOf("2026-01-01"), boundOf("")]).toEqual([0, "2026-01-01", undefined]);
    expect(textOf({ id: "bigint" }, "pairs")).toBe("id: bigint");
    expect(withKey({ type: "range", min: 1 }, "min", undefined)).toEqual({ type: "range" });
  });

  it("keeps what two types have in common, and what no field shows", () => {
    const range = CHECK_FORMS.find((one) => one.type === "range");
    const pattern = CHECK_FORMS.find((one) => one.type === "regex");
    if (range === undefined || pattern === undefined) throw new Error("no form");
    expect(withType({ type: "range", column: "amount", min: 0, severity: "critical", name: "n" }, pattern)).toEqual({ type: "regex", column: "amount", severity: "critical", name: "n" });
    expect(otherKeys(range, { type: "range", column: "a", min: 0, auto: true, on_not_measured: "warn" })).toEqual(["auto", "on_not_measured"]);
  });

  it("is told apart by its place", () => {
    expect([indexIn("checks[2].min"), keyIn("checks[2].min"), indexIn("name"), keyIn("checks[2]")]).toEqual([2, "min", undefined, undefined]);
    expect(tiersInWords(["manifests", "manifests", "narrow"])).toBe("from metadata, no scan, a job of its own");
  });
});

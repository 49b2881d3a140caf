import { describe, expect, it } from "vitest";

import { commonOf, formOf, indexIn, keyIn, nameIn, otherKeys, textOf, valueOf, withKey, withType, type Given } from "../../../src/quality/check/forms";
import { tiersInWords } from "../../../src/quality/monitor/tiers";
import { checkTypes } from "../../fixtures/checkTypes";

function found(check: Given) {
  const form = formOf(checkTypes, check);
  if (form === undefined) throw new Error("no form");
  return form;
}

describe("a check as a form", () => {
  it("is found by all of its names, which a key tells apart where several types have one", () => {
    expect([{ type: "not_null" }, { type: "completeness" }, { type: "statistical", statistical_check: "drift" }].map((check) => found(check).type)).toEqual(["not_null", "not_null", "drift"]);
    expect(found({ type: "custom", query: "SELECT 1" }).type).toBe("query");
    expect(found({ type: "custom", sql: "a > 0" }).type).toBe("expression");
    expect(formOf(checkTypes, { type: "statistical" })).toBeUndefined();
    expect(formOf(checkTypes, { type: "unheard of" })).toBeUndefined();
  });

  it("has the keys of every check but those that mean nothing for it", () => {
    expect(commonOf(checkTypes, found({ type: "range" })).map((one) => one.name)).toEqual(["name", "partition_by", "on_failure"]);
    expect(commonOf(checkTypes, found({ type: "query" })).map((one) => one.name)).toEqual(["name", "on_failure"]);
  });

  it("keeps the name under which a key was given", () => {
    const [columns] = found({ type: "not_null" }).keys;
    if (columns === undefined) throw new Error("no key");
    expect([nameIn({ column: "a" }, columns), nameIn({}, columns)]).toEqual(["column", "columns"]);
  });

  it("reads texts into what the server takes, and leaves out what is empty", () => {
    expect(valueOf(" 1.5% ", "percentage")).toBe(1.5);
    expect(valueOf("a, b", "columns")).toEqual(["a", "b"]);
    expect(valueOf("paid, 3", "list")).toEqual(["paid", 3]);
    expect(valueOf("id: bigint\namount: decimal(12,2)\nmost: 3", "mapping")).toEqual({ id: "bigint", amount: "decimal(12,2)", most: 3 });
    expect(valueOf("many", "number")).toBe("many");
    expect(valueOf("  ", "number")).toBeUndefined();
    expect([valueOf("0", "value"), valueOf("2026-01-01", "value"), valueOf("", "value"), valueOf("7", "text")]).toEqual([0, "2026-01-01", undefined, "7"]);
    expect(textOf({ id: "bigint" }, "mapping")).toBe("id: bigint");
    expect(withKey({ type: "range", min: 1 }, "min", undefined)).toEqual({ type: "range" });
  });

  it("keeps what two types have in common, and what no field shows", () => {
    const check = { type: "statistical", statistical_check: "drift", column: "amount", severity: "critical", name: "n", since: "main" };
    expect(withType(checkTypes, check, found({ type: "regex" }))).toEqual({ type: "regex", column: "amount", severity: "critical", name: "n" });
    expect(otherKeys(checkTypes, found(check), check)).toEqual(["since"]);
  });

  it("is told apart by its place", () => {
    expect([indexIn("checks[2].min"), keyIn("checks[2].min"), indexIn("name"), keyIn("checks[2]")]).toEqual([2, "min", undefined, undefined]);
    expect(tiersInWords(["manifests", "manifests", "narrow"])).toBe("from metadata, no scan, a job of its own");
  });
});

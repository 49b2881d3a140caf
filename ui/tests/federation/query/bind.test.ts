import { describe, expect, it } from "vitest";

import { bound, faultOf, namesIn, parametersOf, read, written, type Parameter } from "../../../src/federation/query/bind";

describe("parameters of a query", () => {
  it("are names after a colon, outside texts, comments and casts", () => {
    expect(namesIn("SELECT ':no', x::int, :a -- :b\nWHERE y > :least AND z = :a /* :c */ AND `:d` = \":e\"")).toEqual(["a", "least"]);
  });

  it("keep their value in the address", () => {
    const all: Parameter[] = [
      { name: "city", kind: "text", value: "a=b:c" },
      { name: "least", kind: "number", value: "10" },
      { name: "old", kind: "true or false", value: "true" },
      { name: "none", kind: "null", value: "" },
    ];
    expect(all.map(written)).toEqual(["city=a=b:c", "least:number=10", "old:bool=true", "none:null="]);
    expect(all.map(written).map(read)).toEqual(all);
    expect(read("what is this")).toBeNull();
    expect(parametersOf("SELECT :least, :new", all.map(written))).toEqual([all[1], { name: "new", kind: "text", value: "" }]);
  });

  it("are sent as values", () => {
    expect(bound([{ name: "a", kind: "text", value: "1" }, { name: "b", kind: "number", value: " 1.5" }, { name: "c", kind: "true or false", value: "false" }, { name: "d", kind: "null", value: "x" }])).toEqual({ a: "1", b: 1.5, c: false, d: null });
  });

  it("say what is no number, and what a browser would round", () => {
    const fault = (value: string) => faultOf({ name: "n", kind: "number", value });
    expect([fault("1e3"), fault("-0.5")]).toEqual([null, null]);
    expect([fault(""), fault("1,5"), fault("Infinity")]).toEqual(["Not a number", "Not a number", "Not a number"]);
    expect(fault("9007199254740993")).toContain("Too many digits");
  });
});

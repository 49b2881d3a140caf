import { describe, expect, it } from "vitest";

import { ADDED_HERE, changedHere, changeInWords, connectorName, CONNECTORS, maskInWords, originInWords, rowsInWords } from "../../../src/federation/source/words";
import { crm } from "../../fixtures/federation";

describe("words of a source", () => {
  it("say what has changed", () => {
    expect(changeInWords({ table: "a", column: null, change: "removed", before: null, after: null })).toBe("a is gone");
    expect(changeInWords({ table: "a", column: "b", change: "added", before: null, after: "int" })).toBe("a.b is new");
    expect(changeInWords({ table: "a", column: "b", change: "retyped", before: "int", after: "string" })).toBe("a.b was int and is string");
  });

  it("say what of it is for whom", () => {
    expect(maskInWords({ column: "customers.email", as: "hash", except: ["owners"] })).toBe("customers.email reads as a hash, for all but owners");
    expect(rowsInWords({ table: "customers", filter: "region = 'EU'", for: null, except: [] })).toBe("customers where region = 'EU', for everyone");
  });

  it("say that a database by its driver is read by Spark, and do not offer to add it", () => {
    expect(connectorName("jdbc")).toBe("JDBC, read by Spark alone");
    expect(Object.keys(CONNECTORS).filter((one) => !(ADDED_HERE as readonly string[]).includes(one))).toEqual(["jdbc"]);
  });

  it("say where it is declared, and so where it is changed", () => {
    expect([originInWords(crm), changedHere(crm)]).toEqual(["this page or a request", true]);
    expect([originInWords({ origin: "file", where: "sources/crm.yaml:2" }), changedHere({ origin: "file" })]).toEqual(["sources/crm.yaml:2", false]);
  });
});

import { describe, expect, it } from "vitest";

import { changedHere, changeInWords, createOf, EMPTY, originInWords, patchOf } from "../../../src/federation/source/words";
import { crm } from "../../fixtures/federation";

describe("fields of a source", () => {
  it("are sent where its kind has them", () => {
    expect(createOf({ ...EMPTY, name: " till ", connector: "sqlite", path: "data/till.db", url: "left over", user: "env:X" })).toEqual({
      name: "till",
      connector: "sqlite",
      url: null,
      path: "data/till.db",
      format: null,
      schema: null,
      user: null,
      password: null,
      readers: null,
      hidden: null,
      description: null,
    });
  });

  it("are sent again only where they were changed", () => {
    const fields = { ...EMPTY, name: "crm", connector: "postgresql" as const, url: crm.url ?? "", schema: "public", user: "env:FORGE_SOURCE_CRM", description: "", hidden: ["customers.email"] };
    expect(patchOf(fields, crm)).toEqual({ expected_version: 3, description: null });
  });
});

describe("words of a source", () => {
  it("say what has changed", () => {
    expect(changeInWords({ table: "a", column: null, change: "removed", before: null, after: null })).toBe("a is gone");
    expect(changeInWords({ table: "a", column: "b", change: "added", before: null, after: "int" })).toBe("a.b is new");
    expect(changeInWords({ table: "a", column: "b", change: "retyped", before: "int", after: "string" })).toBe("a.b was int and is string");
  });

  it("say where it is declared, and so where it is changed", () => {
    expect([originInWords(crm), changedHere(crm)]).toEqual(["this page or a request", true]);
    expect([originInWords({ origin: "file", where: "sources/crm.yaml:2" }), changedHere({ origin: "file" })]).toEqual(["sources/crm.yaml:2", false]);
  });
});

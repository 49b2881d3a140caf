import { describe, expect, it } from "vitest";

import type { SchemaChangeView } from "../../../src/api";
import { changesInShort, compareInShort, endInWords, keyInWords, markOf, parseRange, schemaInWords, showRange, sideInWords, takesFor, tallyInShort, tallyOf, valueOf, waitsFor } from "../../../src/versioning/merge/words";
import { verdict } from "../../fixtures/catalog";
import { compared, conflict, fromRecords, mergeView, onRow } from "../../fixtures/merges";

describe("a range in the address", () => {
  it.each([
    ["main...fix-orders", { base: "main", compare: "fix-orders" }],
    ["main..feature/a", { base: "main", compare: "feature/a" }],
    ["fix-orders", { base: "HEAD", compare: "fix-orders" }],
    ["...fix", { base: "HEAD", compare: "fix" }],
  ])("reads %s", (text, range) => {
    expect(parseRange(text)).toEqual(range);
  });

  it("is read as it was written", () => {
    expect(parseRange(showRange({ base: "v1.0", compare: "a.b" }))).toEqual({ base: "v1.0", compare: "a.b" });
  });
});

describe("changes in words", () => {
  it("tells commits, tables, rows and columns in one line", () => {
    expect(compareInShort(compared())).toBe("3 commits · 2 tables · +120 ~48 −3 rows · 1 schema change");
    expect(compareInShort(fromRecords)).toBe("3 commits · 2 tables · 1 schema change");
    expect(compareInShort({ ahead: 1, tables: [] })).toBe("1 commit · 0 tables");
  });

  it("leaves out what is nothing", () => {
    expect(changesInShort({ inserted: 1200, updated: 0, deleted: 3 })).toBe("+1,200 −3");
    expect(changesInShort({})).toBe("");
  });

  it("marks a table by how it would merge, and says where that is not known yet", () => {
    const [orders, refunds] = compared().tables;
    if (orders === undefined || refunds === undefined) throw new Error("two tables");
    expect(markOf(orders, compared())).toEqual({ word: "conflicts", text: "3 conflicts" });
    expect(markOf(refunds, compared())).toEqual({ word: "clean", text: "taken as it is" });
    expect(markOf(orders, fromRecords)).toEqual({ word: "unknown", text: "changed on both sides" });
  });

  it.each<[SchemaChangeView, string, string]>([
    [{ change: "added", column: "note", before: null, after: "note string" }, "+", "column note string"],
    [{ change: "dropped", column: "note", before: "note string", after: null }, "−", "column note string"],
    [{ change: "retyped", column: "amount", before: "int", after: "bigint" }, "~", "column amount retyped: int → bigint"],
    [{ change: "required", column: "id", before: null, after: null }, "~", "column id is required"],
  ])("%#", (change, sign, text) => {
    expect(schemaInWords(change)).toEqual({ sign, text });
  });
});

describe("conflicts in words", () => {
  it("shows cells as they are, and of rows what became of them", () => {
    expect((["base", "ours", "theirs"] as const).map((side) => sideInWords(conflict("x"), side))).toEqual(["12.00", "12.50", "13.00"]);
    expect((["base", "ours", "theirs"] as const).map((side) => sideInWords(onRow, side))).toEqual(["exists", "deleted", "amount=9.10"]);
    expect(sideInWords(conflict("x", { kind: "column_dropped_modified", ours: null }), "ours")).toBe("dropped");
    expect(sideInWords(conflict("x", { ours: null }), "ours")).toBe("NULL");
    expect(sideInWords(conflict("x", { kind: "cardinality", ours: 2 }), "ours")).toBe("2 times");
  });

  it("names the row by its key, short where it has one column", () => {
    expect(keyInWords(conflict("x"))).toBe("10017");
    expect(keyInWords(conflict("x", { key: { country: "DE", day: "2026-11-14" } }))).toBe("country=DE, day=2026-11-14");
    expect(keyInWords(conflict("x", { key: null }))).toBe("schema");
  });

  it("offers the answers that make sense", () => {
    expect(takesFor(conflict("x"))).toEqual(["ours", "theirs", "base", "manual"]);
    expect(takesFor(onRow)).toEqual(["ours", "theirs", "base"]);
    expect(takesFor(conflict("x", { kind: "add_add" }))).not.toContain("base");
    expect(takesFor(conflict("x", { kind: "schema_change" }))).toEqual(["ours", "theirs"]);
  });

  it("sends a typed value in the type of the others", () => {
    expect(valueOf("12.75", { base: 1, ours: null, theirs: 2 })).toBe(12.75);
    expect(valueOf("12.75", { base: "1.00", ours: null, theirs: null })).toBe("12.75");
    expect(valueOf("true", { base: null, ours: false, theirs: null })).toBe(true);
    expect(valueOf("NULL", { base: "a", ours: "b", theirs: "c" })).toBeNull();
    expect(valueOf("[1]", { base: [2], ours: null, theirs: null })).toEqual([1]);
  });
});

describe("merges in words", () => {
  it.each([
    [{ status: "conflicted" as const, resolved_count: 1 }, "2 conflicts"],
    [{ status: "conflicted" as const, resolved_count: 3 }, "all conflicts resolved"],
    [{ status: "pending" as const }, "waits for approval"],
    [{ status: "blocked" as const }, "held back by its checks"],
  ])("%#", (more, words) => {
    expect(waitsFor(mergeView(more))).toBe(words);
  });

  it("counts the checks on the result", () => {
    expect(tallyInShort(tallyOf([verdict(), verdict(), verdict({ outcome: "failed" })]))).toBe("2 ✓ 1 ✗");
    expect(tallyInShort(tallyOf([verdict({ outcome: "not measured" })]))).toBe("0 ✓ 0 ✗ 1 ?");
  });

  it("says how it ended", () => {
    const end = { mergeId: null, commit: "a".repeat(64), conflicts: 0 };
    expect(endInWords({ ...end, type: "three_way" }, "main").title).toBe("Merged as aaaaaaaaaaaa");
    expect(endInWords({ ...end, type: "up_to_date" }, "main").title).toBe("Already up to date");
  });
});

import { beforeEach, describe, expect, it } from "vitest";

import { forget, remember, remembered, withAsked, type Asked } from "../../../src/federation/query/past";

const asked = (sql: string, more: Partial<Asked> = {}): Asked => ({ sql, parameters: [], time: "2026-11-15T06:10:00Z", rows: 1, ms: 5, engine: "in-process", code: null, ...more });

describe("what was asked before", () => {
  beforeEach(() => localStorage.clear());

  it("is kept for each person, newest first, each text once", () => {
    remember("ada", asked("SELECT 1"));
    remember("ada", asked("SELECT 2"));
    remember("ada", asked(" SELECT 1 ", { rows: 7 }));
    expect(remembered("ada").map(({ sql, rows }) => [sql.trim(), rows])).toEqual([["SELECT 1", 7], ["SELECT 2", 1]]);
    expect(remembered("bob")).toEqual([]);
    forget("ada");
    expect(remembered("ada")).toEqual([]);
  });

  it("does not grow without end", () => {
    let kept: Asked[] = [];
    for (let number = 0; number < 150; number += 1) kept = withAsked(kept, asked(`SELECT ${number}`));
    expect([kept.length, kept[0]?.sql]).toEqual([100, "SELECT 149"]);
    expect(withAsked(kept, asked("x".repeat(30_000)))).toHaveLength(100);
  });

  it("survives what is not its own", () => {
    localStorage.setItem("forge.queries.ada", "{not json");
    expect(remembered("ada")).toEqual([]);
    localStorage.setItem("forge.queries.ada", '[1, {"sql": 3}, null]');
    expect(remembered("ada")).toEqual([]);
  });
});

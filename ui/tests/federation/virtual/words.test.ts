import { describe, expect, it } from "vitest";

import { cacheInWords, changedElsewhere, faultOfName, faultOfSeconds, fieldsOf, patchOf, readBy, readersInWords, relationOf, replacing } from "../../../src/federation/virtual/words";
import { bought, people } from "../../fixtures/federation";

describe("a virtual table", () => {
  it("is told in words", () => {
    expect(people.sources?.map(relationOf)).toEqual(["crm.customers"]);
    expect(bought.sources?.map(relationOf)).toEqual(["core.orders", "virtual.people"]);
    expect([cacheInWords(people), cacheInWords(bought)]).toEqual(["kept up to 1 h", "never kept"]);
    expect([readersInWords(people), readersInWords(bought), readersInWords({ readers: null })]).toEqual(["ada@example.com", "whoever may read its sources", "told to tokens that may write"]);
    expect([changedElsewhere(people), changedElsewhere(bought)]).toEqual([null, "It is declared in virtual_tables/a.yaml:2: change it there."]);
    expect(changedElsewhere({ ...people, origin: "command" })).toContain("`forge vtable edit people`");
  });

  it("is found by what it reads; what is not told is not found", () => {
    expect(readBy([people, bought], "virtual", "PEOPLE")).toEqual(["bought"]);
    expect(readBy([people, bought], "crm")).toEqual(["people"]);
    expect(readBy([{ ...people, sources: null }], "crm")).toEqual([]);
  });

  it("is changed with what differs, at the version that was seen", () => {
    const fields = { ...fieldsOf(people), cached: false, filters: " c.id > 0 \n\n c.town IS NOT NULL" };
    expect(patchOf(fields, people)).toEqual({ expected_version: 4, cache_enabled: false, default_filters: ["c.id > 0", "c.town IS NOT NULL"] });
    expect(patchOf(fieldsOf(people), people)).toEqual({ expected_version: 4 });
  });

  it("keeps what SQL does not say when its SELECT is another one", () => {
    const column = { name: "ID", data_type: "bigint", source_column: "c.id", expression: "", nullable: true };
    const found = replacing({ sources: [], joins: [], default_filters: [], columns: [column, { ...column, name: "other" }] }, people);
    expect(found.columns?.map(({ nullable }) => nullable)).toEqual([false, true]);
    expect(found.expected_version).toBe(4);
  });

  it.each([
    ["60", null],
    ["", "Whole seconds, at most a year"],
    ["1.5", "Whole seconds, at most a year"],
    ["99999999", "Whole seconds, at most a year"],
  ])("is kept for %s seconds: %s", (text, fault) => expect(faultOfSeconds(text)).toBe(fault));

  it.each([
    ["people_2", true],
    ["2_people", false],
    ["people; DROP", false],
    ["", false],
  ])("may be called %s: %s", (name, may) => expect(faultOfName(name) === null).toBe(may));
});

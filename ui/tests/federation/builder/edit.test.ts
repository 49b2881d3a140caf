import { describe, expect, it } from "vitest";

import { aliasFor, EMPTY, extraGroups, gapOf, isComplete, isSound, kindOf, suggestions, withColumns, withOperator, withoutTable, withTable, withTableAt, written, type Choice, type Condition, type Query, type Term } from "../../../src/federation/builder/edit";

const term = (table: string, column: string, aggregate: Term["aggregate"] = null): Term => ({ table, column, aggregate });
const choice = (table: string, column: string): Choice => ({ term: term(table, column), type: "bigint" });
const is = (of: Term, text: string): Condition => ({ term: of, operator: "=", values: [{ kind: "text", text }] });

const joined: Query = {
  ...EMPTY,
  tables: [
    { path: ["core", "orders"], alias: "o", join: null, on: [] },
    { path: ["crm", "customers"], alias: "c", join: "left", on: [{ left: term("o", "customer_id"), right: term("c", "id") }] },
  ],
  columns: [
    { term: term("c", "city"), alias: "" },
    { term: term("o", "amount"), alias: "amount" },
  ],
  where: { connective: "and", groups: [[is(term("c", "city"), "London"), is(term("o", "state"), "paid")], [is(term("c", "city"), "Paris")]] },
  order_by: [{ term: term("c", "city"), descending: false }],
};

describe("tables of a query", () => {
  it("have short names of their own", () => {
    expect(aliasFor(["core", "order_lines"], [])).toBe("ol");
    expect(aliasFor(["core", "orders"], ["o", "O2"])).toBe("o3");
    expect(aliasFor(["core", "日本"], [])).toBe("t");
    expect(withTable(withTable(EMPTY, ["core", "orders"]), ["core", "offers"]).tables).toEqual([
      { path: ["core", "orders"], alias: "o", join: null, on: [] },
      { path: ["core", "offers"], alias: "o2", join: "inner", on: [] },
    ]);
  });

  it("keep what is said of them when they are called otherwise", () => {
    const renamed = withTableAt(joined, 1, { alias: "" });
    expect(renamed.columns[0]?.term.table).toBe("customers");
    expect(renamed.tables[1]?.on[0]).toEqual({ left: term("o", "customer_id"), right: term("customers", "id") });
    expect(renamed.where.groups.map((group) => group.map((one) => one.term.table))).toEqual([["customers", "o"], ["customers"]]);
  });

  it("take with them what was said of them", () => {
    const left = withoutTable(joined, 1);
    expect(left.columns).toEqual([{ term: term("o", "amount"), alias: "amount" }]);
    expect(left.where.groups).toEqual([[is(term("o", "state"), "paid")]]);
    expect(left.order_by).toEqual([]);
    expect(withoutTable(joined, 0).tables).toEqual([{ path: ["crm", "customers"], alias: "c", join: null, on: [] }]);
    expect(withoutTable(left, 0)).toEqual(EMPTY);
  });

  it("are joined on columns of one name, keys first", () => {
    const found = suggestions([choice("o", "city"), choice("o", "Customer_ID")], [choice("c", "city"), choice("c", "customer_id"), choice("c", "email")]);
    expect(found.map(({ left, right }) => [left.column, right.column])).toEqual([
      ["Customer_ID", "customer_id"],
      ["city", "city"],
    ]);
  });

  it("are written once each is joined", () => {
    expect(gapOf(EMPTY)).toBe("Choose a table.");
    const loose = withTableAt(joined, 1, { on: [{ left: term("", ""), right: term("c", "id") }] });
    expect(gapOf(loose)).toBe("Say which columns join c to the tables before it.");
    expect(written(loose)).toBeNull();
  });
});

describe("columns of a query", () => {
  const sum = { term: term("o", "amount", "sum"), alias: "total" };
  const city = { term: term("c", "city"), alias: "" };

  it("are what the others are added up by", () => {
    expect(withColumns(joined, [city, sum]).group_by).toEqual([city.term]);
    expect(withColumns({ ...joined, columns: [city, sum], group_by: [city.term, term("o", "day")] }, [sum]).group_by).toEqual([term("o", "day")]);
    expect(withColumns({ ...joined, columns: [city, sum], group_by: [city.term] }, [city]).group_by).toEqual([]);
  });

  it("stay grouped where the query was, without anything added up", () => {
    const grouped = { ...joined, columns: [city], group_by: [city.term] };
    expect(withColumns(grouped, [city, { term: term("o", "day"), alias: "" }]).group_by).toEqual([city.term, term("o", "day")]);
    expect(extraGroups({ ...grouped, group_by: [city.term, term("o", "day")] })).toEqual([term("o", "day")]);
  });
});

describe("conditions of a query", () => {
  it("are complete with the values that their operator needs", () => {
    const one = is(term("c", "city"), "");
    expect(isComplete(one)).toBe(true);
    expect(isComplete({ ...one, values: [] })).toBe(false);
    expect(isComplete({ ...one, term: term("", "") })).toBe(false);
    expect(isComplete({ ...one, operator: "between" })).toBe(false);
    expect(isComplete({ ...one, operator: "not in" })).toBe(true);
    expect(isComplete(withOperator(one, "is not null"))).toBe(true);
    expect(isComplete({ ...one, values: [{ kind: "number", text: "1 OR 1=1" }] })).toBe(false);
    expect(isComplete({ term: term("", "", "count"), operator: ">", values: [{ kind: "number", text: "3" }] })).toBe(true);
  });

  it("have values of the kind of their column", () => {
    expect(["decimal(12,2)", "INT", "timestamp_ntz", "date", "boolean", "string", "array<int>", undefined].map(kindOf)).toEqual(["number", "number", "timestamp", "date", "boolean", "text", "text", "text"]);
    expect(isSound({ kind: "number", text: "-1.5e3" })).toBe(true);
    expect(isSound({ kind: "number", text: "" })).toBe(false);
    expect(isSound({ kind: "date", text: "19.11.2026" })).toBe(false);
    expect(isSound({ kind: "parameter", text: "a b" })).toBe(false);
    expect(isSound({ kind: "text", text: "' OR 1=1" })).toBe(true);
  });

  it("are left out until they are complete", () => {
    const half = { ...is(term("c", "city"), "x"), values: [] };
    expect(written({ ...joined, where: { connective: "or", groups: [[half], [half, is(term("c", "city"), "x")]] } })?.where.groups).toEqual([[is(term("c", "city"), "x")]]);
  });
});

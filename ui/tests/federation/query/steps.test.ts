import { describe, expect, it } from "vitest";

import { nodeOf, placeOf, plainSql, stepName } from "../../../src/federation/query/steps";

describe("a plan", () => {
  it("is read whatever is missing of it", () => {
    const tree = nodeOf({ type: "aggregate", why: "it needs rows of several fragments", children: [{ type: "scan", source: "crm", pushed: true, rows: 20, rows_read: 3, relations: ["crm.customers"], limit: 5 }, "odd"] });
    expect(tree).toMatchObject({ pushed: false, rows: null, children: [{ source: "crm", pushed: true, rows: 20, rowsRead: 3, limit: "5" }] });
    expect([stepName(tree), stepName(nodeOf({ type: "strange" }))]).toEqual(["Aggregate", "strange"]);
  });

  it("has names as people write them", () => expect(plainSql("UPPER(`c`.`city`) = `odd name`")).toBe("UPPER(c.city) = `odd name`"));

  it("knows where a problem lies", () => {
    expect([placeOf("query:2:19"), placeOf("query:3"), placeOf("query"), placeOf(null)]).toEqual([{ line: 2, column: 19 }, { line: 3, column: 1 }, null, null]);
  });
});

import { describe, expect, it } from "vitest";

import { meantBy, partsIn, placeAt, relationsIn } from "../../../src/federation/query/complete";

/** The place at the bar. */
function at(text: string) {
  const position = text.indexOf("|");
  return placeAt(text.replace("|", ""), position);
}

describe("the place in a query", () => {
  it("wants a relation after FROM, JOIN and their commas, and a column elsewhere", () => {
    expect(at("SELECT * FROM co|")?.wanted).toBe("relation");
    expect(at("SELECT * FROM a, co|")?.wanted).toBe("relation");
    expect(at("SELECT * FROM a LEFT JOIN |")?.wanted).toBe("relation");
    expect(at("SELECT am|")?.wanted).toBe("column");
    expect(at("SELECT * FROM a WHERE x|")?.wanted).toBe("column");
    expect(at("SELECT * FROM a JOIN b ON a.id = |")?.wanted).toBe("column");
    expect(at("SELECT sum(|")?.wanted).toBe("column");
  });

  it("is not deceived by a subquery that has ended", () => {
    expect(at("SELECT (SELECT max(x) FROM a), y|")?.wanted).toBe("column");
    expect(at("SELECT * FROM (SELECT * FROM a WHERE x = 1) t, |")?.wanted).toBe("relation");
  });

  it("knows what stands before the last dot, quoted or not", () => {
    expect(at("SELECT * FROM crm.public.cu|")).toEqual({ from: 25, path: ["crm", "public"], wanted: "relation" });
    expect(at("SELECT `odd name`.co|")?.path).toEqual(["odd name"]);
    expect(at("SELECT c.|")).toEqual({ from: 9, path: ["c"], wanted: "column" });
  });

  it("is none within a text, a comment, a number or a parameter", () => {
    for (const text of ["SELECT 'it is fro|", "SELECT 1 -- from |x".replace("|x", "|"), "SELECT 12|", "SELECT :na|", 'SELECT "te|']) expect(at(text)).toBeNull();
  });
});

describe("relations of a query", () => {
  it("are found with their aliases wherever they stand", () => {
    expect(relationsIn("SELECT * FROM core.orders o JOIN crm.customers AS c ON o.x = c.y, t WHERE 1=1")).toEqual([
      { path: ["core", "orders"], alias: "o" },
      { path: ["crm", "customers"], alias: "c" },
    ]);
    expect(relationsIn("select a from x, y z where a in (select b from `my table`)")).toEqual([
      { path: ["x"], alias: null },
      { path: ["y"], alias: "z" },
      { path: ["my table"], alias: null },
    ]);
    expect(relationsIn("SELECT * FROM /* not b */ a -- FROM c")).toEqual([{ path: ["a"], alias: null }]);
    expect(relationsIn("SELECT FROM WHERE")).toEqual([]);
  });

  it("are meant by alias, by the end of their name, or by all of it", () => {
    const all = relationsIn("SELECT 1 FROM core.orders o JOIN crm.customers JOIN core.items i");
    expect(meantBy(["O"], all)?.path).toEqual(["core", "orders"]);
    expect(meantBy(["customers"], all)?.path).toEqual(["crm", "customers"]);
    expect(meantBy(["core", "items"], all)?.alias).toBe("i");
    expect(meantBy(["nothing"], all)).toBeUndefined();
  });

  it("may be parts of WITH", () => expect(partsIn("WITH a AS (SELECT 1), b AS (SELECT x AS y FROM a) SELECT * FROM b")).toEqual(["a", "b"]));
});

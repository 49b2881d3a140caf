import { expect, it } from "vitest";

import { isTableName, notesOn, pathOf, transformOf } from "../../../src/federation/query/transform";

it("is a file with the header of transforms", () => {
  expect(transformOf("\nSELECT 1 AS one;\n", "marts.one")).toBe("/* forge\noutput: marts.one\nkind: full\n*/\nSELECT 1 AS one\n");
  expect(pathOf("marts.one")).toBe("transforms/marts/one.sql");
});

it("takes no name that would end its comment, or leave its folder", () => {
  expect(["marts.one", "M_1.o_2"].every(isTableName)).toBe(true);
  expect(["one", "a.b.c", "a.b */", "../a.b", "a.b\nkind: view", "a-b.c", ".b", "a.", ""].some(isTableName)).toBe(false);
});

it("says what a run of the project does not have", () => {
  const notes = notesOn("SELECT * FROM CRM.customers c JOIN core.orders o ON o.id = c.id JOIN virtual.v ON v.id = o.id WHERE day > :since AND city = 'FROM till.x'", ["crm", "till"]);
  expect(notes).toHaveLength(3);
  expect(notes[0]).toContain("CRM.customers is not a table of the lake");
  expect(notes[1]).toContain("virtual.v");
  expect(notes[2]).toBe(":since: declare it under params in forge.yaml, with a type.");
});

import { describe, expect, it } from "vitest";

import { cellText, csvOf, tabbed } from "../../../src/federation/query/sheet";

const column = (name: string) => ({ name, type: "string", masked: false });
const result = { columns: [column("a"), column('b "q"')], rows: [["x,y", null], ["", 'say "hi"\nthere'], [1.5, { k: [1] }]] };

describe("a result for other programs", () => {
  it("is CSV in which NULL and an empty text differ", () => {
    expect(csvOf(result)).toBe('a,"b ""q"""\r\n"x,y",\r\n"","say ""hi""\nthere"\r\n1.5,"{""k"":[1]}"\r\n');
  });

  it("is rows of cells for the clipboard", () => expect(tabbed(result)).toBe('a\tb "q"\nx,y\t\n\tsay "hi" there\n1.5\t{"k":[1]}'));

  it("has a text for each value", () => expect([true, 0, null, undefined, "0.10"].map(cellText)).toEqual(["true", "0", null, null, "0.10"]));

  it("gives a spreadsheet no formula of somebody else, and leaves numbers", () => {
    const evil = "=HYPERLINK(\"http://x\",\"y\")";
    const found = { columns: [{ name: "+a", type: "string", masked: false }], rows: [[evil], ["@SUM(1)"], ["-1+cmd|'/c calc'!A0"], ["\t=1"], ["＝1"], ["-12.50"], [-3], ["-1e5"], ["a=b"]] };
    expect(csvOf(found).split("\r\n")).toEqual(["'+a", `"'${evil.replaceAll('"', '""')}"`, "'@SUM(1)", "'-1+cmd|'/c calc'!A0", "'\t=1", "'＝1", "-12.50", "-3", "-1e5", "a=b", ""]);
    expect(tabbed(found).split("\n")).toEqual(["'+a", `'${evil}`, "'@SUM(1)", "'-1+cmd|'/c calc'!A0", "' =1", "'＝1", "-12.50", "-3", "-1e5", "a=b"]);
  });
});

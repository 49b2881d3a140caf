import { describe, expect, it } from "vitest";

import { drawSvg } from "../../../src/lineage/graph/drawing";
import { layOut } from "../../../src/lineage/graph/layout";
import { writeCsv } from "../../../src/lineage/graph/sheet";
import { sortLinks } from "../../../src/lineage/graph/sorting";
import { edge, graphOf, hub } from "../../fixtures/lineage";

const words = { title: "Lineage of core.orders.amount", about: "now", root: "core.orders.amount" };
const graph = graphOf("core.orders.amount", [
  edge("raw.orders.amount", "core.orders.amount", { transformation: "transformation", relationship: "transformed", expression: `if(a < 1 & b > "2", 'x', a)` }),
  edge("core.orders.amount", "marts.daily.total", { transformation: "aggregation", relationship: "aggregated", expression: "sum(amount)", confidence: 0.95, level: "high" }),
]);
const picture = layOut(graph);

function parsed(svg: string): Document {
  const found = new DOMParser().parseFromString(svg, "image/svg+xml");
  expect(found.querySelector("parsererror")).toBeNull();
  return found;
}

/** Reads one CSV as RFC 4180 has it. */
function readCsv(text: string): string[][] {
  const rows: string[][] = [[]];
  for (const [, quoted, plain = "", end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|$)/g)) {
    if (end === "" && plain === "" && quoted === undefined) break;
    rows.at(-1)?.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (end === "\r\n") rows.push([]);
  }
  return rows.filter((row) => row.length > 0);
}

describe("the SVG", () => {
  it("is well-formed whatever the names and expressions hold, and has all cards and lines", () => {
    const svg = parsed(drawSvg(picture, { ...words, title: "<b> & \u0001 \"quoted\"" }));
    expect(svg.querySelectorAll("rect.card")).toHaveLength(picture.cards.length);
    expect(svg.querySelectorAll("path.edge")).toHaveLength(picture.links.length);
    expect([...svg.querySelectorAll("title")].map((one) => one.textContent)).toContain(
      `raw.orders.amount → core.orders.amount: if(a < 1 & b > "2", 'x', a) (certain, 1.00)`,
    );
  });

  it("loads nothing from anywhere", () => {
    const svg = drawSvg(picture, words).replace('xmlns="http://www.w3.org/2000/svg"', "");
    expect(svg).not.toMatch(/https?:|url\(|<image|<script|@import|href=/);
  });

  it("is the picture that is shown: pruned, and it says what it leaves out", () => {
    const large = layOut(hub(150));
    const svg = parsed(drawSvg(large, words));
    expect(svg.querySelectorAll("rect.card")).toHaveLength(large.cards.length);
    expect(svg.documentElement.textContent).toMatch(/⋯ \d+ hidden downstream/);
  });

  it("holds every card within its bounds", () => {
    const svg = parsed(drawSvg(picture, words)).documentElement;
    const [, , width = 0, height = 0] = (svg.getAttribute("viewBox") ?? "").split(" ").map(Number);
    for (const card of svg.querySelectorAll("rect.card")) {
      const at = (name: string): number => Number(card.getAttribute(name));
      expect(at("x") + at("width")).toBeLessThanOrEqual(width);
      expect(at("y") + at("height")).toBeLessThanOrEqual(height);
    }
  });
});

describe("the CSV", () => {
  it("has a row for each edge, and gives back what it was given", () => {
    const [heads = [], ...rows] = readCsv(writeCsv(picture.links));
    expect(rows).toHaveLength(2);
    const first = Object.fromEntries(heads.map((head, index) => [head, rows.find((row) => row[0] === "raw.orders.amount")?.[index]]));
    expect(first).toMatchObject({ target: "core.orders.amount", expression: `if(a < 1 & b > "2", 'x', a)`, confidence: "1", level: "certain", masking: "false" });
  });

  it("has all edges of a line that stands for several", () => {
    const closed = layOut(graphOf("b.t.x", [edge("a.t.x", "b.t.x"), edge("a.t.y", "b.t.y")]), { choice: { columns: new Map([["a.t", "none"], ["b.t", "none"]]), near: new Map() } });
    expect(closed.links).toHaveLength(1);
    expect(readCsv(writeCsv(closed.links))).toHaveLength(3);
  });

  it("gives a spreadsheet nothing to execute", () => {
    const evil = layOut(graphOf("b.t.x", [edge("a.t.x", "b.t.x", { expression: `=HYPERLINK("x","y")` })]));
    expect(readCsv(writeCsv(evil.links))[1]).toContain(`'=HYPERLINK("x","y")`);
  });
});

it("the table can be sorted by each of its columns, both ways, and never loses a row", () => {
  const by = (key: "source" | "confidence", down: boolean) => sortLinks(picture.links, { by: key, down }).map((link) => link.source);
  expect(by("source", false)).toEqual(["core.orders.amount", "raw.orders.amount"]);
  expect(by("source", true)).toEqual(["raw.orders.amount", "core.orders.amount"]);
  expect(by("confidence", false)).toEqual(["core.orders.amount", "raw.orders.amount"]);
});

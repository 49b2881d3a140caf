import { describe, expect, it } from "vitest";

import type { TermView } from "../../../src/api";
import { bodyOf, byDomain, EMPTY, fieldsOf, termsMeant } from "../../../src/catalog/glossary/words";

function term(name: string, domain: string): TermView {
  return { id: name, name, domain, definition: "", synonyms: [], related: [], examples: ["1", "2"], owner: null, state: "draft", version: 1, created_at: null, updated_at: null, updated_by: "", file: null };
}

describe("terms", () => {
  it("stand by domain, those without one last", () => {
    const groups = byDomain([term("b", ""), term("z", "sales"), term("a", "sales"), term("c", "people")]);
    expect(groups.map((group) => [group.domain, group.terms.map((one) => one.name)])).toEqual([
      ["people", ["c"]],
      ["sales", ["a", "z"]],
      ["", ["b"]],
    ]);
  });

  it("are meant by an id, or by a name however it is written", () => {
    const terms = [{ ...term("Net revenue", "sales"), id: "sales.net-revenue" }, { ...term("Basket", "sales"), id: "sales.basket" }, { ...term("basket", "web"), id: "web.basket" }];
    const meant = (said: string) => termsMeant(terms, said).map((one) => one.id);
    expect(["sales.net-revenue", "Net revenue", "net_revenue", "NetRevenue"].map(meant)).toEqual(Array(4).fill(["sales.net-revenue"]));
    expect(meant("Basket")).toEqual(["sales.basket", "web.basket"]);
    expect([meant("web.basket"), meant("revenue")]).toEqual([["web.basket"], []]);
  });

  it("go into fields and come back as they were", () => {
    const { name, domain, definition, synonyms, related, examples, owner, state } = term("Net revenue", "sales");
    expect(bodyOf(fieldsOf(term("Net revenue", "sales")))).toEqual({ name, domain, definition, synonyms, related, examples, owner, state });
    expect(bodyOf({ ...EMPTY, name: " Order ", examples: " 1 \n\n2", owner: " " })).toMatchObject({ name: "Order", examples: ["1", "2"], owner: null });
  });
});

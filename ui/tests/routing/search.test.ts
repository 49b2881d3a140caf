import { describe, expect, it } from "vitest";

import { oneOf, parseSearch, stringifySearch, text, texts, whole } from "../../src/routing/search";

describe("the address", () => {
  it("keeps texts as texts: a commit of digits only is no number", () => {
    expect(text(parseSearch("?at=590301234567"), "at")).toBe("590301234567");
  });

  it("repeats lists and leaves out what is empty", () => {
    expect(stringifySearch({ tags: ["gold", "pii"], q: "", at: undefined, depth: 3 })).toBe("?tags=gold&tags=pii&depth=3");
    expect(texts(parseSearch("?tags=gold&tags=pii"), "tags")).toEqual(["gold", "pii"]);
    expect(stringifySearch({})).toBe("");
  });

  it("stays readable and comes back the same", () => {
    const search = { root: "core.orders.amount", at: "main@2026-11-14T06:10", branch: "feature/a&b" };
    const written = stringifySearch(search);
    expect(written).toContain("at=main@2026-11-14T06:10");
    expect(parseSearch(written)).toEqual(search);
  });

  it("drops what makes no sense", () => {
    expect(whole({ depth: "0" }, "depth", 1, 50)).toBeUndefined();
    expect(whole({ depth: "abc" }, "depth", 1, 50)).toBeUndefined();
    expect(whole({ depth: "7" }, "depth", 1, 50)).toBe(7);
    expect(oneOf({ direction: "sideways" }, "direction", ["upstream", "both"])).toBeUndefined();
  });
});

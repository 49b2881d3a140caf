import { describe, expect, it } from "vitest";

import { branchNameFor, parseTableAt, shortCommit, showTableAt } from "../src/parts/refs";
import { oneOf, parseSearch, stringifySearch, text, texts, whole } from "../src/search";

const COMMIT = "595bd9d1a74fbf64d0b6ccaa1549f3f46eaeca9e6268e0038f7568c72801ac12";

describe("references", () => {
  it.each([
    ["core.orders", { table: "core.orders", at: "HEAD" }],
    ["core.orders@HEAD~2", { table: "core.orders", at: "HEAD~2" }],
    ["core.orders@", { table: "core.orders", at: "HEAD" }],
    ["core.orders@feature/a", { table: "core.orders", at: "feature/a" }],
  ])("%s is read", (given, found) => expect(parseTableAt(given)).toEqual(found));

  it("a whole commit is shown by its first twelve characters, other revisions as they are", () => {
    expect(shortCommit(COMMIT)).toBe("595bd9d1a74f");
    expect(shortCommit("feature/deadbeefdeadbeef")).toBe("feature/deadbeefdeadbeef");
    expect(showTableAt({ table: "core.orders", at: COMMIT })).toBe("core.orders@595bd9d1a74f");
    expect(showTableAt({ table: "core.orders", at: "HEAD" })).toBe("core.orders");
  });

  it.each([
    ["core.orders", "amount", "fix-orders-amount"],
    ["core.orders", null, "fix-orders"],
    ["raw.Web Events", "user id", "fix-web-events-user-id"],
  ])("a branch for %s %s is called %s", (table, column, name) => expect(branchNameFor(table, column)).toBe(name));
});

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

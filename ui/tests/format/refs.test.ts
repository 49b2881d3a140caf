import { describe, expect, it } from "vitest";

import { branchNameFor, parseTableAt, shortCommit, showTableAt } from "../../src/format/refs";

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

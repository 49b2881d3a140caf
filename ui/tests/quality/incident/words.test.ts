import { describe, expect, it } from "vitest";

import { deliveredIn, readersOf, viewsBetween } from "../../../src/quality/incident/words";
import { incident } from "../../fixtures/overview";

describe("where it was delivered", () => {
  const [worst] = incident.incidents;
  if (worst === undefined) throw new Error("the fixture has no incident");

  it("is told only of what the same run published", () => {
    expect(deliveredIn(worst)).toBe("raw.orders");
    expect(deliveredIn({ ...worst, run_id: "r_other" })).toBeNull();
    expect(deliveredIn({ ...worst, origin: null })).toBeNull();
    expect(deliveredIn({ ...worst, origin: "files:data/orders/*.csv.amount" })).toBeNull();
  });

  it("names the views on the way, and no others", () => {
    expect(viewsBetween(incident.picture, worst)).toEqual(["staging.orders"]);
    expect(viewsBetween(incident.picture, { ...worst, origin: worst.table, column: null })).toEqual([]);
    expect(viewsBetween(null, worst)).toEqual([]);
  });

  it.each([
    [["core.orders", "a.b"], "Readers of core.orders and 1 more table"],
    [[], "Readers of core.orders"],
  ])("readers of %o", (held, words) => expect(readersOf({ table: "core.orders", held_back: held })).toBe(words));
});

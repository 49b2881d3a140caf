import { describe, expect, it } from "vitest";

import { onlyInherited, originOf, promisedIn } from "../../src/contracts/terms";
import { effective } from "../fixtures/contracts";

describe("what is promised", () => {
  const { effective: document, origins } = effective();
  const own = (origin: string | null): boolean => origin === null;

  it("is read by table and column, fields of a struct below it", () => {
    const [table] = promisedIn(document, origins).tables;
    expect(table?.table).toBe("core.orders");
    expect(table?.columns.map(({ name, depth, type }) => [name, depth, type])).toEqual([
      ["order_id", 0, "integer · bigint"],
      ["country", 0, "string"],
      ["email", 0, "string"],
      ["amount", 0, "number · decimal(12,2)"],
      ["address", 0, "object"],
      ["city", 1, "string"],
      ["lines", 1, "array"],
      ["each element", 2, "string"],
    ]);
    expect(table?.columns[0]?.said.map(({ word }) => word)).toEqual(["key", "required"]);
    expect(table?.columns[3]?.said.map(({ word, text }) => `${word} ${text}`)).toEqual(["at least 0", "check null values = 0"]);
  });

  it("has an origin: its own, or that of what it stands in", () => {
    expect(originOf("schema[0].properties[2].classification", origins)).toBe("shop-enterprise");
    expect(originOf("slaProperties[1].value", origins)).toBe("shop-enterprise");
    expect(originOf("schema[0].properties[0].required", origins)).toBeNull();
    expect(originOf("schema[0].quality[10]", { "schema[0].quality[1]": "a" })).toBeNull();
  });

  it("can be cut to what is inherited", () => {
    const { tables, services } = onlyInherited(promisedIn(document, origins), own);
    expect(services.map(({ word, text }) => [word, text])).toEqual([["retention", "10 y"]]);
    expect(tables.map((one) => [one.columns.map(({ name, said }) => [name, said.length]), one.rules.length])).toEqual([[[["email", 1]], 1]]);
    expect(onlyInherited(promisedIn(document, {}), own)).toEqual({ tables: [], services: [] });
  });

  it("is nothing where the document is odd", () => {
    expect(promisedIn({ schema: "none", slaProperties: [null, 3] }, {})).toEqual({ tables: [], services: [] });
    expect(promisedIn({ schema: [{ name: "a", properties: [null] }] }, {}).tables[0]?.columns).toEqual([]);
  });

  it("says service levels with what they are about", () => {
    expect(promisedIn(document, origins).services[0]?.text).toBe("1 d (orders.ordered_at, analytics)");
    expect(promisedIn({ slaProperties: [{ property: "timeOfAvailability", value: "09:00", valueExt: "17:00" }] }, {}).services[0]?.text).toBe("09:00 … 17:00");
  });
});

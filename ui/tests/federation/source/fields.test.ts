import { describe, expect, it } from "vitest";

import { createOf, EMPTY, faultOfTables, fieldsFrom, lacking, patchOf } from "../../../src/federation/source/fields";
import { selectOf } from "../../../src/federation/query/sql";
import { crm, customers } from "../../fixtures/federation";

describe("a source of files", () => {
  it("is the table itself", () => {
    expect(selectOf("rates", { table: "", columns: customers.columns })).toBe("SELECT id, city\nFROM rates\nLIMIT 100");
  });
});

describe("fields of a source", () => {
  it("are sent where its kind has them", () => {
    expect(createOf({ ...EMPTY, name: " till ", connector: "sqlite", path: "data/till.db", url: "left over", user: "env:X" })).toEqual({
      name: "till",
      connector: "sqlite",
      url: null,
      path: "data/till.db",
      format: null,
      columns: null,
      tables: null,
      schema: null,
      user: null,
      password: null,
      options: null,
      readers: null,
      hidden: null,
      masks: null,
      rows: null,
      description: null,
      cache_ttl_seconds: null,
    });
  });

  it("are sent again only where they were changed", () => {
    const fields = { ...EMPTY, name: "crm", connector: "postgresql" as const, url: crm.url ?? "", schema: "public", user: "env:FORGE_SOURCE_CRM", description: "", hidden: ["customers.email"], cacheSeconds: "60" };
    expect(patchOf(fields, crm)).toEqual({ expected_version: 3, description: null });
  });

  it("name the columns of CSV and JSON files, which do not say them", () => {
    const rates = { ...EMPTY, name: "rates", connector: "files" as const, path: "data/rates/*.csv" };
    expect(lacking(rates)).toMatch(/columns/);
    expect(lacking({ ...rates, format: "parquet" })).toBeNull();
    const told = { ...rates, columns: [{ name: "day", value: "date" }, { name: " city ", value: "" }, { name: "", value: "int" }], options: [{ name: "header", value: "true" }] };
    expect(lacking(told)).toBeNull();
    expect(createOf(told)).toMatchObject({ columns: { day: "date", city: "string" }, options: { header: "true" } });
  });

  it("have a key where they are objects", () => {
    const objects = { ...EMPTY, name: "sales", connector: "files" as const, path: "s3a://sales/*.parquet", user: "env:KEY", password: "env:SECRET" };
    expect(createOf(objects)).toMatchObject({ user: "env:KEY", password: "env:SECRET" });
    expect(createOf({ ...objects, path: "data/*.parquet" })).toMatchObject({ user: null, password: null });
  });

  it("say the endpoints of an API as JSON", () => {
    const shop = { ...EMPTY, name: "shop", connector: "rest" as const, url: "https://api.example.com" };
    expect(lacking(shop)).toMatch(/tables/);
    expect(faultOfTables("{orders:")).toBeDefined();
    const tables = { orders: { path: "/orders", columns: { id: "bigint" } } };
    expect(createOf({ ...shop, tables: JSON.stringify(tables), password: "env:X" })).toMatchObject({ tables, password: "env:X", path: null });
  });

  it("keep masks and row filters as they were read", () => {
    const masked = { ...crm, masks: [{ column: "customers.email", as: "hash" as const, except: ["owners"] }], rows: [{ table: "customers", filter: "id > 9", for: null, except: null }] };
    const fields = fieldsFrom(masked);
    expect(patchOf(fields, masked)).toEqual({ expected_version: 3 });
    expect(patchOf({ ...fields, masks: [] }, masked)).toEqual({ expected_version: 3, masks: null });
    expect(patchOf({ ...fields, rows: [{ table: "customers", filter: "id > 9", audience: "for", names: ["eu"] }] }, masked).rows).toEqual([{ table: "customers", filter: "id > 9", for: ["eu"] }]);
  });
});

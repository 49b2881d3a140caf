import { describe, expect, it } from "vitest";

import { makeQueries } from "../../../src/api/queryClient";
import { offersAt } from "../../../src/federation/query/names";
import { paged } from "../../fixtures/catalog";
import { crm, customers } from "../../fixtures/federation";
import { serve } from "../../render";

const queries = () => makeQueries(() => undefined);
const labels = async (sql: string) => (await offersAt(queries(), sql, sql.length, undefined))?.offers.map(({ label }) => label) ?? [];

describe("what is offered while a query is typed", () => {
  it("is what sources, the lake and virtual tables have", async () => {
    serve({
      "GET /api/v1/federation/sources": { ...paged([crm]), errors: [] },
      "GET /api/v1/federation/sources/crm/tables": paged([customers]),
      "GET /api/v1/federation/virtual-tables": paged([{ id: "v", name: "customer_orders", may_read: true, columns: [{ name: "net" }] }, { id: "w", name: "of_others", may_read: false, columns: null }]),
      "GET /api/v1/branches/commits/HEAD": { versions: [{ table: "core.orders" }] },
    });
    expect(await labels("SELECT * FROM ")).toEqual(["virtual.customer_orders", "crm", "core", "core.orders"]);
    expect(await labels("SELECT * FROM crm.")).toEqual(["customers"]);
    expect(await labels("SELECT * FROM core.")).toEqual(["orders"]);
    expect(await labels("SELECT * FROM virtual.")).toEqual(["customer_orders"]);
    expect(await labels("SELECT * FROM virtual.customer_orders v WHERE v.")).toEqual(["net"]);
    expect(await labels("SELECT * FROM crm.customers WHERE ")).toEqual(["id", "email", "city"]);
  });

  it("is nothing where nobody answers", async () => {
    serve({});
    expect(await labels("SELECT * FROM ")).toEqual([]);
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { paged } from "../../fixtures/catalog";
import { erd } from "../../fixtures/erd";
import { renderPage, status } from "../../render";

const ERD = "GET /api/v1/lineage/erd";
const known = { [ERD]: erd, "GET /api/v1/lineage/snapshots": paged([]) };
const JOIN = "join, inferred: core.orders (country) to raw.countries (country)";

describe("the entity-relationship diagram", () => {
  it("draws tables with their keys, and says which lines are inferred", async () => {
    const { container } = renderPage("/lineage/erd", known);
    const picture = await screen.findByRole("region", { name: "Tables of all schemas" });
    const orders = within(picture).getByRole("region", { name: "core.orders" });
    expect(within(orders).getByLabelText("primary key").closest("li")).toHaveTextContent("order_id");
    expect(within(orders).getByLabelText("foreign key").closest("li")).toHaveTextContent("customer_id");
    expect(within(picture).getByRole("button", { name: "foreign key, declared: core.orders (customer_id) to core.customers (id)" })).toBeInTheDocument();
    expect(within(picture).getByRole("button", { name: JOIN }).querySelector("[data-look=inferred]")).not.toBeNull();
    expect(container.querySelectorAll("[data-look=flow]")).toHaveLength(0);
    expect(screen.getByText("4 tables · 1 declared key · 1 inferred join")).toBeInTheDocument();
  });

  it("tells what speaks for a join, by keyboard, and keeps it in the address", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/lineage/erd", known);
    (await screen.findByRole("button", { name: JOIN })).focus();
    await user.keyboard("{Enter}");
    const detail = await screen.findByRole("complementary", { name: "Inferred join" });
    expect(within(detail).getByRole("list", { name: "Evidence" })).toHaveTextContent("sql/orders.sql:12 o.country = c.country");
    expect(detail).toHaveTextContent("Confidence90%");
    expect(router.state.location.search).toEqual({ relation: "core.orders (country) = raw.countries (country)" });
    await user.click(within(detail).getByRole("button", { name: "Close the detail" }));
    await waitFor(() => expect(screen.queryByRole("complementary", { name: "Inferred join" })).not.toBeInTheDocument());
  });

  it("asks for the schema of the address, and is a table for those who cannot see it", async () => {
    const { asked } = renderPage("/lineage/erd?schema=core&view=table&flows=yes", known);
    const relations = await screen.findByRole("table", { name: "Relations" });
    expect(within(relations).getAllByRole("row")).toHaveLength(4);
    expect(within(relations).getAllByRole("row")[2]).toHaveTextContent("core.orders (country)raw.countries (country)join, inferred–90%sql/orders.sql:12 o.country = c.country");
    expect(within(screen.getByRole("table", { name: "Tables" })).getByRole("row", { name: /core\.orders/ })).toHaveTextContent("customer_id FK, order_id PK");
    expect(asked.some(({ url }) => url.endsWith("/lineage/erd?schema=core"))).toBe(true);
    expect(screen.getByRole("combobox", { name: "Schema" })).toHaveValue("core");
    expect(screen.getByRole("option", { name: "staging" })).toBeInTheDocument();
    expect(screen.queryByRole("option", { name: "raw" })).not.toBeInTheDocument();
  });

  it("opens all columns of a table, and is one picture of two", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/lineage/erd?at=dev", known);
    const orders = await screen.findByRole("region", { name: "core.orders" });
    expect(orders).not.toHaveTextContent("note_8");
    await user.click(within(orders).getByRole("button", { name: /^\+ 4 more/ }));
    expect(await within(orders).findByText("note_8")).toBeInTheDocument();
    expect(router.state.location.href).toBe("/lineage/erd?at=dev&open=core.orders");
    const pictures = screen.getByRole("navigation", { name: "Pictures of the graph" });
    expect(within(pictures).getByRole("link", { name: "Lineage" })).toHaveAttribute("href", "/lineage?at=dev");
  });

  it("says that no such schema is known", async () => {
    renderPage("/lineage/erd?schema=gone", { ...known, [ERD]: status(404, { code: "FORGE-E801", detail: "There is no schema gone in the lineage graph" }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("There is no schema gone");
  });
});

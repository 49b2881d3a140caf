import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, it } from "vitest";

import { paged } from "../../fixtures/catalog";
import { renderPage } from "../../render";

const used = { id: "core.orders", name: "orders", qualified_name: "core.orders", type: "table", description: "One row **per order**.", owner: null, domain: "sales", tags: [], asset: "core.orders", views: 12, queries: 1, runs: 3, users: 2, last_at: "2026-11-15T22:00:00Z" };

it("what is popular is shown by domain and period, both in the address", async () => {
  const user = userEvent.setup();
  const { asked, router } = renderPage("/catalog?by=popular", {
    "GET /api/v1/catalog/popular": paged([used]),
    "GET /api/v1/catalog/domains": paged([{ name: "sales", assets: 3 }]),
  });
  const first = within(await screen.findByRole("list", { name: "Most used first" })).getByRole("listitem");
  expect(within(first).getByRole("link", { name: "core.orders" })).toHaveAttribute("href", "/assets/core.orders");
  expect(first).toHaveTextContent("One row per order.2 people, 12 views, 1 query, 3 readings by runs, last 10 min ago");
  await screen.findByRole("option", { name: "sales" });
  await user.selectOptions(screen.getByRole("combobox", { name: "Domain" }), "sales");
  await user.click(screen.getByRole("radio", { name: "7 days" }));
  await waitFor(() => expect(router.state.location.href).toBe("/catalog?by=popular&at=sales&period=week"));
  await waitFor(() => expect(asked.some(({ url }) => url.endsWith("/popular?domain=sales&time_range=week&limit=20"))).toBe(true));
});

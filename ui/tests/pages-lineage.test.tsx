import { screen } from "@testing-library/react";
import { expect, it } from "vitest";

import { hit, paged } from "./fixtures/catalog";
import { renderPage } from "./render";

const SEARCH = "GET /api/v1/catalog/search";

it("the lineage page says before the first run that there is none", async () => {
  renderPage("/lineage", { [SEARCH]: paged([]) });
  expect(await screen.findByText("No lineage yet")).toBeInTheDocument();
  expect(screen.getByRole("link", { name: "To the first run" })).toHaveAttribute("href", "/");
});

it("the lineage page offers tables to begin with", async () => {
  renderPage("/lineage", { [SEARCH]: paged([hit("core.orders")]) });
  expect(await screen.findByRole("button", { name: "core.orders" })).toBeInTheDocument();
});

import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { bufferKeys } from "../../src/frame/keyBuffer";
import { placeOn, PLACES } from "../../src/frame/places";
import { paged } from "../fixtures/catalog";
import { tableNode } from "../fixtures/lineage";
import { calm, incident } from "../fixtures/overview";
import { renderPage, serve, system } from "../render";

const OVERVIEW = "GET /api/v1/overview";

describe("the connection", () => {
  it("that breaks leaves the data on screen, and comes back by itself", async () => {
    const user = userEvent.setup();
    const { queries } = renderPage("/", { [OVERVIEW]: incident });
    await screen.findByRole("region", { name: /core\.orders\.amount/ });

    serve({ [OVERVIEW]: new TypeError("Failed to fetch"), "GET /api/v1/system": new TypeError("Failed to fetch") });
    void queries.invalidateQueries();
    expect(await screen.findByText("Forge cannot be reached")).toBeInTheDocument();
    expect(screen.getByRole("region", { name: /core\.orders\.amount/ })).toBeInTheDocument();

    serve({ [OVERVIEW]: calm, "GET /healthz": {} });
    await user.click(screen.getByRole("button", { name: "Try now" }));
    expect(await screen.findByRole("heading", { name: "Nothing is wrong on main" })).toBeInTheDocument();
    expect(screen.queryByText("Forge cannot be reached")).not.toBeInTheDocument();
  });
});

describe("the header", () => {
  it.each([
    [{ state: "stopped" as const, error: null }, /^Spark sleeps/],
    [{ state: "starting" as const, error: null }, /^Spark starts/],
    [{ state: "ready" as const, error: null }, /^Spark ready/],
    [
      {
        state: "failed" as const,
        error: { code: "FORGE-E301", what: "Java was not found.", why: null, fix: "Install Java 17." },
      },
      /^Spark failed. Java was not found. Install Java 17/,
    ],
  ])("tells Spark's state: %o", async (spark, name) => {
    renderPage("/", { [OVERVIEW]: calm, "GET /api/v1/system": { ...system, spark: { ...system.spark, ...spark } } });
    expect(await screen.findByRole("button", { name })).toBeInTheDocument();
  });

  it("leads to the run that works now", async () => {
    renderPage("/", {
      [OVERVIEW]: calm,
      "GET /api/v1/system": { ...system, jobs_running: 1, jobs_queued: 2 },
      "GET /api/v1/runs": { items: [{ run_id: "r7" }], next_cursor: null, has_more: false },
    });
    await waitFor(() =>
      expect(screen.getByRole("link", { name: "1 run working, 2 waiting" })).toHaveAttribute("href", "/runs/r7"),
    );
  });

  it("opens the search with / and goes to what was chosen with the arrows", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/", {
      [OVERVIEW]: calm,
      "GET /api/v1/catalog/suggest": {
        items: [
          { text: "core.orders", type: "table", qualified_name: "core.orders" },
          { text: "core.orders.amount", type: "column", qualified_name: "core.orders.amount" },
        ],
      },
    });
    await screen.findByRole("heading", { name: "Nothing is wrong on main" });
    await user.keyboard("/");
    await user.type(await screen.findByRole("combobox"), "orders");
    await screen.findByRole("option", { name: /core\.orders\.amount/ });
    await user.keyboard("{ArrowDown}{Enter}");
    await waitFor(() => expect(router.state.location.href).toBe("/lineage?focus=core.orders.amount"));
  });

  it("opens the asset of a column that is outside of the lake: lineage may not know it", async () => {
    const user = userEvent.setup();
    const name = "crm.public.people.email";
    const { router } = renderPage("/", { [OVERVIEW]: calm, "GET /api/v1/catalog/suggest": { items: [{ text: name, type: "column", qualified_name: name }] } });
    await screen.findByRole("heading", { name: "Nothing is wrong on main" });
    await user.keyboard("/");
    await user.type(await screen.findByRole("combobox"), "email");
    await user.click(await screen.findByRole("option", { name: /crm\.public\.people\.email/ }));
    await waitFor(() => expect(router.state.location.href).toBe("/assets/crm.public.people"));
  });

  it("finds tables that only lineage knows, once each, and opens their lineage", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/", {
      [OVERVIEW]: calm,
      "GET /api/v1/catalog/suggest": { items: [{ text: "core.orders", type: "table", qualified_name: "core.orders" }] },
      "GET /api/v1/lineage/search": paged([tableNode("core.orders"), tableNode("legacy.orders_archive")]),
    });
    await screen.findByRole("heading", { name: "Nothing is wrong on main" });
    await user.keyboard("/");
    await user.type(await screen.findByRole("combobox"), "orders");
    const found = await screen.findByRole("option", { name: /legacy\.orders_archive/ });
    await waitFor(() => expect(screen.getAllByRole("option", { name: /core\.orders/ })).toHaveLength(1));
    await user.click(found);
    await waitFor(() => expect(router.state.location.href).toBe("/lineage?focus=legacy.orders_archive"));
  });

  it("opens the asset of a table that the lake has, and shows it before what lineage alone knows", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/", {
      [OVERVIEW]: calm,
      "GET /api/v1/catalog/suggest": [],
      "GET /api/v1/lineage/search": paged([tableNode("aged.orders"), tableNode("core.orders", { in_catalog: true })]),
    });
    await screen.findByRole("heading", { name: "Nothing is wrong on main" });
    await user.keyboard("/");
    await user.type(await screen.findByRole("combobox"), "rders");
    await screen.findByRole("option", { name: /aged\.orders/ });
    expect(screen.getAllByRole("option").map((option) => option.textContent).slice(0, 2)).toEqual(["core.orderstable", "aged.orderslineage"]);
    await user.keyboard("{Enter}");
    await waitFor(() => expect(router.state.location.href).toBe("/assets/core.orders"));
  });

  it.each(["/", "{Control>}k{/Control}"])("keeps what is typed right after %s, before the search is there", async (keys) => {
    const user = userEvent.setup();
    renderPage("/", { [OVERVIEW]: calm, "GET /api/v1/catalog/suggest": { items: [] } });
    await screen.findByRole("heading", { name: "Nothing is wrong on main" });
    await user.keyboard(`${keys}core.ox{Backspace}r`);
    const field = await screen.findByRole("combobox");
    await waitFor(() => expect(field).toHaveFocus());
    expect(field).toHaveValue("core.or");
    await user.keyboard("ders");
    expect(field).toHaveValue("core.orders");
  });

  it("leaves the keys alone once the search has them", () => {
    const kept = bufferKeys();
    const swallowed = new KeyboardEvent("keydown", { key: "a", cancelable: true });
    window.dispatchEvent(swallowed);
    expect(swallowed.defaultPrevented).toBe(true);
    expect(kept.take()).toBe("a");
    const free = new KeyboardEvent("keydown", { key: "b", cancelable: true });
    window.dispatchEvent(free);
    expect(free.defaultPrevented).toBe(false);
    expect(kept.take()).toBe("");
  });

  it("closes the search with Esc", async () => {
    const user = userEvent.setup();
    renderPage("/", { [OVERVIEW]: calm });
    await screen.findByRole("heading", { name: "Nothing is wrong on main" });
    await user.keyboard("/");
    await screen.findByRole("combobox");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByRole("combobox")).not.toBeInTheDocument());
  });
});

it("an address that nothing has says so", async () => {
  renderPage("/nowhere", {});
  expect(await screen.findByRole("heading", { name: "No such page" })).toBeInTheDocument();
});

it("marks in each menu where a page belongs", () => {
  const few = PLACES.filter((place) => place.wide !== true);
  const names = (menu: typeof PLACES) => ["/", "/search", "/assets/core.orders", "/glossary", "/quality/monitors", "/nowhere"].map((path) => placeOn(path, menu)?.label);
  expect(names(PLACES)).toEqual(["Home", "Catalog", "Assets", "Glossary", "Quality", undefined]);
  expect(names(few)).toEqual(["Home", "Catalog", "Catalog", "Catalog", "Quality", undefined]);
});

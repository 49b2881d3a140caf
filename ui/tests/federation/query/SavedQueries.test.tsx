import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { beforeEach, describe, expect, it } from "vitest";

import { paged, session } from "../../fixtures/catalog";
import { cities } from "../../fixtures/federation";
import { renderPage, status } from "../../render";

const SESSION = "GET /api/v1/session";
const SAVED = "GET /api/v1/federation/saved-queries";

beforeEach(() => localStorage.clear());

describe("a query that is kept", () => {
  it("is saved with its values and its branch, and opened again", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage(`/query?${new URLSearchParams({ sql: cities.sql, p: "least:number=3", at: "main" }).toString()}`, { [SESSION]: session, [SAVED]: paged([cities]), "POST /api/v1/federation/saved-queries": cities });
    await user.click(await screen.findByRole("button", { name: "Save" }));
    const form = await screen.findByRole("dialog", { name: "Save the query" });
    await user.type(within(form).getByRole("textbox", { name: "Name" }), "Cities");
    await user.click(within(form).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ saved: "q_1" }));
    expect(await asked.find(({ method }) => method === "POST")?.json()).toEqual({ name: "Cities", description: "", is_shared: false, sql: cities.sql, parameters: { least: 3 }, at: "main" });
  });

  it("is opened with its values, and changed at its version", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage("/query?panel=saved", { [SESSION]: session, [SAVED]: paged([cities]), "PATCH /api/v1/federation/saved-queries/q_1": cities });
    await user.click(await screen.findByRole("button", { name: /Where they live/ }));
    await waitFor(() => expect(router.state.location.search).toEqual({ sql: cities.sql, at: "main", saved: "q_1", p: ["least:number=3", "word=x"] }));
    expect(await screen.findByRole("textbox", { name: ":least" })).toHaveValue("3");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
    expect(await asked.find(({ method }) => method === "PATCH")?.json()).toMatchObject({ expected_version: 2, name: "Cities", sql: cities.sql, at: "main" });
  });

  it("of someone else is opened, and neither changed nor deleted", async () => {
    const theirs = { ...cities, is_own: false, is_shared: true, owner: "eve@example.com" };
    renderPage("/query?panel=saved", { [SESSION]: session, [SAVED]: paged([theirs]) });
    expect(await screen.findByText("of eve ·", { exact: false })).toBeInTheDocument();
    for (const name of ["Edit Cities", "Delete Cities"]) expect(screen.queryByRole("button", { name })).not.toBeInTheDocument();
  });

  it("is deleted when that was meant", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/query?panel=saved", { [SESSION]: session, [SAVED]: paged([cities]), "DELETE /api/v1/federation/saved-queries/q_1": status(204, null) });
    await user.click(await screen.findByRole("button", { name: "Delete Cities" }));
    await user.click(within(await screen.findByRole("dialog", { name: "Delete Cities?" })).getByRole("button", { name: "Delete the query" }));
    await waitFor(() => expect(asked.find(({ method }) => method === "DELETE")?.url).toContain("expected_version=2"));
  });

  it("is not saved by who may only read", async () => {
    renderPage("/query?panel=saved", { [SESSION]: { ...session, scope: "read" }, [SAVED]: paged([cities]) });
    await screen.findByText("Where they live");
    for (const name of ["Save", "Save as virtual table", "Delete Cities"]) expect(screen.queryByRole("button", { name })).not.toBeInTheDocument();
  });
});

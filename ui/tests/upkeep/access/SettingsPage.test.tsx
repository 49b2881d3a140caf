import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { BrowserSessionView, TokenCreated, TokenView } from "../../../src/api";
import { sortTokens } from "../../../src/upkeep/access/Tokens";
import { session } from "../../fixtures/runs";
import { renderPage, status, system, type Answers } from "../../render";

function token(name: string, more: Partial<TokenView> = {}): TokenView {
  return {
    id: `t_${name}`,
    name,
    scope: "write",
    created_by: "sam@shop.example",
    created_at: "2026-11-01T08:00:00Z",
    expires_at: "2027-02-01T08:00:00Z",
    last_used_at: null,
    revoked_at: null,
    state: "active",
    ...more,
  };
}

const show = (tokens: TokenView[], more: Answers = {}, address = "/settings") =>
  renderPage(address, { "GET /api/v1/tokens": tokens, "GET /api/v1/session": session, "GET /api/v1/sessions": [], ...more });

describe("tokens", () => {
  it("that work come first", () => {
    const sorted = sortTokens([token("a", { state: "revoked" }), token("b"), token("c", { state: "expired" }), token("d")]);
    expect(sorted.map((one) => one.name)).toEqual(["b", "d", "a", "c"]);
  });

  it("are listed with state, scope and last use; only those that work can be revoked", async () => {
    show([token("nightly", { last_used_at: "2026-11-15T22:00:00Z", scope: "read" }), token("old", { state: "expired", expires_at: "2026-11-10T08:00:00Z" })]);
    const row = (await screen.findByText("nightly")).closest("tr");
    expect(row).toHaveTextContent("active");
    expect(row).toHaveTextContent("read");
    expect(row).toHaveTextContent("10 min ago");
    expect(screen.getByText("old").closest("tr")).toHaveTextContent("expired");
    expect(await screen.findAllByRole("button", { name: /^Revoke/ })).toHaveLength(1);
  });

  it("that are none say how to make one", async () => {
    show([]);
    expect(await screen.findByText("No token yet")).toBeVisible();
    expect(screen.getByText("forge token create nightly")).toBeVisible();
  });

  it("show their secret once, with a way to try it; a slip does not lose it", async () => {
    const user = userEvent.setup();
    const made: TokenCreated = { ...token("nightly", { scope: "read", expires_at: null }), token: "forge_secret" };
    const { asked, router } = show([], { "POST /api/v1/tokens": status(201, made) }, "/settings?dialog=token");
    const dialog = await screen.findByRole("dialog", { name: "Create a token" });
    await user.click(within(dialog).getByRole("button", { name: "Create the token" }));
    expect(within(dialog).getByText("Give it a name.")).toBeVisible();
    await user.type(within(dialog).getByRole("textbox", { name: /Name/ }), "nightly");
    await user.click(within(dialog).getByRole("radio", { name: "Read" }));
    await user.click(within(dialog).getByRole("button", { name: "Create the token" }));
    expect(await screen.findByText("forge_secret")).toBeVisible();
    expect(screen.getByText(/^curl -H "Authorization: Bearer forge_secret" http.*\/api\/v1\/runs$/)).toBeVisible();
    expect(screen.getByText(/shown this once/)).toBeVisible();
    const posts = asked.filter((request) => request.method === "POST");
    expect(posts).toHaveLength(1);
    expect(await posts[0]?.json()).toEqual({ name: "nightly", scope: "read", expires_in_days: 90 });
    await user.keyboard("{Escape}");
    expect(screen.getByText("forge_secret")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "I have copied it" }));
    await waitFor(() => expect(screen.queryByText("forge_secret")).not.toBeInTheDocument());
    expect(router.state.location.search).toEqual({});
  });

  it("are revoked after a question", async () => {
    const user = userEvent.setup();
    const { asked } = show([token("nightly")], { "DELETE /api/v1/tokens/t_nightly": status(204, null) });
    await user.click(await screen.findByRole("button", { name: "Revoke nightly" }));
    const dialog = await screen.findByRole("dialog", { name: "Revoke nightly?" });
    expect(dialog).toHaveTextContent("refused at once");
    expect(asked.some((request) => request.method === "DELETE")).toBe(false);
    await user.click(within(dialog).getByRole("button", { name: "Revoke the token" }));
    await waitFor(() => expect(asked.some((request) => request.method === "DELETE")).toBe(true));
    await waitFor(() => expect(screen.queryByRole("dialog")).not.toBeInTheDocument());
  });

  it("cannot be made or revoked by who may only read", async () => {
    show([token("nightly")], { "GET /api/v1/session": { ...session, scope: "read" } });
    expect(await screen.findByText("read, and change nothing")).toBeVisible();
    expect(screen.queryByRole("button", { name: /Create a token|Revoke/ })).not.toBeInTheDocument();
  });
});

describe("sessions of browsers", () => {
  const phone: BrowserSessionView = {
    id: "s_phone",
    user: "sam@shop.example",
    scope: "read",
    token_id: "t_phone",
    token_name: "phone",
    created_at: "2026-11-15T08:00:00Z",
    expires_at: "2026-11-29T08:00:00Z",
    last_used_at: "2026-11-15T22:00:00Z",
    current: false,
  };
  const mine: BrowserSessionView = { ...phone, id: "s_mine", scope: "write", token_id: null, token_name: null, current: true };

  it("are listed with the token they belong to, and end after a question", async () => {
    const user = userEvent.setup();
    const { asked } = show([], { "GET /api/v1/sessions": [mine, phone], "DELETE /api/v1/sessions/s_phone": status(204, null) });
    expect((await screen.findByText("phone")).closest("tr")).toHaveTextContent("10 min ago");
    expect(screen.getByText(/this browser/).closest("tr")).toHaveTextContent("the printed address");
    await user.click(await screen.findByRole("button", { name: /^End session/ }));
    const dialog = await screen.findByRole("dialog", { name: "End this session?" });
    expect(dialog).toHaveTextContent("The token phone stays");
    expect(asked.some((request) => request.method === "DELETE")).toBe(false);
    await user.click(within(dialog).getByRole("button", { name: "End the session" }));
    await waitFor(() => expect(asked.some((request) => request.method === "DELETE")).toBe(true));
  });

  it("cannot be ended by who may only read", async () => {
    show([], { "GET /api/v1/sessions": [mine, phone], "GET /api/v1/session": { ...session, scope: "read" } });
    expect(await screen.findByText("phone")).toBeVisible();
    expect(await screen.findByText("read, and change nothing")).toBeVisible();
    expect(screen.queryByRole("button", { name: /^End session/ })).not.toBeInTheDocument();
  });
});

describe("the session and the server", () => {
  it("says who is signed in, and signs out", async () => {
    const user = userEvent.setup();
    const { router } = show([], { "DELETE /api/v1/session": status(204, null) });
    expect(await screen.findByText("sam@shop.example")).toBeVisible();
    expect(screen.getByText("(2026-11-29 22:00:00 UTC)")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Sign out" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/login"));
  });

  it("says what a publish promises, and how long the queue is", async () => {
    show([], { "GET /api/v1/system": { ...system, publish: "All tables or none.", jobs_running: 1, jobs_queued: 2 } });
    expect(await screen.findByText("All tables or none.")).toBeVisible();
    expect(screen.getByText("1 run at work, 2 waiting; up to 20 may wait")).toBeVisible();
    expect(screen.getByText("SQLite")).toBeVisible();
  });

  it("says why Spark could not start, and how to mend it", async () => {
    const error = { code: "FORGE-E301", what: "Java was not found", where: null, why: "JAVA_HOME is empty.", fix: "Install Java 17, then `forge doctor`." };
    show([], { "GET /api/v1/system": { ...system, spark: { state: "failed", master: "local[*]", since: null, error } } });
    const problem = await screen.findByRole("alert");
    expect(problem).toHaveTextContent("FORGE-E301Java was not found");
    expect(within(problem).getByText("forge doctor", { selector: ".command code" })).toBeVisible();
  });
});

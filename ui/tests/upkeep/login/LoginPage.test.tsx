import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { safeTarget } from "../../../src/upkeep/login/LoginPage";
import { session } from "../../fixtures/catalog";
import { calm } from "../../fixtures/overview";
import { renderPage, serve, status } from "../../render";

const OVERVIEW = "GET /api/v1/overview";
const REFUSED = { code: "FORGE-E903", detail: "Your session has expired", errors: [] };

describe("signing in", () => {
  it("is asked for with the reason, and leads back to the page that was wanted", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/?branch=dev", {
      [OVERVIEW]: status(401, REFUSED),
      "GET /api/v1/system": status(401, REFUSED),
    });
    expect(await screen.findByText(/Your session has expired/)).toBeInTheDocument();
    expect(router.state.location.search).toEqual({ to: "/?branch=dev", reason: "expired" });

    const asked = serve({ [OVERVIEW]: { ...calm, branch: "dev" }, "POST /api/v1/session": status(201, {}) });
    await user.type(screen.getByLabelText("Token"), "http://127.0.0.1:8765/?token=forge_secret");
    await user.click(screen.getByRole("button", { name: "Sign in" }));
    expect(await screen.findByRole("heading", { name: "Nothing is wrong on dev" })).toBeInTheDocument();
    const sent = asked.find((request) => request.method === "POST");
    expect(sent?.headers.get("authorization")).toBe("Bearer forge_secret");
  });

  it("tells why a token was refused", async () => {
    const user = userEvent.setup();
    renderPage("/login", { "POST /api/v1/session": status(401, { ...REFUSED, detail: "The token is not known" }) });
    await user.type(await screen.findByLabelText("Token"), "forge_wrong");
    await user.click(screen.getByRole("button", { name: "Sign in" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E903The token is not known");
  });

  it("is not asked for again where a stale link met a session that is valid", async () => {
    const { router } = renderPage("/login?reason=invalid&to=%2F%3Fbranch%3Ddev", { "GET /api/v1/session": session, [OVERVIEW]: { ...calm, branch: "dev" } });
    expect(await screen.findByRole("heading", { name: "Nothing is wrong on dev" })).toBeInTheDocument();
    expect(router.state.location.href).toBe("/?branch=dev");
  });

  it("tells of a stale link where there is no session", async () => {
    const { router } = renderPage("/login?reason=invalid&to=%2Fruns", { "GET /api/v1/session": status(401, REFUSED) });
    expect(await screen.findByText(/not one of this server's/)).toBeInTheDocument();
    expect(router.state.location.pathname).toBe("/login");
  });

  it.each([
    ["/runs?branch=dev", "/runs?branch=dev"],
    ["//evil.example", "/"],
    ["/\\evil.example", "/"],
    ["https://evil.example", "/"],
    ["/login", "/"],
    [undefined, "/"],
  ])("after it, %s leads to %s", (to, target) => expect(safeTarget(to)).toBe(target));
});

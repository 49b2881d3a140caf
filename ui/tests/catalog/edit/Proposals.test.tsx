import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { ProposalView } from "../../../src/api";
import { proposedFor, valueAt } from "../../../src/catalog/edit/words";
import { asset, column, main, paged, session } from "../../fixtures/catalog";
import { renderPage, serve, status } from "../../render";

const PROPOSALS = "GET /api/v1/catalog/proposals";
const APPROVE = "POST /api/v1/catalog/proposals/p1/approve";
const proposal: ProposalView = {
  id: "p1",
  asset: "core.orders",
  state: "open",
  changes: { description: "Orders of all channels.", "columns.amount.term": "sales.revenue" },
  documentation_version: 3,
  undoes: null,
  by: "ada@shop.example",
  at: "2026-11-15T22:00:00Z",
  decided_by: null,
  decided_at: null,
  comment: "",
};
const known = {
  "GET /api/v1/catalog/assets/core.orders": asset(),
  "GET /api/v1/session": session,
  "GET /api/v1/branches": paged([main]),
  "GET /api/v1/catalog/glossary/terms": paged([]),
  "GET /api/v1/catalog/assets/core.orders/history": paged([]),
  [PROPOSALS]: paged([proposal, { ...proposal, id: "p2", asset: "core.customers" }]),
};
const line = { id: "core.orders", name: "orders", qualified_name: "core.orders", type: "table", documentation_version: 4 };
const HISTORY = "/assets/core.orders?tab=history";
const section = () => screen.findByRole("region", { name: "Waits for approval" });

describe("an edit that waits", () => {
  it("says what changes and who asks, and is approved with a comment and no mouse", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(HISTORY, { ...known, [APPROVE]: { asset: line, edit: null, proposal: { ...proposal, state: "approved" } } });
    const waiting = await section();
    expect(within(waiting).getAllByRole("listitem")).toHaveLength(1);
    expect(waiting).toHaveTextContent("ada@shop.example");
    expect(waiting).toHaveTextContent("description:One row per order, in euros. → Orders of all channels.");
    expect(waiting).toHaveTextContent("term of amount:sales.revenue");
    await user.click(await within(waiting).findByRole("textbox", { name: "Comment" }));
    serve({ ...known, [PROPOSALS]: paged([]), [APPROVE]: { asset: line, edit: null, proposal: { ...proposal, state: "approved" } } }, asked);
    await user.keyboard("Good{Enter}");
    await waitFor(() => expect(screen.queryByRole("region", { name: "Waits for approval" })).not.toBeInTheDocument());
    const sent: unknown = await asked.find(({ method }) => method === "POST")?.json();
    expect(sent).toEqual({ comment: "Good" });
    expect(asked.some(({ method, url }) => method === "GET" && url.endsWith("/assets/core.orders/history?limit=100"))).toBe(true);
  });

  it("of one's own can only be taken back", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(HISTORY, { ...known, [PROPOSALS]: paged([{ ...proposal, by: session.user }]), "POST /api/v1/catalog/proposals/p1/reject": { asset: line, edit: null, proposal } });
    const waiting = await section();
    expect(await within(waiting).findByText("You proposed it: somebody else approves it.")).toBeInTheDocument();
    expect(within(waiting).queryByRole("button", { name: /Approve/ })).not.toBeInTheDocument();
    await user.click(within(waiting).getByRole("button", { name: /Take back/ }));
    await waitFor(() => expect(asked.some(({ method, url }) => method === "POST" && url.endsWith("/p1/reject"))).toBe(true));
  });

  it("keeps the refusal on the page: not an approver, or somebody was faster", async () => {
    const user = userEvent.setup();
    renderPage(HISTORY, { ...known, [APPROVE]: status(403, { code: "FORGE-E855", detail: "sam@shop.example may not approve edits of sales", fix: "Ask carlos@shop.example." }) });
    await user.click(await within(await section()).findByRole("button", { name: /Approve/ }));
    expect(await within(await section()).findByRole("alert")).toHaveTextContent("FORGE-E855sam@shop.example may not approve edits of sales");
    serve({ ...known, [PROPOSALS]: paged([]), [APPROVE]: status(409, { code: "FORGE-E857", detail: "The proposal p1 was rejected already", why: "By eve@shop.example." }) });
    await user.click(within(await section()).getByRole("button", { name: /Approve/ }));
    expect(await screen.findByText("Nothing waits any more.")).toBeInTheDocument();
    expect(within(await section()).getByRole("alert")).toHaveTextContent("By eve@shop.example.");
  });

  it("says that the documentation was edited meanwhile, and is decided by nobody who may only read", async () => {
    renderPage(HISTORY, { ...known, "GET /api/v1/session": { ...session, scope: "read" }, [PROPOSALS]: paged([{ ...proposal, documentation_version: 2 }]) });
    const waiting = await section();
    expect(within(waiting).getByRole("note")).toHaveTextContent("edited since it was proposed");
    expect(within(waiting).queryByRole("button")).not.toBeInTheDocument();
    expect(await screen.findByRole("link", { name: "1 edit of it waits for approval" })).toHaveAttribute("href", HISTORY);
  });
});

describe("words of a proposal", () => {
  it("finds what a field says now, and what was proposed under a former name", () => {
    const orders = asset({ former_names: ["old.orders"], schema: [column("Amount", { tags: ["gold"] })] });
    expect(valueAt(orders, "primary_key")).toEqual(["order_id"]);
    expect(valueAt(orders, "columns.amount.tags")).toEqual(["gold"]);
    expect(valueAt(orders, "columns.gone.tags")).toBeUndefined();
    expect(proposedFor([proposal, { ...proposal, asset: "old.orders" }, { ...proposal, asset: "core.other" }], orders)).toHaveLength(2);
  });
});

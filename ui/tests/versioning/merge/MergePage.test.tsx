import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { HEAD_COMMIT, session } from "../../fixtures/catalog";
import { conflict, conflictSet, MERGE_ID, mergeResult, mergeView, onRow } from "../../fixtures/merges";
import { renderPage, serve, status, type Answers } from "../../render";

const ONE = `/api/v1/branches/merges/${MERGE_ID}`;
const answers: Answers = { "GET /api/v1/session": session, [`GET ${ONE}`]: conflictSet(), [`POST ${ONE}/resolve`]: conflictSet() };
const resolved = conflictSet({
  resolved_count: 3,
  fully_resolved: true,
  conflicts: [conflict("c1", { resolution: "ours" })],
  groups: [{ table: "core.orders", column: "amount", total: 3, open: 0 }],
});

async function sent(asked: Request[], end: string): Promise<unknown> {
  return asked.find((request) => request.method === "POST" && request.url.endsWith(end))?.json();
}

describe("the page of a merge", () => {
  it("shows each conflict with base, ours, theirs and what may be taken", async () => {
    renderPage(`/merges/${MERGE_ID}`, answers);
    expect(await screen.findByRole("heading", { level: 1, name: "fix-orders → main" })).toBeInTheDocument();
    const table = screen.getByRole("table", { name: "Conflicts" });
    const [, first, , last] = within(table).getAllByRole("row");
    expect(first).toHaveTextContent("10017amount12.0012.5013.00");
    expect(last).toHaveTextContent("10233whole rowexistsdeletedamount=9.10");
    expect(await within(table).findByRole("group", { name: "Result of 10017, amount" })).toHaveTextContent("ourstheirsbaseown value");
    expect(within(table).getByRole("group", { name: "Result of 10233, whole row" })).toHaveTextContent("ourstheirsbase");
    expect(screen.getByText("0 of 3 conflicts resolved")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Merge" })).toBeDisabled();
  });

  it("resolves one conflict by a click", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(`/merges/${MERGE_ID}`, answers);
    const result = await screen.findByRole("group", { name: "Result of 10017, amount" });
    await user.click(within(result).getByRole("radio", { name: "theirs" }));
    await waitFor(async () => expect(await sent(asked, "/resolve")).toMatchObject({ conflict_id: "c1", resolution: "theirs" }));
  });

  it("resolves one by a value of one's own", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(`/merges/${MERGE_ID}`, answers);
    await user.click(within(await screen.findByRole("group", { name: "Result of 10017, amount" })).getByRole("radio", { name: "own value" }));
    await user.type(screen.getByRole("textbox", { name: "Own value for 10017, amount" }), "12.75{Enter}");
    await waitFor(async () => expect(await sent(asked, "/resolve")).toMatchObject({ conflict_id: "c1", resolution: "manual", manual_value: "12.75" }));
  });

  it("resolves a column by a rule", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(`/merges/${MERGE_ID}`, answers);
    const rule = await screen.findByRole("form", { name: "Rule" });
    expect(within(rule).getByLabelText("Rule for")).toHaveValue("core.orders.amount");
    await user.selectOptions(within(rule).getByLabelText("Take"), "greatest");
    await user.click(within(rule).getByRole("button", { name: "Apply to 2" }));
    await waitFor(async () => expect(await sent(asked, "/resolve")).toMatchObject({ table: "core.orders", column: "amount", resolution: "expression", expression: "greatest(ours, theirs)" }));
  });

  it("resolves all of them, without a place", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(`/merges/${MERGE_ID}`, answers);
    const rule = await screen.findByRole("form", { name: "Rule" });
    await user.selectOptions(within(rule).getByLabelText("Rule for"), "all conflicts");
    expect(within(rule).queryByRole("option", { name: "an expression…" })).not.toBeInTheDocument();
    await user.selectOptions(within(rule).getByLabelText("Take"), "theirs");
    await user.click(within(rule).getByRole("button", { name: "Apply to 3" }));
    await waitFor(async () => expect(await sent(asked, "/resolve")).toEqual({ resolutions: [], resolution: "theirs" }));
  });

  it("shows a bad expression where it was written", async () => {
    const user = userEvent.setup();
    renderPage(`/merges/${MERGE_ID}`, { ...answers, [`POST ${ONE}/resolve`]: status(422, { code: "FORGE-E625", detail: "max(ours) is no expression", errors: [] }) });
    const rule = await screen.findByRole("form", { name: "Rule" });
    await user.selectOptions(within(rule).getByLabelText("Take"), "expression");
    expect(within(rule).getByRole("button", { name: "Apply to 2" })).toBeDisabled();
    await user.type(within(rule).getByLabelText("Expression"), "max(ours)");
    await user.click(within(rule).getByRole("button", { name: "Apply to 2" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E625");
  });

  it("asks for what the address says: table, column, open ones, page", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage(`/merges/${MERGE_ID}?table=core.orders&column=amount&open=yes&page=2`, answers);
    await screen.findByRole("table", { name: "Conflicts" });
    const query = new URL(asked.find((request) => request.url.includes(MERGE_ID))?.url ?? "").searchParams;
    expect(Object.fromEntries(query)).toEqual({ table: "core.orders", column: "amount", open: "true", limit: "50", offset: "50" });
    await user.click(screen.getByRole("switch", { name: "Only open ones" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ table: "core.orders", column: "amount" }));
  });

  it("merges once all are resolved", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(`/merges/${MERGE_ID}`, { ...answers, [`GET ${ONE}`]: resolved, [`POST ${ONE}/continue`]: mergeResult() });
    const button = await screen.findByRole("button", { name: "Merge" });
    expect(button).toBeEnabled();
    expect(screen.getByText("3 of them are resolved already; the rule takes their place.")).toBeInTheDocument();
    await user.click(button);
    await waitFor(() => expect(asked.some((request) => request.url.endsWith("/continue"))).toBe(true));
  });

  it("asks before it is aborted", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage(`/merges/${MERGE_ID}`, { ...answers, [`POST ${ONE}/abort`]: mergeView({ status: "aborted" }) });
    await user.click(await screen.findByRole("button", { name: "Abort" }));
    expect(router.state.location.search).toEqual({ dialog: "abort" });
    const dialog = await screen.findByRole("dialog", { name: "Abort the merge?" });
    await user.click(within(dialog).getByRole("button", { name: "Abort the merge" }));
    await waitFor(() => expect(asked.some((request) => request.url.endsWith("/abort"))).toBe(true));
    await waitFor(() => expect(router.state.location.searchStr).toBe(""));
  });

  const pending = conflictSet({ status: "pending", source_head: HEAD_COMMIT, total_count: 0, conflicts: [], groups: [], fully_resolved: true });

  it("is approved with a comment, by someone else", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(`/merges/${MERGE_ID}`, {
      ...answers,
      [`GET ${ONE}`]: pending,
      [`POST ${ONE}/approve`]: status(409, { code: "FORGE-E620", detail: "Sam Shop asked for this merge and cannot approve it", errors: [] }),
    });
    await user.type(await screen.findByLabelText("Comment"), "Looks right");
    await user.click(screen.getByRole("button", { name: "Approve and merge" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("cannot approve it");
    expect(screen.getByText("Send the address of this page to whoever may approve it.")).toBeInTheDocument();
    expect(await sent(asked, "/approve")).toEqual({ comment: "Looks right", expected: HEAD_COMMIT });
  });

  it("tells an approval that does not count any more", async () => {
    renderPage(`/merges/${MERGE_ID}`, {
      ...answers,
      [`GET ${ONE}`]: { ...pending, approvals: [{ user: "ben", time: "2026-11-15T22:05:00Z", source_commit: HEAD_COMMIT, approved: true, comment: "Fine", is_current: false }] },
    });
    expect(await screen.findByRole("region", { name: "Approvals" })).toHaveTextContent("does not count any more: fix-orders has moved since");
  });

  it("says how it ended, with the commit", async () => {
    renderPage(`/merges/${MERGE_ID}`, { ...answers, [`GET ${ONE}`]: { ...resolved, status: "merged", commit: HEAD_COMMIT } });
    const end = await screen.findByRole("region", { name: "How it ended" });
    expect(within(end).getByRole("link", { name: HEAD_COMMIT.slice(0, 12) })).toHaveAttribute("href", `/commits/${HEAD_COMMIT}`);
    expect(screen.queryByRole("radio")).not.toBeInTheDocument();
    expect(screen.queryByRole("form", { name: "Rule" })).not.toBeInTheDocument();
  });

  it("leads back to the comparison where it was given up", async () => {
    renderPage(`/merges/${MERGE_ID}`, { ...answers, [`GET ${ONE}`]: conflictSet({ status: "aborted" }) });
    const end = await screen.findByRole("region", { name: "How it ended" });
    expect(within(end).getByRole("link", { name: "Compare them again" })).toHaveAttribute("href", "/compare/main...fix-orders");
  });

  it("does not show personal data, but lets it be taken", async () => {
    renderPage(`/merges/${MERGE_ID}`, { ...answers, [`GET ${ONE}`]: conflictSet({ conflicts: [{ ...onRow, masked: true }] }) });
    const table = await screen.findByRole("table", { name: "Conflicts" });
    expect(table).toHaveTextContent("hidden");
    expect(table).not.toHaveTextContent("9.10");
    expect(await within(table).findByRole("radio", { name: "theirs" })).toBeEnabled();
  });

  it("follows what another tab decides, while it is open", async () => {
    renderPage(`/merges/${MERGE_ID}`, answers);
    await screen.findByText("0 of 3 conflicts resolved");
    serve({ ...answers, [`GET ${ONE}`]: resolved });
    await screen.findByText("3 of 3 conflicts resolved");
    expect(screen.getByRole("button", { name: "Merge" })).toBeEnabled();
    serve({ ...answers, [`GET ${ONE}`]: { ...resolved, status: "merged", commit: HEAD_COMMIT } });
    expect(await screen.findByRole("region", { name: "How it ended" })).toBeInTheDocument();
  }, 90_000);

  it("looks again when its tab is looked at again, though it has ended", async () => {
    renderPage(`/merges/${MERGE_ID}`, { ...answers, [`GET ${ONE}`]: conflictSet({ status: "aborted" }) });
    await screen.findByRole("region", { name: "How it ended" });
    const asked = serve({ ...answers, [`GET ${ONE}`]: conflictSet({ status: "aborted" }) });
    window.dispatchEvent(new Event("visibilitychange"));
    await waitFor(() => expect(asked.some((request) => request.url.includes(ONE))).toBe(true));
  });

  it("has a way out where there is no such merge", async () => {
    renderPage("/merges/nope", { ...answers, "GET /api/v1/branches/merges/nope": status(404, { code: "FORGE-E616", detail: "There is no merge 'nope'", errors: [] }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("There is no merge 'nope'");
    expect(screen.getByRole("link", { name: "Branches and open merges" })).toBeInTheDocument();
  });
});

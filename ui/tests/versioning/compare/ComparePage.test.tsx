import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { branch, fix, HEAD_COMMIT, main, paged, session, verdict } from "../../fixtures/catalog";
import { clean, compared, diffed, fromRecords, MERGE_ID, conflictSet, mergeResult } from "../../fixtures/merges";
import { renderPage, status, type Answers } from "../../render";

const COMPARE = "GET /api/v1/branches/compare";
const MERGE = "POST /api/v1/branches/merge";
const base: Answers = {
  "GET /api/v1/branches": paged([main, fix]),
  "GET /api/v1/session": session,
  "GET /api/v1/branches/diff": diffed,
};
const conflicted = { ...base, [COMPARE]: compared() };
const mergeable = { ...base, [COMPARE]: clean };

describe("the page of a comparison", () => {
  it("asks for records first, then for a trial of the merge", async () => {
    const { asked } = renderPage("/compare/main...fix-orders", conflicted);
    expect(await screen.findByRole("heading", { level: 1 })).toHaveTextContent("mainfix-orders");
    await waitFor(() => {
      const previews = asked.filter((request) => request.url.includes("/branches/compare?")).map((request) => new URL(request.url).searchParams.get("preview"));
      expect(previews).toEqual(["false", "true"]);
    });
    expect(screen.getByText("3 commits · 2 tables · +120 ~48 −3 rows · 1 schema change")).toBeInTheDocument();
  });

  it("says what is known while the trial runs", async () => {
    renderPage("/compare/main...fix-orders", { ...base, [COMPARE]: fromRecords });
    const box = await screen.findByRole("region", { name: "Merge" });
    await waitFor(() => expect(box).toHaveTextContent("Whether there are conflicts is not known."));
    expect(screen.getByRole("navigation", { name: "Tables that differ" })).toHaveTextContent("changed on both sides");
  });

  it("marks the tables, and opens the one with conflicts", async () => {
    renderPage("/compare/main...fix-orders", conflicted);
    const tables = await screen.findByRole("navigation", { name: "Tables that differ" });
    await waitFor(() => expect(within(tables).getAllByRole("link").map((link) => link.textContent)).toEqual([expect.stringContaining("3 conflicts"), expect.stringContaining("taken as it is")]));
    expect(within(tables).getByRole("img", { name: "conflicts" })).toBeInTheDocument();
    const table = screen.getByRole("table", { name: "Conflicts" });
    expect(within(table).getByRole("columnheader", { name: "main (ours)" })).toBeInTheDocument();
    expect(within(table).getAllByRole("row").at(-1)).toHaveTextContent("10233whole rowexistsdeletedamount=9.10");
    expect(within(table).queryByRole("radio")).not.toBeInTheDocument();
  });

  it("shows changed rows with their old and new values, from where the two parted", async () => {
    const { asked } = renderPage("/compare/main...fix-orders?tab=rows", conflicted);
    const table = await screen.findByRole("table", { name: "Changed rows of core.orders" });
    const [, updated, inserted, deleted] = within(table).getAllByRole("row");
    expect(updated).toHaveTextContent("~updated10017•••hidden12.00→13.00");
    // Arrow and new value are one piece, which goes below the old value where both do not fit.
    expect(updated?.querySelector(".cell-change > .cell-new")).toHaveTextContent("→13.00");
    expect(inserted).toHaveTextContent("+inserted10300");
    expect(deleted).toHaveTextContent("−deleted9");
    const query = new URL(asked.find((request) => request.url.includes("/diff?"))?.url ?? "").searchParams;
    expect(query.get("base_commit")).toBe(compared().merge_base);
    expect(query.get("table")).toBe("core.orders");
  });

  it("keeps table and part in the address", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/compare/main...fix-orders", conflicted);
    await user.click(await screen.findByRole("tab", { name: "Schema 1" }));
    expect(router.state.location.search).toMatchObject({ tab: "schema" });
    expect(screen.getByText("column note string")).toBeInTheDocument();
    await user.click(screen.getByRole("link", { name: /core\.refunds/ }));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ table: "core.refunds" }));
    expect(await screen.findByRole("region", { name: "core.refunds" })).toBeInTheDocument();
  });

  it("leads to the conflicts when merging finds some", async () => {
    const user = userEvent.setup();
    const { router, asked } = renderPage("/compare/main...fix-orders", {
      ...conflicted,
      [MERGE]: mergeResult({ type: "conflicted", merge_id: MERGE_ID, merge_commit: null, commit: null, conflict_count: 3 }),
      [`GET /api/v1/branches/merges/${MERGE_ID}`]: conflictSet(),
    });
    await user.click(await screen.findByRole("button", { name: "Merge and resolve" }));
    await waitFor(() => expect(router.state.location.pathname).toBe(`/merges/${MERGE_ID}`));
    expect(await asked.find((request) => request.method === "POST")?.json()).toMatchObject({ source_branch: "fix-orders", target_branch: "main", strategy: "three_way", message: null });
  });

  it("merges with strategy and message, and says where main is then", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/compare/main...fix-orders", { ...mergeable, [MERGE]: mergeResult({ type: "squash" }) });
    await user.selectOptions(await screen.findByLabelText("Strategy"), "squash");
    await user.type(screen.getByLabelText("Message"), "Amounts mended");
    await user.click(await screen.findByRole("button", { name: "Merge" }));
    await waitFor(() => expect(screen.getByRole("region", { name: "Merge" })).toHaveTextContent("Merged."));
    expect(within(screen.getByRole("region", { name: "Merge" })).getByRole("link", { name: HEAD_COMMIT.slice(0, 12) })).toBeInTheDocument();
    expect(await asked.find((request) => request.method === "POST")?.json()).toMatchObject({ strategy: "squash", message: "Amounts mended" });
  });

  it("follows a merge that takes long as a run, to its end", async () => {
    const user = userEvent.setup();
    renderPage("/compare/main...fix-orders", {
      ...mergeable,
      [MERGE]: status(202, { run_id: "r9", status: "running", kind: "merge" }),
      "GET /api/v1/runs/r9": { run_id: "r9", status: "succeeded", commit: HEAD_COMMIT, merge_id: null, error: null },
    });
    await user.click(await screen.findByRole("button", { name: "Merge" }));
    await waitFor(() => expect(screen.getByRole("region", { name: "Merge" })).toHaveTextContent(`main is at ${HEAD_COMMIT.slice(0, 12)} now`));
  });

  it("shows what the server refuses", async () => {
    const user = userEvent.setup();
    renderPage("/compare/main...fix-orders", { ...mergeable, [MERGE]: status(409, { code: "FORGE-E620", detail: "ben may not merge into 'main'", errors: [] }) });
    await user.click(await screen.findByRole("button", { name: "Merge" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("ben may not merge");
  });

  it("counts the checks on the merge result, where they are asked", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage("/compare/main...fix-orders", { ...mergeable, [COMPARE]: compared({ ...clean, verdicts: [verdict(), verdict({ check_id: "b", outcome: "failed", blocks: true })] }) });
    expect(await screen.findByText("1 ✓ 1 ✗")).toBeInTheDocument();
    await user.click(screen.getByRole("tab", { name: "Quality" }));
    expect(screen.getByText("blocks")).toBeInTheDocument();
    expect(router.state.location.search).not.toHaveProperty("checks");
    expect(asked.some((request) => request.url.includes("checks=true"))).toBe(false);
  });

  it("says that there is nothing to merge", async () => {
    renderPage("/compare/main...fix-orders", { ...base, [COMPARE]: compared({ ahead: 0, behind: 2, tables: [], tallies: [], conflicts: [], commits: [], has_conflicts: false, can_merge: false }) });
    expect(await screen.findByRole("region", { name: "Merge" })).toHaveTextContent("main has everything that is on fix-orders.");
    expect(screen.queryByRole("button", { name: "Merge" })).not.toBeInTheDocument();
  });

  it("says why two cannot be merged", async () => {
    renderPage("/compare/main...fix-orders", { ...base, [COMPARE]: compared({ ...clean, can_merge: false, error: { code: "FORGE-E611", what: "core.orders has duplicate keys" } }) });
    expect(await screen.findByText(/duplicate keys/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Merge" })).not.toBeInTheDocument();
  });

  it("lets a reader look, not merge", async () => {
    renderPage("/compare/main...fix-orders", { ...mergeable, "GET /api/v1/session": { ...session, scope: "read" } });
    expect(await screen.findByText(/Your token can read only/)).toBeInTheDocument();
    expect(screen.queryByRole("button", { name: "Merge" })).not.toBeInTheDocument();
  });

  it("reads names with a slash, and turns the two round", async () => {
    const user = userEvent.setup();
    const { router, asked } = renderPage("/compare/main...feature%2Fa", { ...mergeable, "GET /api/v1/branches": paged([main, branch("feature/a")]) });
    await user.click(await screen.findByRole("button", { name: "The other way round" }));
    await waitFor(() => expect(decodeURIComponent(router.state.location.pathname)).toBe("/compare/feature/a...main"));
    await waitFor(() => expect(asked.map((request) => new URL(request.url).searchParams.get("base"))).toContain("feature/a"));
  });

  it("shows an error with a way out", async () => {
    renderPage("/compare/main...nope", { ...base, [COMPARE]: status(404, { code: "FORGE-E601", detail: "No branch, commit or time matches 'nope'", errors: [] }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E601");
    expect(screen.getByRole("link", { name: "All branches" })).toHaveAttribute("href", "/branches");
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { asset, branch, commit, commitDetail, fix, FIX_COMMIT, HEAD_COMMIT, main, OLD_COMMIT, paged, session } from "../fixtures/catalog";
import { MERGE_ID, mergeResult, mergeView } from "../fixtures/merges";
import { incident } from "../fixtures/overview";
import { renderPage, status, type Answers } from "../render";

const MERGES = "GET /api/v1/branches/merges";
const answers: Answers = {
  "GET /api/v1/session": session,
  "GET /api/v1/branches": paged([main, fix, branch("old", { status: "archived" })]),
  "GET /api/v1/branches/main": main,
  "GET /api/v1/branches/main/commits": paged([
    commit(HEAD_COMMIT, { message: "Merge", is_merge: true, parents: [OLD_COMMIT, FIX_COMMIT], lane: 0, edges: [{ start: 0, end: 0, to: OLD_COMMIT }, { start: 0, end: 1, to: FIX_COMMIT }] }),
    commit(FIX_COMMIT, { message: "Mended", parents: [OLD_COMMIT], branch: "fix-orders", lane: 1, edges: [{ start: 0, end: 0, to: OLD_COMMIT }, { start: 1, end: 0, to: OLD_COMMIT }], rows_added: 1, rows_modified: 4 }),
    commit(OLD_COMMIT, { message: "First", lane: 0, edges: [] }),
  ]),
  "GET /api/v1/branches/tags": paged([{ name: "v1.0", target: OLD_COMMIT, target_type: "commit", tagger: commit(OLD_COMMIT).author, time: "2026-11-15T22:00:00Z", message: "closing", signature: null }]),
  "GET /api/v1/catalog/search": paged([]),
  [MERGES]: paged([]),
  [`GET /api/v1/branches/commits/${FIX_COMMIT}`]: commitDetail(FIX_COMMIT, { message: "Mended", parents: [OLD_COMMIT] }),
  [`GET /api/v1/branches/commits/${HEAD_COMMIT}`]: commitDetail(HEAD_COMMIT),
};

async function sent(asked: Request[], method: string): Promise<unknown> {
  return asked.find((request) => request.method === method)?.json();
}

describe("open merges", () => {
  it("stand above the branches, with what each waits for", async () => {
    renderPage("/branches", { ...answers, [MERGES]: paged([mergeView({ resolved_count: 1 }), mergeView({ merge_id: "m2", status: "pending", source_branch: "hot" })]) });
    const open = await screen.findByRole("region", { name: "2 open merges" });
    const [first, second] = within(open).getAllByRole("listitem");
    expect(first).toHaveTextContent("2 conflictsfix-orders → main");
    expect(second).toHaveTextContent("waits for approvalhot → main");
    expect(within(open).getByRole("link", { name: "resolve: fix-orders → main" })).toHaveAttribute("href", `/merges/${MERGE_ID}`);
  });

  it("are counted on the first page", async () => {
    renderPage("/", { ...answers, "GET /api/v1/overview": incident, [MERGES]: paged([mergeView(), mergeView({ merge_id: "m2" })]) });
    expect(await screen.findByRole("link", { name: "2merges are open" })).toHaveAttribute("href", "/branches");
  });

  it("give their place on the first page to branches ahead, where there are none", async () => {
    renderPage("/", { ...answers, "GET /api/v1/overview": incident });
    expect(await screen.findByRole("link", { name: /ahead of main/ })).toBeInTheDocument();
  });
});

describe("branches", () => {
  it("that are archived are out of the way until they are asked for", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/branches", answers);
    expect(within(await screen.findByRole("table", { name: "2 branches" })).queryByText("old")).not.toBeInTheDocument();
    await user.click(screen.getByRole("radio", { name: "archived" }));
    await waitFor(() => expect(router.state.location.search).toEqual({ status: "archived" }));
    expect(within(await screen.findByRole("table", { name: "1 branch" })).getByRole("link", { name: "old" })).toBeInTheDocument();
  });

  it("are protected with who may merge", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/branches?dialog=protect&name=main", { ...answers, "PATCH /api/v1/branches/main": { ...main, is_protected: true } });
    const dialog = await screen.findByRole("dialog", { name: "Protection of main" });
    await user.click(within(dialog).getByRole("switch", { name: /^Protected/ }));
    await user.type(within(dialog).getByLabelText("Who may merge"), "ben@shop.example, cy@shop.example");
    await user.click(within(dialog).getByRole("button", { name: "Save" }));
    await waitFor(async () => expect(await sent(asked, "PATCH")).toEqual({ is_protected: true, require_approval: true, allowed_mergers: ["ben@shop.example", "cy@shop.example"] }));
  });

  it("are renamed by git's rules", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/branches?dialog=rename&name=fix-orders", { ...answers, "PATCH /api/v1/branches/fix-orders": { ...fix, name: "fix-2" } });
    const dialog = await screen.findByRole("dialog", { name: "Rename fix-orders" });
    const field = within(dialog).getByLabelText(/New name/);
    await user.clear(field);
    await user.type(field, "main");
    expect(within(dialog).getByText("There is a branch of that name already.")).toBeInTheDocument();
    await user.clear(field);
    await user.type(field, "fix-2");
    await user.click(within(dialog).getByRole("button", { name: "Rename the branch" }));
    await waitFor(async () => expect(await sent(asked, "PATCH")).toEqual({ name: "fix-2" }));
  });

  it("that were archived come back", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/branches?dialog=archive&name=old", { ...answers, "PATCH /api/v1/branches/old": branch("old") });
    await user.click(await screen.findByRole("button", { name: "Bring it back" }));
    await waitFor(async () => expect(await sent(asked, "PATCH")).toEqual({ status: "active" }));
  });
});

describe("the log as a graph", () => {
  it("draws a line for each way, and says branches and tags", async () => {
    const { asked, container } = renderPage("/branches/main", answers);
    const table = await screen.findByRole("table", { name: "Commits of main" });
    expect(asked.some((request) => request.url.includes("graph=true"))).toBe(true);
    const [, , second, third] = within(table).getAllByRole("row");
    expect(second).toHaveTextContent("1 inserted, 4 updated");
    expect(second).toHaveTextContent("made on fix-orders");
    await waitFor(() => expect(third).toHaveTextContent("tag v1.0"));
    await waitFor(() => expect(within(second as HTMLElement).getByRole("link", { name: "fix-orders" })).toBeInTheDocument());
    expect(container.querySelectorAll(".lane-dot")).toHaveLength(3);
    expect(container.querySelectorAll(".lanes path")).toHaveLength(2 + 2 + 2 + 1);
  });

  it("reverts a commit on the branch, and leads to its conflicts", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage(`/branches/main?dialog=revert&commit=${FIX_COMMIT}`, {
      ...answers,
      "POST /api/v1/branches/revert": mergeResult({ type: "conflicted", merge_id: MERGE_ID, merge_commit: null, commit: null }),
    });
    await user.click(within(await screen.findByRole("dialog", { name: `Revert ${FIX_COMMIT.slice(0, 12)}` })).getByRole("button", { name: "Revert" }));
    await waitFor(async () => expect(await sent(asked, "POST")).toMatchObject({ commit: FIX_COMMIT, branch: "main", message: null }));
    await waitFor(() => expect(router.state.location.pathname).toBe(`/merges/${MERGE_ID}`));
  });

  it("cherry-picks a commit to another branch", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(`/branches/main?dialog=cherry-pick&commit=${FIX_COMMIT}`, { ...answers, "POST /api/v1/branches/cherry-pick": mergeResult() });
    const dialog = await screen.findByRole("dialog");
    await waitFor(() => expect(within(dialog).getByLabelText("Onto branch")).toHaveValue("fix-orders"));
    await user.click(within(dialog).getByRole("button", { name: "Cherry-pick" }));
    await waitFor(async () => expect(await sent(asked, "POST")).toMatchObject({ commit: FIX_COMMIT, branch: "fix-orders" }));
  });

  it("tags a commit, by git's rules", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage(`/commits/${FIX_COMMIT}?dialog=tag`, { ...answers, "POST /api/v1/branches/tags": status(201, { name: "v2" }) });
    const dialog = await screen.findByRole("dialog", { name: `Tag ${FIX_COMMIT.slice(0, 12)}` });
    await user.type(within(dialog).getByLabelText(/^Name/), "v 2");
    expect(within(dialog).getByText(/it contains a space/)).toBeInTheDocument();
    await user.clear(within(dialog).getByLabelText(/^Name/));
    await user.type(within(dialog).getByLabelText(/^Name/), "v2");
    await user.click(within(dialog).getByRole("button", { name: "Create the tag" }));
    await waitFor(async () => expect(await sent(asked, "POST")).toEqual({ name: "v2", target: FIX_COMMIT, message: "", force: false }));
  });
});

describe("rows of a file", () => {
  const file = new File(["order_id,amount\n1,x\n"], "orders.csv", { type: "text/csv" });

  async function fill(user: ReturnType<typeof userEvent.setup>): Promise<HTMLElement> {
    const dialog = await screen.findByRole("dialog", { name: "Commit rows to main" });
    expect(within(dialog).getByLabelText(/^Table/)).toHaveValue("core.orders");
    await user.upload(within(dialog).getByLabelText(/^File/), file);
    await user.selectOptions(within(dialog).getByLabelText("Mode"), "merge");
    await user.type(within(dialog).getByLabelText("Key"), "order_id");
    await user.click(within(dialog).getByRole("button", { name: "Commit the rows" }));
    return dialog;
  }

  it("are sent as a form, and close the dialog when they are committed", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage("/branches/main?dialog=commit&into=core.orders", {
      ...answers,
      "POST /api/v1/branches/main/commits": status(201, { type: "committed", table: "core.orders", branch: "main", mode: "merge", commit: commit(HEAD_COMMIT), rows_added: 1, rows_modified: 0, rows_deleted: 0, verdicts: [], run_id: "r1" }),
    });
    await fill(user);
    await waitFor(() => expect(router.state.location.searchStr).toBe(""));
    expect(asked.filter((request) => request.method === "POST").map((request) => new URL(request.url).pathname)).toEqual(["/api/v1/branches/main/commits"]);
  });

  it("that do not fit are refused with line and reason", async () => {
    const user = userEvent.setup();
    renderPage("/branches/main?dialog=commit&into=core.orders", {
      ...answers,
      "POST /api/v1/branches/main/commits": status(422, { code: "FORGE-E621", detail: "'x' is no decimal(12,2)", where: "orders.csv:2", errors: [] }),
    });
    const dialog = await fill(user);
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("FORGE-E621'x' is no decimal(12,2)orders.csv:2");
  });

  it("that checks hold back say which", async () => {
    const user = userEvent.setup();
    renderPage("/branches/main?dialog=commit&into=core.orders", {
      ...answers,
      "POST /api/v1/branches/main/commits": { type: "blocked", table: "core.orders", branch: "main", mode: "merge", commit: null, rows_added: 0, rows_modified: 0, rows_deleted: 0, verdicts: [], run_id: "r1" },
    });
    const dialog = await fill(user);
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("Held back by its checks; nothing was committed.");
  });
});

describe("who wrote a row", () => {
  const cell = { commit: FIX_COMMIT, run_id: null, author: "ben", time: "2026-11-15T21:00:00Z", message: "Mended" };
  const page: Answers = {
    ...answers,
    "GET /api/v1/catalog/assets/core.orders": asset(),
    [`GET /api/v1/branches/datasets/core.orders/commits/${HEAD_COMMIT}/data`]: {
      dataset_id: "core.orders",
      commit: HEAD_COMMIT,
      columns: [{ name: "order_id", type: "bigint", masked: false }, { name: "amount", type: "decimal(12,2)", masked: false }],
      rows: [[10017, "13.00"]],
      truncated: false,
    },
  };

  it("is told with commit, author and the cells that are older", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/assets/core.orders?tab=sample", {
      ...page,
      "GET /api/v1/branches/blame": {
        table: "core.orders",
        at: "HEAD",
        commit: HEAD_COMMIT,
        key: ["order_id"],
        rows: [{ ...cell, key: { order_id: 10017 }, cells: [{ ...cell, column: "amount" }, { ...cell, column: "order_id", commit: OLD_COMMIT, author: "sam" }] }],
        truncated: false,
      },
    });
    await user.click(await screen.findByRole("button", { name: /^Who wrote this\?/ }));
    expect(await screen.findByText("Older cells")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "Mended" })).toHaveAttribute("href", `/commits/${FIX_COMMIT}`);
    const older = screen.getByText("Older cells").nextElementSibling;
    expect(older).toHaveTextContent(`order_id ${OLD_COMMIT.slice(0, 12)} sam`);
    expect(older).not.toHaveTextContent("amount");
    expect(asked.map((request) => new URL(request.url).searchParams.get("key"))).toContain("order_id:10017");
  });

  it("cannot be told of a table without a key", async () => {
    const user = userEvent.setup();
    renderPage("/assets/core.orders?tab=sample", { ...page, "GET /api/v1/branches/blame": { table: "core.orders", at: "HEAD", commit: HEAD_COMMIT, key: [], rows: [], truncated: false } });
    await user.click(await screen.findByRole("button", { name: /^Who wrote this\?/ }));
    expect(await screen.findByText("core.orders has no key: a row cannot be told from its equals.")).toBeInTheDocument();
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { inShell } from "../../../src/format/shell";
import { barOf, compareInWords, longestOf, whyNotName } from "../../../src/versioning/branch/words";
import { branch, commit, fix, FIX_COMMIT, main, paged, session } from "../../fixtures/catalog";
import { renderPage, status } from "../../render";

const BRANCHES = "GET /api/v1/branches";
const SESSION = "GET /api/v1/session";
const two = { [BRANCHES]: paged([main, fix]), [SESSION]: session, "GET /api/v1/branches/fix-orders/commits": paged([commit(FIX_COMMIT, { message: "Mended" })]) };

describe("branches in words", () => {
  it.each([
    [{ ahead: 0, behind: 0, is_default: true }, "the default branch"],
    [{ ahead: 0, behind: 0, is_default: false }, "same as main"],
    [{ ahead: 1, behind: 0, is_default: false }, "1 commit ahead of main"],
    [{ ahead: 0, behind: 2, is_default: false }, "2 commits behind main"],
    [{ ahead: 2, behind: 1, is_default: false }, "2 commits ahead of main, 1 behind"],
  ])("%#", (compared, words) => {
    expect(compareInWords(compared, "main")).toBe(words);
  });

  it("draws what is there so that it is seen, and nothing for nothing", () => {
    expect(barOf({ ahead: 1, behind: 0 }, 500)).toEqual({ ahead: 12, behind: 0 });
    expect(barOf({ ahead: 250, behind: 500 }, 500)).toEqual({ ahead: 50, behind: 100 });
    expect(barOf({ ahead: 0, behind: 0 }, 0)).toEqual({ ahead: 0, behind: 0 });
    expect(longestOf([])).toBe(0);
  });

  // From git check-ref-format's own list.
  it.each(["-x", "HEAD", ".a", "a/.b", "a..b", "a.lock", "a.lock/b", "/a", "a/", "a//b", "a.", "a@{b", "a b", "a~1", "a^", "a:b", "a?", "a*", "a[b", "a\\b", "a\tb"])(
    "refuses %j as git does",
    (name) => {
      expect(whyNotName(name, [])).toMatch(/Branch names follow git’s rules/);
    },
  );

  it.each(["fix-orders", "feature/a", "HEADER", "a.b", "a@b", "größer", "x.locked"])("accepts %j", (name) => {
    expect(whyNotName(name, [])).toBeNull();
  });

  it("tells a name that is taken", () => {
    expect(whyNotName("main", [main])).toBe("There is a branch of that name already.");
  });

  it("quotes for the shell only where it must", () => {
    expect(inShell("feature/a")).toBe("feature/a");
    expect(inShell("a&b'c")).toBe("'a&b'\\''c'");
  });
});

describe("the page of branches", () => {
  it("lists them with how they stand against main; main itself cannot be deleted", async () => {
    renderPage("/branches", two);
    const table = await screen.findByRole("table", { name: "2 branches" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(first).toHaveTextContent("main");
    expect(first).toHaveTextContent("default");
    expect(second).toHaveTextContent("1 commit ahead of main");
    expect(second).toHaveTextContent("Amounts in euros again");
    expect(screen.getAllByRole("link", { name: /^Delete/ }).map((link) => link.getAttribute("href"))).toEqual(["/branches?dialog=delete&name=fix-orders"]);
  });

  it("tells what a branch is good for while there is only main", async () => {
    renderPage("/branches", { [BRANCHES]: paged([main]), [SESSION]: session });
    expect(await screen.findByText("Only the default branch so far")).toBeInTheDocument();
    expect(screen.getByText("forge branch create fix-orders")).toBeInTheDocument();
  });

  it("offers nothing that a reader may not do", async () => {
    renderPage("/branches?dialog=create", { ...two, [SESSION]: { ...session, scope: "read" } });
    await screen.findByRole("table", { name: "2 branches" });
    await waitFor(() => expect(screen.queryByRole("link", { name: "New branch" })).not.toBeInTheDocument());
    expect(screen.queryByRole("link", { name: /^Delete/ })).not.toBeInTheDocument();
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
  });

  it("creates one from what the address says, and goes there", async () => {
    const user = userEvent.setup();
    const { asked, router } = renderPage("/branches?dialog=create&from=HEAD~1", { ...two, "POST /api/v1/branches": status(201, branch("feature/a")) });
    const dialog = await screen.findByRole("dialog", { name: "New branch" });
    expect(within(dialog).getByLabelText("From")).toHaveValue("HEAD~1");
    await user.type(within(dialog).getByLabelText(/^Name/), "feature/a");
    await user.type(within(dialog).getByLabelText("What it is for"), "A try");
    await user.click(within(dialog).getByRole("button", { name: "Create the branch" }));
    await waitFor(() => expect(router.state.location.pathname).toBe("/branches/feature%2Fa"));
    const sent: unknown = await asked.find((request) => request.method === "POST")?.json();
    expect(sent).toEqual({ name: "feature/a", from_commit: "HEAD~1", description: "A try" });
  });

  it("tells git's rule before anything is sent", async () => {
    const user = userEvent.setup();
    renderPage("/branches?dialog=create", two);
    await user.type(await screen.findByLabelText(/^Name/), "a b");
    expect(screen.getByText(/it contains a space/)).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Create the branch" })).toBeDisabled();
  });

  it("shows what the server refuses", async () => {
    const user = userEvent.setup();
    renderPage("/branches?dialog=create&name=x", { ...two, "POST /api/v1/branches": status(404, { code: "FORGE-E601", detail: "No branch, commit or time matches 'nowhere'", errors: [] }) });
    await user.click(await screen.findByRole("button", { name: "Create the branch" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E601No branch, commit or time matches 'nowhere'");
  });

  it("asks a second time, with force, where commits would be lost", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/branches?dialog=delete&name=fix-orders", {
      ...two,
      "DELETE /api/v1/branches/fix-orders": status(409, { code: "FORGE-E607", detail: "'fix-orders' holds 1 commits that no other branch has", errors: [] }),
    });
    const dialog = await screen.findByRole("dialog", { name: "Delete the branch fix-orders?" });
    await waitFor(() => expect(dialog).toHaveTextContent("1 commit of it is not on main:"));
    await waitFor(() => expect(dialog).toHaveTextContent("ea1ba68aab03 Mended"));
    expect(dialog).toHaveTextContent("It changed core.orders");
    await user.click(within(dialog).getByRole("button", { name: "Delete the branch" }));
    expect(await within(dialog).findByRole("alert")).toHaveTextContent("no button brings them back");
    await user.click(within(dialog).getByRole("button", { name: "Delete all the same" }));
    await waitFor(() => expect(asked.filter((request) => request.method === "DELETE").map((request) => new URL(request.url).searchParams.get("force"))).toEqual(["false", "true"]));
  });

  it("says that nothing is lost where main has it all, and closes when it is done", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/branches?dialog=delete&name=same", {
      [BRANCHES]: paged([main, branch("same")]),
      [SESSION]: session,
      "DELETE /api/v1/branches/same": status(204, null),
    });
    const dialog = await screen.findByRole("dialog");
    expect(dialog).toHaveTextContent("only the name goes, no data is lost");
    await user.click(within(dialog).getByRole("button", { name: "Delete the branch" }));
    await waitFor(() => expect(router.state.location.searchStr).toBe(""));
  });

  it("opens no dialog for the default branch", async () => {
    renderPage("/branches?dialog=delete&name=main", two);
    await screen.findByRole("table", { name: "2 branches" });
    expect(screen.queryByRole("dialog")).not.toBeInTheDocument();
  });
});

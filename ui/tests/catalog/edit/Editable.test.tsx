import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { afterInWords, bodyOfEdit, fieldInWords, pathInWords, stillThere, theirsOf } from "../../../src/catalog/edit/words";
import { asset, column, main, paged, session } from "../../fixtures/catalog";
import { renderPage, serve, status } from "../../render";

const ASSET = "GET /api/v1/catalog/assets/core.orders";
const EDIT = "PATCH /api/v1/catalog/assets/core.orders";
const HISTORY = "GET /api/v1/catalog/assets/core.orders/history";
const TERMS = "GET /api/v1/catalog/glossary/terms";
const edit = { documentation_version: 4, at: "2026-11-15T22:00:00Z", by: "ada@shop.example", before: { description: null }, after: { description: "Theirs" }, undoes: null, approved_by: null };
const known = { [ASSET]: asset(), "GET /api/v1/session": session, "GET /api/v1/branches": paged([main]), [TERMS]: paged([]) };
const line = { id: "core.orders", name: "orders", qualified_name: "core.orders", type: "table", description: "", owner: null, tags: [], domain: null, source: "lake", catalog_state: "active", documentation_version: 4 };

describe("a description", () => {
  it("is sent with the version that was seen", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/assets/core.orders", { ...known, [EDIT]: { asset: line, edit, proposal: null } });
    const about = await screen.findByRole("region", { name: "Description" });
    await user.click(await within(about).findByRole("button", { name: "Edit description" }));
    await user.clear(within(about).getByRole("textbox"));
    await user.type(within(about).getByRole("textbox"), "Mine");
    await user.click(within(about).getByRole("button", { name: "Save" }));
    await waitFor(() => expect(within(about).queryByRole("textbox")).not.toBeInTheDocument());
    const sent: unknown = await asked.find(({ method }) => method === "PATCH")?.json();
    expect(sent).toEqual({ expected_version: 3, description: "Mine" });
  });

  it("stays as it was typed when somebody was faster, and says who", async () => {
    const user = userEvent.setup();
    renderPage("/assets/core.orders", known);
    const about = await screen.findByRole("region", { name: "Description" });
    await user.click(await within(about).findByRole("button", { name: "Edit description" }));
    await user.clear(within(about).getByRole("textbox"));
    await user.type(within(about).getByRole("textbox"), "Mine");
    const asked = serve({
      ...known,
      [ASSET]: asset({ description: "Theirs", documentation_version: 4 }),
      [HISTORY]: paged([edit]),
      [EDIT]: status(409, { code: "FORGE-E853", detail: "core.orders was changed meanwhile" }),
    });
    await user.click(within(about).getByRole("button", { name: "Save" }));
    expect(await within(about).findByText(/ada@shop.example changed it meanwhile/)).toBeInTheDocument();
    expect(within(about).getByText("Now it says: Theirs")).toBeInTheDocument();
    expect(within(about).getByRole("textbox")).toHaveValue("Mine");
    await user.click(within(about).getByRole("button", { name: "Save mine over it" }));
    await waitFor(() => expect(asked.filter(({ method }) => method === "PATCH")).toHaveLength(2));
    const sent: unknown = await asked.filter(({ method }) => method === "PATCH")[1]?.json();
    expect(sent).toEqual({ expected_version: 4, description: "Mine" });
  });

  it("gives the focus back to its pencil, saved or not", async () => {
    const user = userEvent.setup();
    renderPage("/assets/core.orders", { ...known, [EDIT]: { asset: line, edit, proposal: null } });
    const pencil = (name: string) => screen.findByRole("button", { name });
    await user.click(await pencil("Edit description"));
    expect(screen.getByRole("textbox", { name: "Description" })).toHaveFocus();
    await user.keyboard("{Escape}");
    expect(await pencil("Edit description")).toHaveFocus();
    await user.click(await pencil("Edit owner"));
    await user.keyboard("x{Enter}");
    await waitFor(() => expect(screen.getByRole("button", { name: "Edit owner" })).toHaveFocus());
    await user.click(await pencil("Edit classification"));
    expect(screen.getByRole("combobox", { name: "Classification" })).toHaveFocus();
  });

  it("of a file of the project is changed there", async () => {
    renderPage("/assets/core.orders", { ...known, [ASSET]: asset({ origins: { description: "file catalog/core.yaml:7" } }) });
    const about = await screen.findByRole("region", { name: "Description" });
    expect(await within(about).findByLabelText("written in catalog/core.yaml:7")).toBeInTheDocument();
    expect(within(about).queryByRole("button")).not.toBeInTheDocument();
  });
});

describe("every field that people say", () => {
  const terms = [{ id: "sales.order", name: "Order", domain: "sales", definition: "", synonyms: [], related: [], examples: [], owner: null, state: "draft", version: 1, created_at: null, updated_at: null, updated_by: "", file: null }];

  it.each([
    ["team", { team: "retail" }],
    ["stewards", { stewards: ["x"] }],
    ["primary key", { primary_key: ["order_id", "x"] }],
    ["deprecated", { deprecated: "x" }],
    ["tags of email", { columns: { email: { tags: ["x"] } } }],
  ])("is edited where it stands: %s", async (label, body) => {
    const user = userEvent.setup();
    const { asked } = renderPage("/assets/core.orders", { ...known, [EDIT]: { asset: line, edit, proposal: null } });
    await user.click(await screen.findByRole("button", { name: `Edit ${label}` }));
    await user.keyboard(label === "team" ? "retail" : "x");
    // Enter ends a name; the button saves.
    if (!["team", "deprecated"].includes(label)) await user.keyboard("{Enter}");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
    const sent: unknown = await asked.find(({ method }) => method === "PATCH")?.json();
    expect(sent).toEqual({ expected_version: 3, ...body });
  });

  it("is shown: terms, tags of columns, quality and former names", async () => {
    const user = userEvent.setup();
    const schema = [column("email", { tags: ["contact"] })];
    const { asked } = renderPage("/assets/core.orders", { ...known, [ASSET]: asset({ terms: ["sales.order"], former_names: ["old.orders"], quality_score: 93.7, schema }), [TERMS]: paged(terms), [EDIT]: { asset: line, edit, proposal: null } });
    expect(await screen.findByRole("link", { name: "Order" })).toHaveAttribute("href", "/glossary?term=sales.order");
    expect(screen.getByRole("link", { name: "contact" })).toHaveAttribute("href", "/search?tags=contact");
    expect(screen.getByText("old.orders")).toBeInTheDocument();
    expect(screen.getByText("93.7% of its checks passed")).toBeInTheDocument();
    await user.click(await screen.findByRole("button", { name: "Edit terms" }));
    await user.keyboard("{Backspace}");
    await user.click(screen.getByRole("button", { name: "Save" }));
    await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
    const sent: unknown = await asked.find(({ method }) => method === "PATCH")?.json();
    expect(sent).toEqual({ expected_version: 3, terms: null });
  });
});

describe("what turns letters around", () => {
  it("is shown by its number wherever people write", async () => {
    renderPage("/assets/core.orders", { ...known, [ASSET]: asset({ owner: "a\u202eb", tags: ["c\u202ed"], team: "e\u202ef" }) });
    expect(await screen.findByText("a[U+202E]b")).toBeInTheDocument();
    expect(screen.getByText("c[U+202E]d")).toBeInTheDocument();
    expect(screen.getByText("e[U+202E]f")).toBeInTheDocument();
  });
});

describe("a classification that nobody chose so", () => {
  const why = "a person set public; because of its columns it stays confidential";

  it("says openly why it holds", async () => {
    const { unmount } = renderPage("/assets/core.orders", { ...known, [ASSET]: asset({ classification: "confidential", classification_why: why }) });
    expect(await screen.findByText(why)).toBeVisible();
    unmount();
    renderPage("/assets/core.orders", { ...known, [ASSET]: asset({ classification: "confidential", classification_why: "set by a person" }) });
    expect(await screen.findByText("confidential")).toHaveAttribute("title", "set by a person");
    expect(screen.queryByText("set by a person")).not.toBeInTheDocument();
  });
});

describe("words of an edit", () => {
  it("sends a field by its path; nothing takes it away", () => {
    expect(bodyOfEdit("owner", " ", 2)).toEqual({ expected_version: 2, owner: null });
    expect(bodyOfEdit("tags", [], 2)).toEqual({ expected_version: 2, tags: null });
    expect(bodyOfEdit("columns.amount.description", "Paid", 2)).toEqual({ expected_version: 2, columns: { amount: { description: "Paid" } } });
    expect(bodyOfEdit("columns.a.b.term", "x", 0)).toEqual({ expected_version: 0, columns: { "a.b": { term: "x" } } });
  });

  it("reads changes", () => {
    expect(pathInWords("columns.amount.description")).toBe("description of amount");
    expect(pathInWords("primary_key")).toBe("primary key");
    expect(fieldInWords(null)).toBe("nothing");
    expect(stillThere(["gold", "daily"], ["gold", "daily"])).toBeUndefined();
    expect(stillThere(["gold", "daily"], ["daily"])).toBe("gold stays, as its source gives it: it is changed there.");
    expect(afterInWords("tags", null)).toBe("as its source says");
    expect(afterInWords("columns.amount.description", null)).toBe("as its source says");
    expect(afterInWords("columns.amount.term", null)).toBe("nothing");
    expect(afterInWords("owner", "ada")).toBe("ada");
    expect(fieldInWords(["gold", "daily"])).toBe("gold, daily");
    expect(fieldInWords("a".repeat(400))).toHaveLength(301);
    expect(theirsOf([{ ...edit, after: { owner: "x" } }, edit], "description")?.by).toBe("ada@shop.example");
    expect(theirsOf([], "description")).toBeUndefined();
  });
});

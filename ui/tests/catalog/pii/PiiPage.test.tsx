import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import type { PiiFindingView } from "../../../src/api";
import { nextOf, stepFrom, surestFirst, typeName, typesOf } from "../../../src/catalog/pii/words";
import { hit, paged, session } from "../../fixtures/catalog";
import { renderPage, status } from "../../render";

const FINDINGS = "GET /api/v1/catalog/pii/findings";
const SESSION = "GET /api/v1/session";

function finding(column: string, more: Partial<PiiFindingView> = {}): PiiFindingView {
  return {
    id: column,
    table: "core.customers",
    column,
    type: "email",
    score: 0.99,
    evidence: [`the name says ${column}`],
    quasi: false,
    state: "open",
    origin: "scan",
    source: null,
    path: [],
    reviewed_by: null,
    reviewed_at: null,
    note: "",
    reason: "",
    snapshot_id: "1",
    first_seen: "2026-11-14T06:10:00Z",
    last_seen: "2026-11-14T06:10:00Z",
    closed_at: null,
    version: 3,
    ...more,
  };
}

const open = paged([finding("country", { type: null, quasi: true }), finding("email"), finding("contact", { origin: "lineage", source: "raw.customers.email", path: ["raw.customers.email"] })]);

describe("findings of personal data", () => {
  it("are decided by keyboard, with the version that was seen", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/pii", { [FINDINGS]: open, [SESSION]: session, "PATCH /api/v1/catalog/pii/findings/contact": finding("contact", { state: "rejected" }) });
    expect(await screen.findByText("the name says email")).toBeInTheDocument();
    await user.keyboard("j");
    expect(await screen.findByText("the name says contact")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "raw.customers.email" })).toHaveAttribute("href", "/lineage?focus=raw.customers.email");
    await screen.findByRole("button", { name: "Confirm" });
    await user.keyboard("n");
    await waitFor(() => expect(asked.some(({ method }) => method === "PATCH")).toBe(true));
    const sent: unknown = await asked.find(({ method }) => method === "PATCH")?.json();
    expect(sent).toEqual({ state: "rejected", note: null, expected_version: 3 });
  });

  it("cannot be decided by who may only read", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/pii", { [FINDINGS]: open, [SESSION]: { ...session, scope: "read" } });
    await screen.findByText("the name says email");
    await user.keyboard("y");
    expect(screen.queryByRole("button", { name: "Confirm" })).not.toBeInTheDocument();
    expect(asked.some(({ method }) => method === "PATCH")).toBe(false);
  });

  it("are asked for as the address says", async () => {
    const { asked } = renderPage("/pii?state=confirmed&types=email&types=phone&table=core.customers", { [FINDINGS]: paged([]), [SESSION]: session });
    expect(await screen.findByText("Nothing passes these filters")).toBeInTheDocument();
    const query = new URL(asked.find(({ url }) => url.includes("/pii/findings"))?.url ?? "").searchParams;
    expect([query.getAll("state"), query.getAll("type"), query.getAll("table")]).toEqual([["confirmed"], ["email", "phone"], ["core.customers"]]);
    expect(within(screen.getByRole("search", { name: "Filter findings" })).getByRole("textbox", { name: "Table" })).toHaveValue("core.customers");
  });
});

describe("looking for personal data", () => {
  const ticket = (run: string) => ({ run_id: run, kind: "scan" });
  const ended = (run: string) => ({ run_id: run, status: "succeeded", error: null });

  it("says the command that looks through all tables, and does the same by a button", async () => {
    const user = userEvent.setup();
    const { asked } = renderPage("/pii", {
      [FINDINGS]: paged([]),
      [SESSION]: session,
      "GET /api/v1/catalog/search": paged([hit("core.customers"), hit("core.orders"), hit("crm.public.people"), { ...hit("old.gone"), vanished: true }]),
      "POST /api/v1/catalog/assets/core.customers/pii/scan": status(202, ticket("r1")),
      "GET /api/v1/runs/r1": ended("r1"),
      "POST /api/v1/catalog/assets/core.orders/pii/scan": status(409, { code: "FORGE-E310", detail: "core.orders has no rows" }),
    });
    expect(await screen.findByText("forge pii scan --all")).toBeInTheDocument();
    await user.click(await screen.findByRole("button", { name: "Scan all tables" }));
    expect(await screen.findByRole("alert")).toHaveTextContent("core.orders could not be scanned: core.orders has no rows");
    const scans = asked.filter(({ method }) => method === "POST").map(({ url }) => new URL(url).pathname);
    expect(scans).toEqual(["/api/v1/catalog/assets/core.customers/pii/scan", "/api/v1/catalog/assets/core.orders/pii/scan"]);
  });

  it("offers every type, and those that only this project has", async () => {
    const user = userEvent.setup();
    renderPage("/pii", { [FINDINGS]: paged([finding("tax", { type: "tax_id" })]), [SESSION]: session });
    await screen.findByText("the name says tax");
    await user.click(screen.getByRole("combobox", { name: "Type" }));
    expect(await screen.findByRole("option", { name: "IBAN" })).toBeInTheDocument();
    expect(screen.getByRole("option", { name: "tax id" })).toBeInTheDocument();
  });
});

describe("what search finds by", () => {
  it("is asked again after a decision", async () => {
    const user = userEvent.setup();
    const { queries } = renderPage("/pii", { [FINDINGS]: open, [SESSION]: session, "PATCH /api/v1/catalog/pii/findings/email": finding("email", { state: "confirmed" }) });
    queries.setQueryData(["find", {}], { pages: [], pageParams: [] });
    await user.click(await screen.findByRole("button", { name: "Confirm" }));
    await waitFor(() => expect(queries.getQueryState(["find", {}])?.isInvalidated).toBe(true));
  });
});

describe("words of a finding", () => {
  const all = [finding("a"), finding("b"), finding("c")];

  it("steps from one to the next and stays at the ends", () => {
    expect(stepFrom(all, "a", 1)?.id).toBe("b");
    expect(stepFrom(all, "c", 1)?.id).toBe("c");
    expect(stepFrom(all, "gone", 1)?.id).toBe("a");
    expect(stepFrom<PiiFindingView>([], "a", 1)).toBeUndefined();
    expect(nextOf(all, "c")?.id).toBe("b");
  });

  it("puts quasi-identifiers last, and names types", () => {
    expect(surestFirst([finding("country", { type: null }), finding("email")]).map((one) => one.column)).toEqual(["email", "country"]);
    expect(surestFirst([finding("phone", { score: 0.6 }), finding("email", { score: 0.9 }), finding("country", { type: null, score: 1 })]).map((one) => one.column)).toEqual(["email", "phone", "country"]);
    expect(typesOf([finding("a", { type: "tax_id" }), finding("b"), finding("c", { type: null }), finding("d")])).toEqual(["email", "tax_id"]);
    expect([typeName("ssn"), typeName("date_of_birth"), typeName(null)]).toEqual(["social security number", "date of birth", "quasi-identifier"]);
  });
});

import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { askedOrder, nextOrder, readOrder } from "../../../src/lineage/sources/search";
import { byTable, filesIn, ingestCommand, shareInWords, statementsInWords, toneOfShare, whereSaid } from "../../../src/lineage/sources/words";
import { paged } from "../../fixtures/catalog";
import { disagreement, gap, source, sourceDetail, totals } from "../../fixtures/sources";
import { renderPage, status, type Answers } from "../../render";

const SOURCES = "GET /api/v1/lineage/sources";
const GAPS = "GET /api/v1/lineage/sources/gaps";
const DISAGREEMENTS = "GET /api/v1/lineage/sources/disagreements";
const FILE = "GET /api/v1/lineage/sources/jobs/daily.sql";

const files = [source("jobs/daily.sql"), source("jobs/value.py", { language: "python", statements: 2, understood: 2, gaps: 0, edges: 2 })];
const answers: Answers = {
  [SOURCES]: { ...paged(files), totals: totals() },
  [GAPS]: paged([gap("jobs/daily.sql", 12, "MERGE INTO marts.daily USING;"), gap("jobs/daily.sql", 14, "SELECT FROM"), gap("jobs/old.sql", 1, "SELEC 1")]),
  [DISAGREEMENTS]: { ...paged([]), tables: 0, agreed: 0 },
  [FILE]: sourceDetail("jobs/daily.sql"),
};

function lastAsked(asked: Request[]): Record<string, string> {
  const request = asked.filter((one) => new URL(one.url).pathname === "/api/v1/lineage/sources").findLast((one) => !one.url.includes("limit=1"));
  return Object.fromEntries(new URL(request?.url ?? "http://x").searchParams);
}

describe("before anything was read", () => {
  it("says what to type", async () => {
    renderPage("/lineage/sources", { ...answers, [SOURCES]: { ...paged([]), totals: totals({ files: 0, languages: [], read_at: null }) } });
    expect(await screen.findByText("No code was read yet")).toBeInTheDocument();
    expect(screen.getByRole("button", { name: "Copy: forge ingest PATH" })).toBeInTheDocument();
    expect(screen.queryByRole("tab")).not.toBeInTheDocument();
  });

  it("tells a problem with a way to try again", async () => {
    renderPage("/lineage/sources", { ...answers, [SOURCES]: status(503, { code: "FORGE-E901", detail: "The database is busy" }) });
    expect(await screen.findByRole("alert")).toHaveTextContent("The database is busy");
    expect(screen.getByRole("button", { name: "Try again" })).toBeInTheDocument();
  });
});

describe("the sums", () => {
  it("tell what was understood of all files and of each language", async () => {
    renderPage("/lineage/sources", answers);
    const all = await screen.findByRole("region", { name: "All files" });
    for (const words of ["75%", "6 of 8 statements, beside 1 query that writes nothing", "2 h ago"]) expect(all).toHaveTextContent(words);
    const languages = within(all).getByRole("list", { name: "By language" });
    expect(within(languages).getByRole("link", { name: /SQL.*66.7%.*2 files, 7 edges, 2 gaps/ })).toHaveAttribute("href", "/lineage/sources?language=sql");
  });
});

describe("the files", () => {
  it("have what was understood, and lead to their gaps", async () => {
    renderPage("/lineage/sources", answers);
    const table = await screen.findByRole("table", { name: "Files that were read" });
    const [, first, second] = within(table).getAllByRole("row");
    expect(first).toHaveTextContent("4 of 6 statements");
    expect(second).toHaveTextContent("all 2 statements");
    expect(within(table).getByRole("link", { name: "jobs/daily.sql" })).toHaveAttribute("href", "/lineage/sources?file=jobs/daily.sql");
    expect(within(table).getByRole("columnheader", { name: "Understood" })).toHaveAttribute("aria-sort", "ascending");
  });

  it("are asked for as the address says", async () => {
    const { asked } = renderPage("/lineage/sources?q=daily&language=sql&gaps=yes&order=gaps", answers);
    await screen.findByRole("table", { name: "Files that were read" });
    expect(lastAsked(asked)).toEqual({ query: "daily", language: "sql", gaps: "true", sort: "gaps", reverse: "true" });
    expect(screen.getByText("2 of 3 files")).toBeInTheDocument();
  });

  it("are filtered and sorted by hand, and the address knows of it", async () => {
    const user = userEvent.setup();
    const { router, asked } = renderPage("/lineage/sources", answers);
    await user.type(await screen.findByLabelText("Part of a path"), "jobs/");
    await waitFor(() => expect(router.state.location.search).toEqual({ q: "jobs/" }));
    await user.selectOptions(screen.getByLabelText("Language"), "python");
    await user.click(screen.getByLabelText("only with gaps"));
    await user.click(screen.getByRole("button", { name: "Edges" }));
    await waitFor(() => expect(router.state.location.href).toBe("/lineage/sources?q=jobs/&language=python&gaps=yes&order=-edges"));
    await waitFor(() => expect(lastAsked(asked)).toEqual({ query: "jobs/", language: "python", gaps: "true", sort: "edges" }));
    await user.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(router.state.location.href).toBe("/lineage/sources?order=-edges"));
  });

  it("may be none that pass the filters", async () => {
    const user = userEvent.setup();
    const { router } = renderPage("/lineage/sources?q=nowhere", { ...answers, [SOURCES]: { ...paged([]), totals: totals() } });
    await user.click(await screen.findByRole("button", { name: "Show all files" }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });
});

describe("one file", () => {
  it("tells each line that was not understood beside the reason, and its tables", async () => {
    renderPage("/lineage/sources?file=jobs/daily.sql", answers);
    const [first, second] = within(await screen.findByRole("region", { name: "What was not understood" })).getAllByRole("listitem");
    expect(first).toHaveTextContent("line 14PIVOT (sum(q) FOR month IN (1, 2))PIVOT over a subquery is not understood");
    expect(second).toHaveTextContent("the whole file");
    const tables = screen.getByRole("region", { name: "Tables it speaks of" });
    expect(within(tables).getByRole("link", { name: "marts.daily" })).toHaveAttribute("href", "/lineage?focus=marts.daily");
    expect(screen.getByText("forge ingest jobs")).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "All files" })).toHaveAttribute("href", "/lineage/sources");
  });

  it("may have been understood whole", async () => {
    renderPage("/lineage/sources?file=jobs/daily.sql", { ...answers, [FILE]: sourceDetail("jobs/daily.sql", { gaps: 0, gap_list: [], tables: [] }) });
    expect(await screen.findByText("All of it was understood")).toBeInTheDocument();
    expect(screen.getByRole("region", { name: "Tables it speaks of" })).toHaveTextContent("None.");
  });

  it("that was not read leads to those that are called nearly so", async () => {
    const problem = { code: "FORGE-E816", detail: "No code was read from jobs/dayly.sql", fix: "Did you mean jobs/daily.sql or jobs/old.sql?" };
    renderPage("/lineage/sources?file=jobs/dayly.sql", { ...answers, "GET /api/v1/lineage/sources/jobs/dayly.sql": status(404, problem) });
    expect(await screen.findByRole("alert")).toHaveTextContent("FORGE-E816");
    const names = within(screen.getByRole("group", { name: "Nearest names" })).getAllByRole("link");
    expect(names.map((one) => one.getAttribute("href"))).toEqual(["/lineage/sources?file=jobs/daily.sql", "/lineage/sources?file=jobs/old.sql"]);
  });
});

describe("the gaps", () => {
  it("stand below the name of their file", async () => {
    renderPage("/lineage/sources?part=gaps", answers);
    const daily = await screen.findByRole("region", { name: "jobs/daily.sql" });
    expect(within(daily).getAllByRole("listitem")).toHaveLength(2);
    expect(within(daily).getByRole("link")).toHaveAttribute("href", "/lineage/sources?file=jobs/daily.sql");
    expect(screen.getByRole("region", { name: "jobs/old.sql" })).toHaveTextContent("SELEC 1");
  });

  it("are looked through by a word", async () => {
    const user = userEvent.setup();
    const { router, asked } = renderPage("/lineage/sources?part=gaps", answers);
    await user.type(await screen.findByLabelText("Part of a path, a reason or a line"), "merge");
    await waitFor(() => expect(router.state.location.href).toBe("/lineage/sources?part=gaps&q=merge"));
    await waitFor(() => expect(asked.some((one) => one.url.includes("/gaps?query=merge"))).toBe(true));
  });

  it("may be none at all", async () => {
    renderPage("/lineage/sources?part=gaps", { ...answers, [SOURCES]: { ...paged(files), totals: totals({ gaps: 0 }) } });
    expect(await screen.findByText("Everything was understood")).toBeInTheDocument();
  });
});

describe("where code and runs do not agree", () => {
  const some = [
    disagreement("core.orders.ordered_at", "marts.daily.day"),
    disagreement("core.rebates.discount", "marts.daily.revenue", { said_by: "runs", producer: "table:marts.daily", place: "", expression: "sum(discount)" }),
    disagreement("core.orders.amount", "marts.value.amount", { producer: "code:jobs/value.py", place: "value.py:4" }),
  ];

  it("each side is told, by table, with its place and a way to the edge", async () => {
    renderPage("/lineage/sources?part=disagreements", { ...answers, [DISAGREEMENTS]: { ...paged(some), tables: 4, agreed: 31 } });
    const daily = await screen.findByRole("region", { name: "marts.daily" });
    const [code, runs] = within(daily).getAllByRole("listitem");
    expect(code).toHaveTextContent("only in code");
    expect(within(code as HTMLElement).getByRole("link", { name: "jobs/daily.sql:7" })).toHaveAttribute("href", "/lineage/sources?file=jobs/daily.sql");
    expect(runs).toHaveTextContent("only in runs");
    expect(runs).toHaveTextContent("runs of marts.daily");
    expect(runs).toHaveTextContent("sum(discount)");
    expect(within(runs as HTMLElement).getByRole("link")).toHaveAttribute(
      "href",
      "/lineage?focus=marts.daily.revenue&direction=upstream&up=1&edge=core.rebates.discount-%3Emarts.daily.revenue%23copied",
    );
    expect(screen.getByText(/both speak of 4 tables: on 31 edges they agree, on 3 edges they do not/)).toBeInTheDocument();
    expect(screen.getByRole("region", { name: "marts.value" })).toHaveTextContent("jobs/value.py:4");
  });

  it("is nothing to compare before a run made one of the tables", async () => {
    renderPage("/lineage/sources?part=disagreements", answers);
    expect(await screen.findByText("Nothing to compare yet")).toBeInTheDocument();
  });

  it("may be nowhere", async () => {
    renderPage("/lineage/sources?part=disagreements", { ...answers, [DISAGREEMENTS]: { ...paged([]), tables: 2, agreed: 9 } });
    expect(await screen.findByText("Code and runs agree")).toBeInTheDocument();
    expect(screen.getByText(/9 edges of 2 tables are told by both/)).toBeInTheDocument();
  });
});

it("another part forgets the filter of the one before", async () => {
  const user = userEvent.setup();
  const { router } = renderPage("/lineage/sources?q=daily&gaps=yes", answers);
  await user.click(await screen.findByRole("tab", { name: /Gaps/ }));
  await waitFor(() => expect(router.state.location.href).toBe("/lineage/sources?part=gaps"));
});

describe("words", () => {
  it("say nothing of a share where there was nothing to understand", () => {
    const none = { statements: 0, understood: 0 };
    expect([shareInWords(none), statementsInWords(none), statementsInWords({ statements: 1, understood: 1 })]).toEqual(["–", "no statements", "all 1 statement"]);
    expect(shareInWords({ statements: 10_000, understood: 9_999 })).toBe("99.9%");
  });

  it("have a tone for each share", () => {
    expect([1, 0.95, 0.6, 0.2].map(toneOfShare)).toEqual(["good", "busy", "warn", "bad"]);
  });

  it("begin with what is worth seeing, and turn round at the second click", () => {
    expect(askedOrder(readOrder(undefined))).toEqual({ sort: "coverage", reverse: undefined });
    expect(askedOrder(readOrder("-gaps"))).toEqual({ sort: "gaps", reverse: undefined });
    expect(askedOrder(readOrder("-path"))).toEqual({ sort: "path", reverse: true });
    expect([nextOrder(readOrder(undefined), "gaps"), nextOrder(readOrder("-gaps"), "gaps"), nextOrder(readOrder("gaps"), "coverage"), nextOrder(readOrder(undefined), "coverage")]).toEqual([
      "-gaps",
      "gaps",
      undefined,
      "-coverage",
    ]);
  });

  it("name the file by the producer, for a place is within the folder that was read", () => {
    expect(whereSaid({ producer: "code:jobs/daily.sql", place: "daily.sql:7" })).toEqual({ file: "jobs/daily.sql", text: "jobs/daily.sql:7" });
    expect(whereSaid({ producer: "code:jobs/daily.sql", place: "" })).toEqual({ file: "jobs/daily.sql", text: "jobs/daily.sql" });
    expect(whereSaid({ producer: "table:core.orders", place: "" })).toEqual({ text: "" });
  });

  it("find the files that a problem proposes", () => {
    expect(filesIn("Did you mean jobs/a b.sql or jobs/c.py?")).toEqual(["jobs/a b.sql", "jobs/c.py"]);
    expect(filesIn("Read it: forge ingest PATH")).toEqual([]);
  });

  it("give a command that a shell reads as it was meant", () => {
    expect([ingestCommand("jobs"), ingestCommand(""), ingestCommand("my jobs")]).toEqual(["forge ingest jobs", "forge ingest .", "forge ingest 'my jobs'"]);
  });

  it("group what follows each other", () => {
    expect(byTable([disagreement("a.b.c", "x.y.z"), disagreement("a.b.d", "x.y.z"), disagreement("a.b.c", "x.w.z")]).map(({ name, items }) => [name, items.length])).toEqual([
      ["x.y", 2],
      ["x.w", 1],
    ]);
  });
});

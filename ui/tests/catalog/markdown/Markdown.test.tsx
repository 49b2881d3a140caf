import { MantineProvider } from "@mantine/core";
import { render, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { describe, expect, it } from "vitest";

import { headingLevels, Markdown } from "../../../src/catalog/markdown/Markdown";
import { parseMarkdown } from "../../../src/catalog/markdown/parse";

function show(text: string) {
  return render(
    <MantineProvider env="test">
      <Markdown text={text} />
    </MantineProvider>,
  ).container.querySelector(".markdown");
}

describe("a text of people", () => {
  it("has paragraphs, headings, lists, code and links", () => {
    const shown = show("# Orders\n\nOne row per **order**, see [the wiki](https://wiki.example/orders).\n\n- in `euros`\n- per *day*\n\n1. load\n2. check\n\n> quoted\n\n```\nSELECT 1\n```");
    expect(screen.getByRole("heading", { level: 3, name: "Orders" })).toBeInTheDocument();
    expect(screen.getByRole("link", { name: "the wiki" })).toHaveAttribute("href", "https://wiki.example/orders");
    expect(screen.getAllByRole("listitem").map((one) => one.textContent)).toEqual(["in euros", "per day", "load", "check"]);
    expect(shown?.querySelector("strong")).toHaveTextContent("order");
    expect(shown?.querySelector("blockquote")).toHaveTextContent("quoted");
    expect(shown?.querySelector("pre")).toHaveTextContent("SELECT 1");
  });

  it("keeps names with underlines and stars that close nothing as they are", () => {
    expect(show("cust_order_id and a * b * c, 2*3")?.textContent).toBe("cust_order_id and a * b * c, 2*3");
  });
});

describe("a hostile text", () => {
  it.each([
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "[click](javascript:alert(1))",
    "[click](data:text/html;base64,PHNjcmlwdD4=)",
    "[click](JaVaScRiPt:alert(1))",
    "[click](//evil.example/x)",
    "[click](\tjavascript:alert(1))",
    "<a href='javascript:alert(1)'>x</a>",
  ])("is shown as the text it is: %s", (text) => {
    const shown = show(text);
    expect(shown?.querySelector("script, img, iframe, a")).toBeNull();
    expect(shown?.textContent).toContain(text.trim().slice(0, 6));
  });

  it("cannot hide letters or turn the direction of others", () => {
    const shown = show("pay \u202Ejpg.exe\u202C now\u200b\u0007");
    expect(shown).toHaveTextContent("pay [U+202E]jpg.exe[U+202C] now[U+200B][U+0007]");
    expect(shown).toHaveAttribute("dir", "auto");
  });

  it("of a megabyte is shown in part, and then as plain text, in no time", async () => {
    const text = "**a**".repeat(200_000);
    const shown = show(text);
    expect(shown?.textContent.length).toBeLessThan(10_000);
    await userEvent.click(screen.getByRole("button", { name: "Show all 1 MB" }));
    expect(shown?.querySelector("pre")?.textContent.length).toBe(text.length);
  });

  it.each([["(".repeat(50_000)], ["*a ".repeat(20_000)], ["[".repeat(50_000)], ["> ".repeat(20_000)], ["_a".repeat(30_000)], ["`".repeat(50_000)]])(
    "does not take long to read: %#",
    (text) => {
      const begin = performance.now();
      parseMarkdown(text);
      expect(performance.now() - begin).toBeLessThan(2_000);
    },
  );
});

it("leaves out no level of headings on the way down", () => {
  expect(headingLevels(parseMarkdown("### a\n\ntext\n\n###### b\n\n# c"), 3)).toEqual([3, 3, 4, 3]);
});

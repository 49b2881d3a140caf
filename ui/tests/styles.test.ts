/** Styles of all pages are in one document after a walk through them: two files that mean two things by one class break
 * whichever page was opened first. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

function stylesheets(): { file: string; text: string }[] {
  return readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".css"))
    .map((file) => ({ file, text: readFileSync(join("src", file), "utf8") }));
}

/** The classes whose own look a file sets: alone, or with a state, but not inside another's. */
function ownClasses(text: string): string[] {
  const rules = text.replaceAll(/\/\*[\s\S]*?\*\//g, "").matchAll(/([^{}]+)\{/g);
  const parts = [...rules].flatMap(([, selectors = ""]) => selectors.split(",").map((one) => one.trim()));
  return parts.flatMap((part) => /^\.([a-z][\w-]*)(?:\[[^\]]*\]|:[\w-]+(?:\([^)]*\))?)*$/.exec(part)?.[1] ?? []);
}

/** What a class says of itself, over all files. */
function said(name: string): string {
  const rules = stylesheets().flatMap(({ text }) => [...text.replaceAll(/\/\*[\s\S]*?\*\//g, "").matchAll(/([^{}]+)\{([^{}]*)\}/g)]);
  return rules.flatMap(([, selectors = "", body = ""]) => (selectors.split(",").some((one) => one.trim() === name) ? [body] : [])).join("\n");
}

it.each([".card-name", ".card-plain-name", ".card-owner", ".card-column-name", ".card-type", ".card-more"])("ends a long text of the canvas in an ellipsis: %s", (name) => {
  expect(said(name)).toContain("text-overflow: ellipsis");
  expect(said(name)).toContain("white-space: nowrap");
  // An ellipsis is not drawn for the bare text of a flex box.
  if (name !== ".card-name") expect(said(name)).not.toContain("display: flex");
});

it("lets the cells of changed rows give way before the table is cut off", () => {
  expect(said(".row-diff td")).toContain("overflow-wrap: anywhere");
  expect(said(".row-diff td")).not.toContain("white-space: nowrap");
  expect(said(".cell-change")).toContain("flex-wrap: wrap");
});

it("gives each class of a page its look in one file only", () => {
  const places = new Map<string, Set<string>>();
  for (const { file, text } of stylesheets()) {
    for (const name of ownClasses(text)) places.set(name, (places.get(name) ?? new Set()).add(file));
  }
  expect(places.size).toBeGreaterThan(50);
  expect([...places].filter(([, files]) => files.size > 1)).toEqual([]);
});

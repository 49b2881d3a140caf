/** The house of the web app: a room for each subject, shared folders below them, router and frame above. What a room takes
 * from another is named here, one module each, and never leads back to where it began. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";

import { describe, expect, it } from "vitest";

const MOST_MODULES = 30;
const MOST_OF_ONE_PREFIX = 2;
const ROOMS = ["catalog", "contracts", "federation", "lineage", "quality", "runs", "upkeep", "versioning"];
const SHARED = ["api", "components", "format", "routing", "theme"];
/** What puts the rooms together: it may import all of them, and nothing else may import it. */
const ENTRIES = ["main", "frame/", "routing/router", "routing/preload", "routing/leaveForLogin"];
const VAGUE = ["base", "common", "core", "helpers", "managers", "misc", "pages", "parts", "services", "shared", "utils"];

/** Who takes what from another room. */
const CROSSINGS: Readonly<Record<string, readonly string[]>> = {
  catalog: [
    "lineage/graph/LineagePicture",
    "versioning/history/RevisionNote",
    "versioning/history/RowBlame",
    "versioning/history/TableHistory",
    "versioning/history/revision",
  ],
  contracts: ["quality/quality.css"],
  federation: ["lineage/graph/LineagePicture", "quality/scale"],
  quality: ["versioning/compare/RowCounts", "versioning/compare/RowDiff", "versioning/merge/merge.css"],
  runs: ["catalog/discovery/Recommendations", "catalog/edit/words", "lineage/graph/LineagePicture", "quality/incident/words"],
};

/** A module of `src` without its ending, and what it imports of `src`. */
interface Module {
  name: string;
  imports: readonly string[];
}

const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*"(\.[^"]*)"/g;

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => name.replaceAll(sep, "/"));
}

function readModules(): Module[] {
  return filesIn("src")
    .filter((name) => /\.tsx?$/.test(name))
    .map((file) => ({ name: file.replace(/\.tsx?$/, ""), imports: importsOf(file, readFileSync(join("src", file), "utf8")) }));
}

function importsOf(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)].map(([, path = ""]) => normalize(join(dirname(file), path)).replaceAll(sep, "/"));
}

function roomOf(name: string): string | null {
  return ROOMS.find((room) => name.startsWith(`${room}/`)) ?? null;
}

function isEntry(name: string): boolean {
  return ENTRIES.some((entry) => (entry.endsWith("/") ? name.startsWith(entry) : name === entry));
}

function grouped(modules: readonly Module[], keyOf: (name: string) => string): [key: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { name } of modules) counts.set(keyOf(name), (counts.get(keyOf(name)) ?? 0) + 1);
  return [...counts];
}

/** Folders that hold too much to be looked through. */
function crowded(modules: readonly Module[]): string[] {
  return grouped(modules, dirname)
    .filter(([, count]) => count > MOST_MODULES)
    .map(([folder, count]) => `${folder}: ${count} modules`);
}

/** Prefixes that several modules of a folder share: they would be a folder. A hook begins with `use`. */
function prefixes(modules: readonly Module[]): string[] {
  const prefixOf = (name: string): string => /^[^/]+?(?=[A-Z.]|$)/.exec(name.slice(name.lastIndexOf("/") + 1))?.[0].toLowerCase() ?? "";
  return grouped(modules, (name) => `${dirname(name)}/${prefixOf(name)}`)
    .filter(([group, count]) => !group.endsWith("/use") && count > MOST_OF_ONE_PREFIX)
    .map(([group]) => group);
}

/** Imports that the house does not allow. */
function trespasses(modules: readonly Module[], crossings: typeof CROSSINGS): string[] {
  return modules.flatMap(({ name, imports }) => {
    if (isEntry(name)) return [];
    const own = roomOf(name);
    return imports
      .filter((target) => {
        const room = roomOf(target);
        if (isEntry(target)) return true;
        return room !== null && room !== own && !(own !== null && crossings[own]?.includes(target));
      })
      .map((target) => `${name} imports ${target}`);
  });
}

/** The first way through the rooms that comes back to where it began; null: there is none. */
function cycleOf(crossings: typeof CROSSINGS): string[] | null {
  const walk = (way: readonly string[]): string[] | null => {
    const here = way.at(-1) ?? "";
    for (const next of new Set((crossings[here] ?? []).map((target) => roomOf(target) ?? ""))) {
      if (way.includes(next)) return [...way.slice(way.indexOf(next)), next];
      const found = walk([...way, next]);
      if (found !== null) return found;
    }
    return null;
  };
  return ROOMS.map((room) => walk([room])).find((found) => found !== null) ?? null;
}

describe("the house", () => {
  const modules = readModules();

  it("is rooms, shared folders and the frame, and nothing besides", () => {
    const folders = readdirSync("src", { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(folders.map((entry) => entry.name).sort()).toEqual([...ROOMS, ...SHARED, "frame"].sort());
    expect(modules.length).toBeGreaterThan(150);
  });

  it("has no folder that is crowded, or called by a word for anything", () => {
    expect(crowded(modules)).toEqual([]);
    expect(modules.filter(({ name }) => dirname(name).split("/").some((part) => VAGUE.includes(part.toLowerCase())))).toEqual([]);
  });

  it("has folders where names would share a prefix", () => expect(prefixes(modules)).toEqual([]));

  it("lets a room import another only where that is named", () => expect(trespasses(modules, CROSSINGS)).toEqual([]));

  it("names no crossing that nobody uses", () => {
    const used = modules.flatMap(({ name, imports }) => imports.map((target) => `${roomOf(name) ?? ""} ${target}`));
    const named = Object.entries(CROSSINGS).flatMap(([room, targets]) => targets.map((target) => `${room} ${target}`));
    expect(named.filter((crossing) => !used.includes(crossing))).toEqual([]);
  });

  it("has no way through the rooms that comes back", () => expect(cycleOf(CROSSINGS)).toBeNull());

  it("has its tests at the paths of what they test: a module's own, or one of a whole room", () => {
    const tests = filesIn("tests").filter((name) => /\.test\.tsx?$/.test(name) && name.includes("/"));
    const sources = new Set(modules.map(({ name }) => name));
    const astray = tests
      .map((name) => name.replace(/\.test\.tsx?$/, ""))
      .filter((name) => !sources.has(name) && !(name.endsWith(`/${dirname(name).split("/").at(-1) ?? ""}`) && existsSync(join("src", dirname(name)))));
    expect(tests.length).toBeGreaterThan(25);
    expect(astray).toEqual([]);
  });
});

describe("the rules turn red", () => {
  const module = (name: string, ...imports: string[]): Module => ({ name, imports });

  it("for a folder with one module too many", () => {
    const many = Array.from({ length: MOST_MODULES + 1 }, (_, index) => module(`quality/check/m${index}`));
    expect(crowded(many.slice(1))).toEqual([]);
    expect(crowded(many)).toEqual(["quality/check: 31 modules"]);
  });

  it("for names that share a prefix", () => {
    expect(prefixes([module("runs/RunPage"), module("runs/RunChecks"), module("runs/Runner")])).toEqual([]);
    expect(prefixes([module("runs/run.page"), module("runs/run.checks"), module("runs/run.words")])).toEqual(["runs/run"]);
    expect(prefixes([module("runs/RunPage"), module("runs/RunChecks"), module("runs/RunTables")])).toEqual(["runs/run"]);
  });

  it("for an import of another room, of a room from below, and of what puts the rooms together", () => {
    const crossings = { runs: ["quality/incident/words"] };
    expect(trespasses([module("runs/list/RunsPage", "quality/incident/words", "api", "runs/words")], crossings)).toEqual([]);
    expect(trespasses([module("runs/list/RunsPage", "quality/words")], crossings)).toEqual(["runs/list/RunsPage imports quality/words"]);
    expect(trespasses([module("components/Fact", "quality/incident/words")], crossings)).toHaveLength(1);
    expect(trespasses([module("upkeep/login/LoginPage", "routing/router"), module("upkeep/login/search", "frame/Header")], crossings)).toHaveLength(2);
    expect(trespasses([module("routing/router", "quality/words"), module("frame/Frame", "runs/words")], crossings)).toEqual([]);
  });

  it("for rooms that need each other, however far round", () => {
    expect(cycleOf({ runs: ["quality/a"], quality: ["versioning/b"] })).toBeNull();
    expect(cycleOf({ runs: ["quality/a"], quality: ["versioning/b"], versioning: ["runs/c"] })).toEqual(["quality", "versioning", "runs", "quality"]);
  });

  it("for whatever way a module is imported", () => {
    const text = `import "./run.css";\nimport type { A } from "../quality/a";\nexport { b } from "../b";\nconst c = import("../c");\nimport {\n  d,\n} from "../d";`;
    expect(importsOf("runs/words.ts", text)).toEqual(["runs/run.css", "quality/a", "b", "c", "d"]);
  });
});

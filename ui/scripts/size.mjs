// How much JavaScript the first page loads: the entry and all it imports at once, plus the home page's own chunk.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const LIMIT = 300_000;
const FIRST_PAGE = "src/runs/overview/HomePage.tsx";
const folder = join(import.meta.dirname, "../../src/forge/web");
const manifest = JSON.parse(readFileSync(join(folder, ".vite/manifest.json"), "utf8"));

function collect(key, found = new Set()) {
  const chunk = manifest[key];
  if (!chunk) throw new Error(`${key} is not in the build`);
  if (found.has(chunk.file)) return found;
  found.add(chunk.file);
  for (const imported of chunk.imports ?? []) collect(imported, found);
  return found;
}

const files = collect(FIRST_PAGE, collect("index.html"));
let total = 0;
for (const file of files) {
  const bytes = gzipSync(readFileSync(join(folder, file)), { level: 9 }).length;
  total += bytes;
  console.log(`${(bytes / 1000).toFixed(1).padStart(7)} kB  ${file}`);
}
console.log(`${(total / 1000).toFixed(1).padStart(7)} kB  JavaScript of the first page, gzip (limit ${LIMIT / 1000} kB)`);
if (total > LIMIT) {
  console.error("The first page loads too much: make a part of it lazy.");
  process.exit(1);
}

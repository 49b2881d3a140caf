/** What the list of assets says: why something was found, what is filtered, how the checks stand. */
import type { AssetView, SearchHit } from "../../api";
import { count, plural } from "../../format/numbers";
import type { AssetsSearch } from "./search";

export interface Piece {
  text: string;
  marked: boolean;
}

/** The words of a query, as the server splits them. */
export function wordsOf(q: string | undefined): string[] {
  return (q ?? "").toLowerCase().split(/\s+/).filter((word) => word !== "");
}

/** A text cut where words of the query are in it. */
export function markWords(text: string, words: readonly string[]): Piece[] {
  const low = text.toLowerCase();
  // Other letters may take other room in small; then nothing is marked rather than the wrong thing.
  if (words.length === 0 || low.length !== text.length) return text === "" ? [] : [{ text, marked: false }];
  const marked = new Array<boolean>(text.length).fill(false);
  for (const word of words) {
    for (let at = low.indexOf(word); at >= 0; at = low.indexOf(word, at + 1)) marked.fill(true, at, at + word.length);
  }
  const pieces: Piece[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const last = pieces.at(-1);
    const letter = text.charAt(at);
    if (last !== undefined && last.marked === marked[at]) last.text += letter;
    else pieces.push({ text: letter, marked: marked[at] ?? false });
  }
  return pieces;
}

/** Why a hit is in the list, where its name does not show it. */
export function whyFound(hit: Pick<SearchHit, "qualified_name" | "description">, words: readonly string[]): string | null {
  const name = hit.qualified_name.toLowerCase();
  const description = hit.description.toLowerCase();
  const elsewhere = words.filter((word) => !name.includes(word));
  if (elsewhere.length === 0) return null;
  const typos = elsewhere.filter((word) => !description.includes(word));
  return typos.length === 0 ? "found in its description" : `name is like “${typos.join(" ")}”`;
}

/** "16 passed", "1 of 16 failed", "2 of 16 not measured" */
export function checksInWords(asset: Pick<AssetView, "checks_passed" | "checks_failed" | "checks_not_measured">): string {
  const all = asset.checks_passed + asset.checks_failed + asset.checks_not_measured;
  if (all === 0) return "no checks";
  const parts = [];
  if (asset.checks_failed > 0) parts.push(`${count(asset.checks_failed)} of ${count(all)} failed`);
  if (asset.checks_not_measured > 0) parts.push(`${count(asset.checks_not_measured)} of ${count(all)} not measured`);
  return parts.length > 0 ? parts.join(", ") : `${count(all)} passed`;
}

export function isFiltered(search: AssetsSearch): boolean {
  const { q, type, state, owners, tags } = search;
  return [q, type, state, owners, tags].some((one) => one !== undefined);
}

/** "3 assets", "2 views", "1 column", as the type filter has it. */
export function foundInWords(found: number, search: AssetsSearch): string {
  return plural(found, search.type ?? "asset");
}

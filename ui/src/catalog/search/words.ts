/** What the search says of its results: what matched, why it is where it is, what is filtered. */
import type { SearchHit } from "../../api";
import { signed } from "../../format/numbers";
import { FACETS, type CatalogSearch, type Facet } from "./search";

export interface Piece {
  text: string;
  marked: boolean;
}

/** A text cut at its marks, which count letters and not the units that this language counts. Marks that overlap, or lie
 * outside, do no harm. */
export function piecesOf(text: string, marks: readonly (readonly number[])[]): Piece[] {
  if (marks.length === 0) return text === "" ? [] : [{ text, marked: false }];
  const letters = Array.from(text);
  const marked = new Array<boolean>(letters.length).fill(false);
  for (const [from = 0, to = 0] of marks) marked.fill(true, Math.max(0, from), Math.max(0, Math.min(to, letters.length)));
  const pieces: Piece[] = [];
  letters.forEach((letter, at) => {
    const last = pieces.at(-1);
    if (last !== undefined && last.marked === marked[at]) last.text += letter;
    else pieces.push({ text: letter, marked: marked[at] ?? false });
  });
  return pieces;
}

const AROUND = 60;

/** The part of a long text around its first mark. */
export function excerptOf(text: string, marks: readonly (readonly number[])[], room = 220): Piece[] {
  const letters = Array.from(text);
  if (letters.length <= room) return piecesOf(text, marks);
  const first = marks[0]?.[0] ?? 0;
  const begin = first + AROUND < room ? 0 : first - AROUND;
  const cut = letters.slice(begin, begin + room).join("");
  const pieces = piecesOf(cut, marks.map(([from = 0, to = 0]) => [from - begin, to - begin]));
  const before = begin > 0 ? [{ text: "… ", marked: false }] : [];
  const after = begin + room < letters.length ? [{ text: " …", marked: false }] : [];
  return [...before, ...pieces, ...after];
}

const STAGES: Record<string, string> = {
  exact: "its name is exactly that",
  phrase: "its name has these words in this order",
  prefix: "its name begins with, or holds, these letters",
  related: "its tags, terms, columns or place match",
  fuzzy: "its name is nearly that: a typo is forgiven",
  description: "its description has the words",
  browse: "it is in the catalog",
};

export function stageInWords(stage: string): string {
  return STAGES[stage] ?? `it matches by ${stage.replaceAll("_", " ")}`;
}

/** What decides the order where points do not. */
export const SORTED_BY: Record<Exclude<NonNullable<CatalogSearch["sort"]>, "relevance">, string> = {
  popularity: "how often it is used",
  freshness: "when it changed",
  name: "its name",
};

const BOOSTS: Record<string, string> = {
  usage: "people use it",
  quality: "its checks pass",
  owner: "it has an owner",
  description: "it is described",
  contract: "a contract promises it",
  deprecated: "it is deprecated",
  pipeline: "it is a pipeline: what it makes goes first",
  vanished: "its source does not have it any more",
};

export function boostInWords({ name, points }: { name: string; points: number }): string {
  return `${signed(points)} ${BOOSTS[name] ?? name.replaceAll("_", " ")}`;
}

/** What the server counts by, under the name that the address has. */
export const COUNTED: Record<Facet, string> = { types: "type", domains: "domain", tags: "tag", owners: "owner", classification: "classification", pii: "pii", quality: "quality" };

export const FACET_NAMES: Record<Facet, string> = {
  types: "Type",
  domains: "Domain",
  tags: "Tag",
  owners: "Owner",
  classification: "Classification",
  pii: "Personal data",
  quality: "Quality",
};

export function isNarrowed(search: CatalogSearch): boolean {
  return FACETS.some((facet) => search[facet] !== undefined);
}

/** A facet's value taken in or out. Nothing chosen is nothing in the address. */
export function toggled<W extends string>(chosen: readonly W[] | undefined, value: W): W[] | undefined {
  const now = chosen ?? [];
  const next = now.includes(value) ? now.filter((one) => one !== value) : [...now, value];
  return next.length === 0 ? undefined : next;
}

/** What stands before the name in the full one: "core." of core.orders. */
export function placeIn({ qualified_name: full, name }: Pick<SearchHit, "qualified_name" | "name">): string {
  return full.endsWith(name) ? full.slice(0, full.length - name.length) : "";
}

/** What the page of a result is: of a column, of its table. */
export function placeOf(hit: Pick<SearchHit, "type" | "id" | "name" | "container">):
  | { to: "/assets/$assetId"; params: { assetId: string }; search: { tab?: "schema" | "lineage"; col?: string } }
  | { to: "/glossary"; search: { term: string } }
  | { to: "/catalog"; search: { at: string } } {
  switch (hit.type) {
    case "column":
      return { to: "/assets/$assetId", params: { assetId: hit.container }, search: { tab: "lineage", col: hit.name } };
    case "term":
      return { to: "/glossary", search: { term: hit.id.replace(/^term:/, "") } };
    case "schema":
    case "database":
      return { to: "/catalog", search: { at: hit.id.replace(/^(?:schema|database):/, "") } };
    default:
      return { to: "/assets/$assetId", params: { assetId: hit.id }, search: {} };
  }
}

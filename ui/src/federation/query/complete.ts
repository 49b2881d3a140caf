/** What could stand at a place of a query: tables and columns of the lake at a revision, of sources, and aliases. */
import { plainName, tokensOf, type Token } from "./lex";

/** A relation that the query reads. */
export interface Named {
  /** crm.customers → ["crm", "customers"] */
  path: readonly string[];
  alias: string | null;
}

export interface Place {
  /** Where what is being typed begins. */
  from: number;
  /** What stands before it, up to the last dot: `crm.cust` → ["crm"]. */
  path: readonly string[];
  /** After FROM and JOIN a relation is named, elsewhere a column. */
  wanted: "relation" | "column";
}

/** Words before which no alias ends a relation. */
const CLAUSES = new Set(
  "SELECT FROM WHERE GROUP ORDER HAVING LIMIT JOIN INNER LEFT RIGHT FULL CROSS SEMI ANTI OUTER NATURAL LATERAL ON USING UNION INTERSECT EXCEPT WITH QUALIFY WINDOW TABLESAMPLE".split(" "),
);
const BEGINS_RELATION = new Set(["FROM", "JOIN"]);
const BEGINS_COLUMN = new Set("SELECT WHERE ON BY HAVING QUALIFY LIMIT USING AND OR WHEN THEN ELSE CASE IN BETWEEN LIKE AS WITH".split(" "));

const isName = ({ kind }: Token): boolean => kind === "word" || kind === "quoted";
const upper = (token: Token | undefined): string => (token?.kind === "word" ? token.text.toUpperCase() : "");
const isDot = (token: Token | undefined): boolean => token?.kind === "sign" && token.text === ".";

/** Nothing can be completed within a string or a comment. */
export function placeAt(sql: string, position: number): Place | null {
  const tokens = tokensOf(sql.slice(0, position));
  const last = tokens.at(-1);
  if (last !== undefined && last.to === position && ["string", "comment", "number", "parameter"].includes(last.kind)) return null;
  let end = tokens.length;
  let from = position;
  if (last !== undefined && isName(last) && last.to === position) {
    from = last.from;
    end -= 1;
  }
  const path: string[] = [];
  while (isDot(tokens[end - 1])) {
    const before = tokens[end - 2];
    if (before === undefined || !isName(before)) return null;
    path.unshift(plainName(before));
    end -= 2;
  }
  return { from, path, wanted: wantedAfter(tokens.slice(0, end)) };
}

function wantedAfter(tokens: readonly Token[]): Place["wanted"] {
  let deep = 0;
  for (const token of tokens.toReversed()) {
    if (token.kind === "sign" && token.text === ")") deep += 1;
    if (token.kind === "sign" && token.text === "(") deep = Math.max(0, deep - 1);
    if (deep > 0) continue;
    if (BEGINS_RELATION.has(upper(token))) return "relation";
    if (BEGINS_COLUMN.has(upper(token))) return "column";
  }
  return "column";
}

/** All relations of the query, wherever they stand: a part may be used before its FROM is written below it. */
export function relationsIn(sql: string): Named[] {
  const tokens = tokensOf(sql).filter(({ kind }) => kind !== "comment");
  const found: Named[] = [];
  for (let at = 0; at < tokens.length; at += 1) {
    if (!BEGINS_RELATION.has(upper(tokens[at]))) continue;
    let next = at + 1;
    for (;;) {
      const read = readRelation(tokens, next);
      if (read === null) break;
      found.push(read.named);
      next = read.end;
      const comma = tokens[next];
      if (comma?.text !== ",") break;
      next += 1;
    }
  }
  return found;
}

function readRelation(tokens: readonly Token[], start: number): { named: Named; end: number } | null {
  const path: string[] = [];
  let at = start;
  for (let token = tokens[at]; token !== undefined && isName(token); token = tokens[at]) {
    if (CLAUSES.has(upper(token))) break;
    path.push(plainName(token));
    at += 1;
    if (!isDot(tokens[at])) break;
    at += 1;
  }
  if (path.length === 0) return null;
  if (upper(tokens[at]) === "AS") at += 1;
  const alias = tokens[at];
  if (alias === undefined || !isName(alias) || CLAUSES.has(upper(alias))) return { named: { path, alias: null }, end: at };
  return { named: { path, alias: plainName(alias) }, end: at + 1 };
}

/** The names of WITH. */
export function partsIn(sql: string): string[] {
  const tokens = tokensOf(sql).filter(({ kind }) => kind !== "comment");
  return tokens.flatMap((token, at) => {
    const isPart = isName(token) && upper(tokens[at + 1]) === "AS" && tokens[at + 2]?.text === "(";
    return isPart && ["WITH", ","].includes(upper(tokens[at - 1]) || (tokens[at - 1]?.text ?? "")) ? [plainName(token)] : [];
  });
}

/** Which relation a prefix means: an alias, the last part of a name, or the whole of it. */
export function meantBy(prefix: readonly string[], relations: readonly Named[]): Named | undefined {
  const same = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
  const ends = (path: readonly string[]): boolean => prefix.length <= path.length && prefix.every((part, index) => same(part, path[path.length - prefix.length + index] ?? ""));
  const first = prefix[0];
  return relations.find(({ alias }) => prefix.length === 1 && alias !== null && first !== undefined && same(alias, first)) ?? relations.find(({ path }) => ends(path));
}

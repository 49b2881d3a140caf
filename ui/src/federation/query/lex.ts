/** SQL cut into its parts, as far as an editor needs it: it never fails, whatever is typed. */

export type TokenKind = "word" | "quoted" | "string" | "number" | "parameter" | "comment" | "sign";

export interface Token {
  kind: TokenKind;
  text: string;
  from: number;
  to: number;
}

const PARTS: readonly (readonly [TokenKind, RegExp])[] = [
  ["comment", /--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y],
  ["string", /'(?:[^'\\]|''|\\[\s\S])*(?:'|$)|"(?:[^"\\]|""|\\[\s\S])*(?:"|$)/y],
  ["quoted", /`(?:[^`]|``)*(?:`|$)/y],
  ["sign", /::/y],
  ["parameter", /:[A-Za-z_]\w*/y],
  ["number", /\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+/y],
  ["word", /[\p{L}_][\p{L}\p{N}_]*/uy],
];

export function tokensOf(sql: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < sql.length) {
    const token = /\s/.test(sql.charAt(at)) ? undefined : tokenAt(sql, at);
    if (token !== undefined) found.push(token);
    at = token?.to ?? at + 1;
  }
  return found;
}

function tokenAt(sql: string, at: number): Token {
  for (const [kind, pattern] of PARTS) {
    pattern.lastIndex = at;
    const text = pattern.exec(sql)?.[0];
    if (text !== undefined && text !== "") return { kind, text, from: at, to: at + text.length };
  }
  return { kind: "sign", text: sql.charAt(at), from: at, to: at + 1 };
}

/** What a name says, without its quotes. */
export function plainName(token: Token): string {
  return token.kind === "quoted" ? token.text.replace(/^`|`$/g, "").replaceAll("``", "`") : token.text;
}

const PLAIN = /^[A-Za-z_]\w*$/;

/** A name as it is written in SQL. */
export function writtenName(name: string): string {
  return PLAIN.test(name) ? name : `\`${name.replaceAll("`", "``")}\``;
}

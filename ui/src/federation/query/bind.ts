/** Values of :name, which the server binds: they never become SQL. */
import { tokensOf } from "./lex";

export const KINDS = ["text", "number", "true or false", "null"] as const;
export type Kind = (typeof KINDS)[number];

export interface Parameter {
  name: string;
  kind: Kind;
  value: string;
}

/** The names that a query has, each once, in their order. */
export function namesIn(sql: string): string[] {
  return [...new Set(tokensOf(sql).flatMap(({ kind, text }) => (kind === "parameter" ? [text.slice(1)] : [])))];
}

/** `city=London`, `least:number=10`: a value in the address. */
export function written({ name, kind, value }: Parameter): string {
  return kind === "text" ? `${name}=${value}` : kind === "null" ? `${name}:null=` : `${name}:${kind === "number" ? "number" : "bool"}=${value}`;
}

export function read(text: string): Parameter | null {
  const [, name, word = "text", value = ""] = /^([A-Za-z_]\w*)(?::(number|bool|null))?=([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined) return null;
  return { name, kind: word === "bool" ? "true or false" : word === "number" || word === "null" ? word : "text", value };
}

/** One for each name of the query: as it was given, else an empty text. */
export function parametersOf(sql: string, given: readonly string[]): Parameter[] {
  const known = new Map(given.map(read).flatMap((one) => (one === null ? [] : [[one.name, one] as const])));
  return namesIn(sql).map((name) => known.get(name) ?? { name, kind: "text", value: "" });
}

/** Why it cannot be sent as it is. */
export function faultOf({ kind, value }: Parameter): string | null {
  if (kind !== "number") return null;
  const number = value.trim() === "" ? Number.NaN : Number(value);
  if (!Number.isFinite(number)) return "Not a number";
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? "Too many digits for a number here: send it as a text" : null;
}

export type Bound = Record<string, string | number | boolean | null>;

export function bound(parameters: readonly Parameter[]): Bound {
  return Object.fromEntries(parameters.map((one) => [one.name, valueOf(one)]));
}

/** Values as they were sent, as the address has them. */
export function given(values: Bound): string[] {
  return Object.entries(values).map(([name, value]) => {
    const kind: Kind = value === null ? "null" : typeof value === "number" ? "number" : typeof value === "boolean" ? "true or false" : "text";
    return written({ name, kind, value: value === null ? "" : String(value) });
  });
}

function valueOf({ kind, value }: Parameter): Bound[string] {
  switch (kind) {
    case "text":
      return value;
    case "number":
      return Number(value);
    case "true or false":
      return value === "true";
    case "null":
      return null;
  }
}

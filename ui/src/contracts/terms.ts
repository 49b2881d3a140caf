/** What a contract promises, read out of the effective document: by table and column, each promise with whose word it is.
 * Pure, so that it can be tested. */

/** One promise. `origin` is the id of the contract that made it. */
export interface ContractPromise {
  path: string;
  /** "required", "pattern", "latency" */
  word: string;
  /** What is promised; empty where the word says all. */
  text: string;
  origin: string | null;
}

export interface PromisedColumn {
  path: string;
  name: string;
  /** How deep it stands inside others: a field of a struct has 1. */
  depth: number;
  type: string;
  description: string;
  origin: string | null;
  said: ContractPromise[];
}

export interface PromisedTable {
  path: string;
  name: string;
  table: string;
  description: string;
  columns: PromisedColumn[];
  rules: ContractPromise[];
}

export interface Promised {
  tables: PromisedTable[];
  services: ContractPromise[];
}

type Entry = Record<string, unknown>;
type Origins = Readonly<Record<string, string>>;

export function promisedIn(document: Entry, origins: Origins): Promised {
  const tables = entries(document["schema"]).map((table, index) => tableOf(table, `schema[${index}]`, origins));
  const services = entries(document["slaProperties"]).map((one, index) => serviceOf(one, `slaProperties[${index}]`, origins));
  return { tables, services };
}

/** Whose word a path is: its own, else that of what it stands in. */
export function originOf(path: string, origins: Origins): string | null {
  for (let rest = path; rest !== ""; rest = above(rest)) {
    const found = origins[rest];
    if (found !== undefined) return found;
  }
  return origins[""] ?? null;
}

/** schema[0].properties[2].name → schema[0].properties[2] → schema[0].properties → schema[0] → schema */
function above(path: string): string {
  const cut = Math.max(path.lastIndexOf("."), path.lastIndexOf("["));
  return cut < 0 ? "" : path.slice(0, cut);
}

function tableOf(table: Entry, path: string, origins: Origins): PromisedTable {
  return {
    path,
    name: textOf(table["name"]),
    table: textOf(table["physicalName"] ?? table["name"]),
    description: textOf(table["description"]),
    columns: entries(table["properties"]).flatMap((one, index) => columnsOf(one, `${path}.properties[${index}]`, 0, origins)),
    rules: rulesOf(table, path, origins),
  };
}

function columnsOf(column: Entry, path: string, depth: number, origins: Origins, named?: string): PromisedColumn[] {
  const own: PromisedColumn = {
    path,
    name: named ?? textOf(column["name"]),
    depth,
    type: typeOf(column),
    description: textOf(column["description"]),
    origin: originOf(path, origins),
    said: saidOf(column, path, origins),
  };
  const fields = entries(column["properties"]).flatMap((one, index) => columnsOf(one, `${path}.properties[${index}]`, depth + 1, origins));
  const parts = Object.entries(INSIDE).flatMap(([key, name]) => {
    const part = column[key];
    return isEntry(part) ? columnsOf(part, `${path}.${key}`, depth + 1, origins, name) : [];
  });
  return [own, ...fields, ...parts];
}

const INSIDE: Readonly<Record<string, string>> = { items: "each element", mapKey: "each key", mapValue: "each value" };

function typeOf(column: Entry): string {
  const [logical, physical] = [textOf(column["logicalType"]), textOf(column["physicalType"])];
  return physical === "" || physical === logical ? logical : `${logical} · ${physical}`.replace(/^ · /, "");
}

const FLAGS: readonly [key: string, word: string][] = [
  ["primaryKey", "key"],
  ["required", "required"],
  ["unique", "unique"],
  ["criticalDataElement", "critical"],
];

function saidOf(column: Entry, path: string, origins: Origins): ContractPromise[] {
  const say = (key: string, word: string, text: string): ContractPromise => ({ path: `${path}.${key}`, word, text, origin: originOf(`${path}.${key}`, origins) });
  const flags = FLAGS.filter(([key]) => column[key] === true).map(([key, word]) => say(key, word, ""));
  const classification = textOf(column["classification"]);
  const levels = classification === "" ? [] : [say("classification", "class", classification)];
  const options = isEntry(column["logicalTypeOptions"]) ? Object.entries(column["logicalTypeOptions"]) : [];
  const bounds = options.map(([key, value]) => say(`logicalTypeOptions.${key}`, OPTION_WORDS[key] ?? spaced(key), textOf(value)));
  const values = Array.isArray(column["enum"]) ? [say("enum", "one of", textOf(column["enum"]))] : [];
  return [...flags, ...levels, ...bounds, ...values, ...rulesOf(column, path, origins)];
}

const OPTION_WORDS: Readonly<Record<string, string>> = {
  minimum: "at least",
  maximum: "at most",
  exclusiveMinimum: "more than",
  exclusiveMaximum: "less than",
  minLength: "min. length",
  maxLength: "max. length",
  minItems: "min. items",
  maxItems: "max. items",
};

function rulesOf(owner: Entry, path: string, origins: Origins): ContractPromise[] {
  return entries(owner["quality"]).map((rule, index) => {
    const at = `${path}.quality[${index}]`;
    return { path: at, word: "check", text: ruleInWords(rule), origin: originOf(at, origins) };
  });
}

const COMPARISONS: readonly [key: string, sign: string][] = [
  ["mustBe", "="],
  ["mustNotBe", "≠"],
  ["mustBeGreaterThan", ">"],
  ["mustBeGreaterOrEqualTo", "≥"],
  ["mustBeLessThan", "<"],
  ["mustBeLessOrEqualTo", "≤"],
  ["mustBeBetween", "between"],
  ["mustNotBeBetween", "not between"],
];

/** "invalidValues = 0 (validValues: open, paid)"; a rule of the text kind is its own description. */
export function ruleInWords(rule: Entry): string {
  const named = [rule["metric"], rule["rule"], rule["name"], rule["query"], rule["engine"]].map(textOf).find((one) => one !== "") ?? "";
  const found = COMPARISONS.find(([key]) => rule[key] !== undefined);
  const bound = found === undefined ? "" : `${found[1]} ${textOf(rule[found[0]])}${unitOf(rule)}`;
  const given = isEntry(rule["arguments"]) ? `(${Object.entries(rule["arguments"]).map(([key, value]) => `${spaced(key)}: ${textOf(value)}`).join("; ")})` : "";
  const words = [spaced(named), bound, given].filter((one) => one !== "").join(" ");
  return words === "" ? textOf(rule["description"]) : words;
}

function unitOf(rule: Entry): string {
  const unit = textOf(rule["unit"]);
  return unit === "percent" ? "%" : unit === "" || unit === "rows" ? "" : ` ${unit}`;
}

function serviceOf(one: Entry, path: string, origins: Origins): ContractPromise {
  const until = one["valueExt"] === undefined ? "" : ` … ${textOf(one["valueExt"])}`;
  const value = `${textOf(one["value"])}${until} ${textOf(one["unit"])}`.trim();
  const about = [textOf(one["element"]), textOf(one["driver"])].filter((part) => part !== "").join(", ");
  return { path, word: textOf(one["property"]), text: about === "" ? value : `${value} (${about})`, origin: originOf(`${path}.value`, origins) };
}

/** invalidValues → invalid values */
function spaced(name: string): string {
  return /^[a-z]+([A-Z][a-z]+)+$/.test(name) ? name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`) : name;
}

function isEntry(value: unknown): value is Entry {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function entries(value: unknown): Entry[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isEntry) : [];
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return "";
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return (value as unknown[]).map(textOf).join(", ");
  return JSON.stringify(value);
}

/** Only what some contract above has brought: a column stays as long as anything of it is inherited. */
export function onlyInherited({ tables, services }: Promised, isOwn: (origin: string | null) => boolean): Promised {
  const inherited = (one: { origin: string | null }): boolean => !isOwn(one.origin);
  const left = tables.map((table) => ({
    ...table,
    rules: table.rules.filter(inherited),
    columns: table.columns.map((column) => ({ ...column, said: column.said.filter(inherited) })).filter((column) => inherited(column) || column.said.length > 0),
  }));
  return { tables: left.filter((table) => table.rules.length > 0 || table.columns.length > 0), services: services.filter(inherited) };
}

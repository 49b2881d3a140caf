/** Terms of the glossary as groups, as texts in fields, and back. */
import type { TermView } from "../../api";

export const NO_DOMAIN = "no domain";

export interface TermGroup {
  domain: string;
  terms: TermView[];
}

/** By domain, those without one last. */
export function byDomain(terms: readonly TermView[]): TermGroup[] {
  const groups = new Map<string, TermView[]>();
  for (const term of terms) groups.set(term.domain, [...(groups.get(term.domain) ?? []), term]);
  return [...groups]
    .map(([domain, found]) => ({ domain, terms: found.toSorted((one, other) => one.name.localeCompare(other.name)) }))
    .toSorted((one, other) => Number(one.domain === "") - Number(other.domain === "") || one.domain.localeCompare(other.domain));
}

/** Equal for names that people take as the same: `Net Revenue`, `net_revenue`. */
function nameKey(name: string): string {
  const words = name.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2").toLowerCase().split(/[^\p{L}\p{N}]+/u);
  return words.filter((word) => word !== "").join(" ");
}

/** The terms that are meant by an id or, where there is none of that id, by a name: two domains may have the same. */
export function termsMeant(terms: readonly TermView[], said: string): TermView[] {
  const found = terms.find((term) => term.id === said);
  return found === undefined ? terms.filter((term) => nameKey(term.name) === nameKey(said)) : [found];
}

export interface TermFields {
  name: string;
  domain: string;
  definition: string;
  synonyms: string[];
  related: string[];
  examples: string;
  owner: string;
  state: TermView["state"];
}

export const EMPTY: TermFields = { name: "", domain: "", definition: "", synonyms: [], related: [], examples: "", owner: "", state: "draft" };

export function fieldsOf(term: TermView): TermFields {
  const { name, domain, definition, synonyms, related, examples, owner, state } = term;
  return { name, domain, definition, synonyms, related, examples: examples.join("\n"), owner: owner ?? "", state };
}

/** What is sent: examples are lines. */
export function bodyOf(fields: TermFields) {
  return {
    name: fields.name.trim(),
    domain: fields.domain.trim(),
    definition: fields.definition,
    synonyms: fields.synonyms,
    related: fields.related,
    examples: fields.examples.split("\n").map((line) => line.trim()).filter((line) => line !== ""),
    owner: fields.owner.trim() === "" ? null : fields.owner.trim(),
    state: fields.state,
  };
}

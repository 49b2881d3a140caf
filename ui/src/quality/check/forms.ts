/** Checks as forms. Which types there are and what each is asked comes from the server, which judges, too; here is only
 * how the text of a field becomes what the server reads. */
import type { CheckKeyView, CheckTypesView, CheckTypeView } from "../../api";

export type Given = Record<string, unknown>;
export type FieldKind = CheckKeyView["kind"];

/** The type of a check as it was given, by any of its names; none where the server does not know it. */
export function formOf(forms: CheckTypesView, check: Given): CheckTypeView | undefined {
  const word = typeOf(check);
  const spelled = ({ spellings }: CheckTypeView): boolean => spellings.some((one) => one.word === word && (one.key === null || (one.value === null ? one.key in check : check[one.key] === one.value)));
  return forms.types.find((one) => one.type === word) ?? forms.types.find(spelled);
}

export function typeOf(check: Given): string {
  return typeof check["type"] === "string" ? check["type"] : "";
}

/** The keys of every check that this type has; how loud it is stands in the head of the form. */
export function commonOf(forms: CheckTypesView, form: CheckTypeView): CheckKeyView[] {
  return forms.common.filter(({ name }) => name !== "severity" && !form.without.includes(name));
}

export function namesOf(key: CheckKeyView): string[] {
  return [key.name, ...key.aliases];
}

/** The name under which a key was given; a new one gets its own. */
export function nameIn(check: Given, key: CheckKeyView): string {
  return namesOf(key).find((name) => name in check) ?? key.name;
}

/** A value as it stands in its field. */
export function textOf(value: unknown, kind?: FieldKind): string {
  if (value === null || value === undefined) return "";
  if (kind === "mapping" && typeof value === "object") return Object.entries(value).map(([name, one]) => `${name}: ${textOf(one)}`).join("\n");
  if (Array.isArray(value)) return value.map((one) => textOf(one)).join(", ");
  if (typeof value === "string") return value;
  return JSON.stringify(value);
}

/** What a field's text means; `undefined` leaves the key out. What cannot be read stays as it is: the server says why. */
export function valueOf(text: string, kind: FieldKind): unknown {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  switch (kind) {
    case "number":
    case "percentage":
    case "duration":
      return numberOr(trimmed.replace(/%$/, "").trim());
    case "value":
      return numberOr(trimmed);
    case "columns":
      return partsOf(trimmed);
    case "list":
      return partsOf(trimmed).map(numberOr);
    case "mapping":
      return pairsOf(trimmed);
    default:
      return trimmed;
  }
}

function partsOf(text: string): string[] {
  return text.split(/[,\n]/).map((one) => one.trim()).filter((one) => one !== "");
}

function numberOr(text: string): unknown {
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : text;
}

/** `name: value`, one a line. */
function pairsOf(text: string): Record<string, unknown> {
  const lines = text.split("\n").map((line) => line.trim()).filter((line) => line !== "");
  return Object.fromEntries(
    lines.map((line) => {
      const sign = line.lastIndexOf(":");
      return sign < 0 ? [line, ""] : [line.slice(0, sign).trim(), numberOr(line.slice(sign + 1).trim())];
    }),
  );
}

/** A check with one key changed; an empty one is left out. */
export function withKey(check: Given, key: string, value: unknown): Given {
  const rest = Object.fromEntries(Object.entries(check).filter(([name]) => name !== key));
  return value === undefined ? rest : { ...rest, [key]: value };
}

/** A check of another type: what both have is kept. */
export function withType(forms: CheckTypesView, check: Given, form: CheckTypeView): Given {
  const kept = new Set(["severity", ...[...form.keys, ...commonOf(forms, form)].flatMap(namesOf)]);
  return { type: form.type, ...Object.fromEntries(Object.entries(check).filter(([key]) => kept.has(key))) };
}

/** Keys that no field of the form shows: they are told, and kept as they are. */
export function otherKeys(forms: CheckTypesView, form: CheckTypeView, check: Given): string[] {
  const spelled = form.spellings.flatMap(({ key }) => (key === null ? [] : [key]));
  const shown = new Set(["type", "severity", ...spelled, ...[...form.keys, ...commonOf(forms, form)].flatMap(namesOf)]);
  return Object.keys(check).filter((key) => !shown.has(key));
}

/** "checks[2].max" is about the third check. */
export function indexIn(path: string): number | undefined {
  const found = /^checks\[(\d+)\]/.exec(path)?.[1];
  return found === undefined ? undefined : Number(found);
}

/** "checks[2].max_null_percentage" is about that key. */
export function keyIn(path: string): string | undefined {
  return /^checks\[\d+\]\.([\w]+)/.exec(path)?.[1];
}

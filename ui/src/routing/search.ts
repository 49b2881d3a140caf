/** The part of the address after `?`. Every page reads it through a validator: what makes no sense falls away. */

export type RawSearch = Record<string, string | string[]>;

/** Plain texts, lists by repetition: `?tags=gold&tags=pii`. Nothing is quoted, so that people can write it. */
export function parseSearch(text: string): RawSearch {
  const found: RawSearch = {};
  for (const [key, value] of new URLSearchParams(text)) {
    const before = found[key];
    if (before === undefined) found[key] = value;
    else found[key] = Array.isArray(before) ? [...before, value] : [before, value];
  }
  return found;
}

export function stringifySearch(search: Record<string, unknown>): string {
  const parts = new URLSearchParams();
  for (const [key, value] of Object.entries(search)) {
    for (const one of Array.isArray(value) ? (value as unknown[]) : [value]) {
      if (typeof one === "string" ? one !== "" : typeof one === "number" || typeof one === "boolean")
        parts.append(key, String(one));
    }
  }
  // These are harmless in a query and far easier to read as they are.
  const text = parts.toString().replaceAll("%40", "@").replaceAll("%2F", "/").replaceAll("%3A", ":").replaceAll("%7E", "~");
  return text === "" ? "" : `?${text}`;
}

type Raw = Record<string, unknown>;

export function text(raw: Raw, key: string): string | undefined {
  const value = raw[key];
  const first: unknown = Array.isArray(value) ? value[0] : value;
  return typeof first === "string" && first !== "" ? first : undefined;
}

export function texts(raw: Raw, key: string): string[] | undefined {
  const value = raw[key];
  const all: unknown[] = Array.isArray(value) ? value : [value];
  const found = all.filter((one): one is string => typeof one === "string" && one !== "");
  return found.length > 0 ? found : undefined;
}

/** Those of the words that are known. */
export function someOf<const W extends string>(raw: Raw, key: string, words: readonly W[]): W[] | undefined {
  const named = texts(raw, key) ?? [];
  const found = words.filter((word) => named.includes(word));
  return found.length > 0 ? found : undefined;
}

export function oneOf<const W extends string>(raw: Raw, key: string, words: readonly W[]): W | undefined {
  const value = text(raw, key);
  return words.find((word) => word === value);
}

export function whole(raw: Raw, key: string, least: number, most: number): number | undefined {
  const value = typeof raw[key] === "number" ? raw[key] : Number(text(raw, key) ?? Number.NaN);
  return Number.isInteger(value) && value >= least && value <= most ? value : undefined;
}

/** A number within its bounds, with at most two places: 0.6. */
export function fraction(raw: Raw, key: string, least: number, most: number): number | undefined {
  const value = typeof raw[key] === "number" ? raw[key] : Number(text(raw, key) ?? Number.NaN);
  return value >= least && value <= most ? Math.round(value * 100) / 100 : undefined;
}

/** Every part of an address may be missing. */
export function optional<T extends object>(found: T): Partial<T> {
  return found;
}

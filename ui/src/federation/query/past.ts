/** What was asked before, in this browser: newest first, one entry for each text. */

export interface Asked {
  sql: string;
  at?: string | undefined;
  parameters: string[];
  time: string;
  /** null: it failed. */
  rows: number | null;
  ms: number | null;
  engine: string | null;
  /** The code of what went wrong. */
  code: string | null;
}

const MOST = 100;
const LONGEST = 20_000;

const keyOf = (user: string): string => `forge.queries.${user}`;

export function remembered(user: string): Asked[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(keyOf(user)) ?? "[]");
    return Array.isArray(found) ? found.filter(isAsked) : [];
  } catch {
    return [];
  }
}

function isAsked(one: unknown): one is Asked {
  return typeof one === "object" && one !== null && "sql" in one && typeof one.sql === "string" && "time" in one && typeof one.time === "string" && "parameters" in one && Array.isArray(one.parameters);
}

export function withAsked(before: readonly Asked[], asked: Asked): Asked[] {
  if (asked.sql.length > LONGEST) return [...before];
  return [asked, ...before.filter((one) => one.sql.trim() !== asked.sql.trim() || one.at !== asked.at)].slice(0, MOST);
}

export function remember(user: string, asked: Asked): Asked[] {
  const kept = withAsked(remembered(user), asked);
  store(user, kept);
  return kept;
}

export function forget(user: string): void {
  localStorage.removeItem(keyOf(user));
}

function store(user: string, kept: readonly Asked[]): void {
  try {
    localStorage.setItem(keyOf(user), JSON.stringify(kept));
  } catch {
    // A browser that keeps nothing, or has no room left: the history is a convenience.
  }
}

import { duration } from "../../format/numbers";

const NOT = "not cacheable (";

/** Whether a result was kept from before, and for how long it is kept now, or why not; null: nothing is said of it. */
export function cacheWords({ cache, kept_until: until }: { cache: string; kept_until?: string | null }, now: number = Date.now()): string | null {
  if (cache === "") return null;
  if (cache.startsWith(NOT)) return `cache: not kept (${cache.slice(NOT.length)}`;
  const left = until == null ? 0 : (Date.parse(until) - now) / 1000;
  if (cache === "hit") return left > 0 ? `cache: hit, kept for ${rounded(left)} more` : "cache: hit";
  if (cache === "miss") return left > 0 ? `cache: miss, kept for ${rounded(left)}` : "cache: miss";
  return `cache: ${cache}`;
}

/** Up to a whole minute: what is kept for a day was computed a moment ago. */
function rounded(seconds: number): string {
  return duration(seconds < 60 ? seconds : Math.ceil(seconds / 60) * 60);
}

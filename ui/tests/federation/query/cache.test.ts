import { describe, expect, it } from "vitest";

import { cacheWords } from "../../../src/federation/query/cache";

const NOW = Date.parse("2026-11-14T12:00:00Z");

describe("words of the cache", () => {
  it("say for how long a result is kept, or why it is not", () => {
    const words = (cache: string, kept_until: string | null = null): string | null => cacheWords({ cache, kept_until }, NOW);
    expect(words("miss", "2026-11-14T12:59:58Z")).toBe("cache: miss, kept for 1 h");
    expect(words("miss", "2026-11-15T11:59:59.5Z")).toBe("cache: miss, kept for 1 d");
    expect(words("miss")).toBe("cache: miss");
    expect(words("hit", "2026-11-14T12:02:00Z")).toBe("cache: hit, kept for 2 min more");
    expect(words("hit", "2026-11-14T11:00:00Z")).toBe("cache: hit");
    expect(words("not cacheable (the lake alone was asked, and it was quick)")).toBe("cache: not kept (the lake alone was asked, and it was quick)");
    expect(words("off")).toBe("cache: off");
    expect(words("")).toBeNull();
  });
});

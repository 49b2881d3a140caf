/** Where the readings of a check come from, and what that costs. */

const WORDS: Record<string, string> = {
  manifests: "from metadata, no scan",
  kept: "from kept readings",
  "new files": "reads only new files",
  scan: "in the one scan",
  sketches: "in the scan of sketches",
  narrow: "a job of its own",
};

export function tiersInWords(tiers: readonly string[]): string {
  return [...new Set(tiers)].map((tier) => WORDS[tier] ?? tier).join(", ");
}

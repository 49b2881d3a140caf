/** The log's lines: what comes into a row from above, and where it goes on below. */
import type { CommitView, LaneEdge } from "../../api";

export const LANE = 16;
/** From the top of a row to the middle of its dot. */
export const DOT = 22;

export interface Lanes {
  lane: number;
  /** Lanes that a line comes down in. */
  above: number[];
  below: readonly LaneEdge[];
}

export function lanesOf(commits: readonly Pick<CommitView, "lane" | "edges">[]): Lanes[] {
  return commits.map((commit, index) => ({
    lane: commit.lane ?? 0,
    above: [...new Set((commits[index - 1]?.edges ?? []).map((edge) => edge.end))].sort((one, other) => one - other),
    below: commit.edges,
  }));
}

/** How wide the picture has to be, at most so many lanes: what is further right lies on the last. */
export function widthOf(rows: readonly Lanes[], most = 8): number {
  const all = rows.flatMap((row) => [row.lane, ...row.above, ...row.below.flatMap((edge) => [edge.start, edge.end])]);
  return LANE * (1 + Math.min(most - 1, Math.max(0, ...all)));
}

export function middleOf(lane: number, width: number): number {
  return Math.min(lane * LANE + LANE / 2, width - LANE / 2);
}

/** A line of a hundred units' height: straight, or bent in the middle. */
export function pathOf(edge: Pick<LaneEdge, "start" | "end">, width: number): string {
  const from = middleOf(edge.start, width);
  const to = middleOf(edge.end, width);
  return from === to ? `M${from} 0V100` : `M${from} 0C${from} 60 ${to} 40 ${to} 100`;
}

const TONES = ["busy", "warn", "good", "calm"] as const;

/** Lines beside each other differ. */
export function colourOf(lane: number): string {
  return `var(--forge-${TONES[lane % TONES.length] ?? "calm"})`;
}

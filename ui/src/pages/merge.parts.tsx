/** Small pieces that the pages of comparing and merging share. */
import { Button, Group, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { IconArrowNarrowLeft, IconCircleCheck, IconCircleX, IconHelpCircle } from "@tabler/icons-react";

import type { VerdictView } from "../api";
import type { MergeEnd } from "../api/versioning";
import { notify, RunLink, StatusBadge } from "../parts";
import { count, plural } from "../parts/formats";
import { nameOfCheck, worstFirst } from "./asset.words";
import { changesInShort, changesInWords, endInWords, tallyInShort, tallyOf, type Counts } from "./merge.words";

/** +120 ~48 −3, in colours and with words for those who hear it. */
export function RowCounts({ of: counts }: { of: Counts }) {
  if (changesInShort(counts) === "") return <span className="counts-none">no row changed</span>;
  const parts = [
    { value: counts.inserted, sign: "+", tone: "good" },
    { value: counts.updated, sign: "~", tone: "warn" },
    { value: counts.deleted, sign: "−", tone: "bad" },
  ];
  return (
    <span className="row-counts numbers" title={changesInWords(counts)}>
      <span className="only-readers">{changesInWords(counts)}</span>
      {parts.map(
        ({ value, sign, tone }) =>
          value != null &&
          value > 0 && (
            <span key={sign} data-tone={tone} aria-hidden>
              {sign}
              {count(value)}
            </span>
          ),
      )}
    </span>
  );
}

/** main ◀── fix-orders: from right to left, as a merge goes. */
export function Into({ base, compare }: { base: string; compare: string }) {
  return (
    <span className="into">
      {base}
      <IconArrowNarrowLeft size={26} stroke={1.6} role="img" aria-label="gets what is on" />
      {compare}
    </span>
  );
}

/** Leads on from what a merge, revert or cherry-pick came to: where someone has to decide, there. */
export function useMergeEnd(): (end: MergeEnd, target: string) => void {
  const navigate = useNavigate();
  return (end, target) => {
    if (end.mergeId !== null && (end.type === "conflicted" || end.type === "blocked" || end.type === "pending")) {
      void navigate({ to: "/merges/$mergeId", params: { mergeId: end.mergeId } });
      return;
    }
    const { tone, title, text } = endInWords(end, target);
    notify(tone, title, text);
  };
}

/** Work that goes on as a run is said, with the way to it. */
export function LongWork({ runId, what }: { runId: string | null; what: string }) {
  if (runId === null) return null;
  return (
    <Text size="sm" role="status" c="dimmed">
      {what} takes longer. It goes on as run <RunLink runId={runId} />; this page waits for it.
    </Text>
  );
}

/** "14 ✓ 0 ✗", in words for readers. */
export function ChecksTally({ verdicts }: { verdicts: readonly Pick<VerdictView, "outcome">[] }) {
  const tally = tallyOf(verdicts);
  return (
    <span className="checks-tally numbers" data-tone={tally.failed > 0 ? "bad" : tally.unknown > 0 ? "warn" : "good"}>
      <span aria-hidden>{tallyInShort(tally)}</span>
      <span className="only-readers">
        {plural(tally.passed, "check")} passed, {tally.failed} failed{tally.unknown > 0 && `, ${tally.unknown} not measured`}
      </span>
    </span>
  );
}

const SIGN = { passed: IconCircleCheck, failed: IconCircleX, "not measured": IconHelpCircle };
const TONE = { passed: "good", failed: "bad", "not measured": "warn" };

/** Verdicts of the checks on the merged preview, the worst first. */
export function Verdicts({ verdicts, withTable = false }: { verdicts: readonly VerdictView[]; withTable?: boolean }) {
  return (
    <ul className="merge-verdicts">
      {worstFirst(verdicts).map((verdict) => {
        const Sign = SIGN[verdict.outcome];
        return (
          <li key={verdict.check_id}>
            <Sign size={18} role="img" aria-label={verdict.outcome} style={{ color: `var(--forge-${TONE[verdict.outcome]})`, flex: "none" }} />
            <span className="name">
              <strong>
                {withTable && `${verdict.table}: `}
                {nameOfCheck(verdict)}
              </strong>{" "}
              {verdict.message}
            </span>
            {verdict.blocks && <StatusBadge word="blocked" label="blocks" />}
          </li>
        );
      })}
    </ul>
  );
}

interface PagesProps {
  page: number;
  size: number;
  total: number;
  hasMore: boolean;
  what: string;
  onPage: (page: number) => void;
}

/** Back and forth in a long list. */
export function Pages({ page, size, total, hasMore, what, onPage }: PagesProps) {
  if (page === 1 && !hasMore) return null;
  const first = (page - 1) * size + 1;
  return (
    <Group justify="center" gap="sm" p="sm" style={{ borderTop: "1px solid var(--forge-line)" }}>
      <Button variant="default" size="xs" disabled={page === 1} onClick={() => onPage(page - 1)}>
        Previous
      </Button>
      <Text size="sm" c="dimmed" className="numbers">
        {count(first)} – {count(Math.min(first + size - 1, Math.max(total, first)))} of {count(total)} {what}
      </Text>
      <Button variant="default" size="xs" disabled={!hasMore} onClick={() => onPage(page + 1)}>
        Next
      </Button>
    </Group>
  );
}

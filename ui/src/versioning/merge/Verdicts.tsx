import { IconCircleCheck, IconCircleX, IconHelpCircle } from "@tabler/icons-react";

import type { VerdictView } from "../../api";
import { StatusBadge } from "../../components";
import { plural } from "../../format/numbers";
import { nameOfCheck, worstFirst } from "../../format/verdicts";
import { tallyInShort, tallyOf } from "./words";

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

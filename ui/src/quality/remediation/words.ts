/** What may be done about failed checks, in words. */
import type { RemediationView, RemedyStepView } from "../../api";
import type { Tone } from "../../components";
import { plural } from "../../format/numbers";
import { textOf } from "../check/forms";

const DOES: Record<RemedyStepView["action"], string> = {
  notify: "Tell someone",
  quarantine: "Move the failing rows aside",
  rollback: "Restore the table to when the check last passed",
  impute: "Fill in what is missing",
  deduplicate: "Keep the newest row of each key",
  custom: "Run the project’s own remedy",
};

export function stepInWords(step: Pick<RemedyStepView, "action">): string {
  return DOES[step.action];
}

/** "method: median, columns: amount" */
export function optionsInWords(step: RemedyStepView): string {
  return Object.entries(step.options)
    .map(([name, value]) => `${name}: ${textOf(value)}`)
    .join(", ");
}

/** "quarantine, then impute" */
export function stepsInShort(steps: readonly RemedyStepView[]): string {
  return steps.map((step) => step.action).join(", then ");
}

export interface Standing {
  tone: Tone;
  title: string;
}

export function standingOf(one: RemediationView): Standing {
  switch (one.status) {
    case "proposed":
      return { tone: "warn", title: "It waits for a decision" };
    case "applied":
      return { tone: "good", title: one.auto ? "It was done at once" : "It was approved and done" };
    case "rejected":
      return { tone: "calm", title: "It was rejected" };
    case "reverted":
      return { tone: "calm", title: "It was done, and taken back" };
    case "nothing":
      return { tone: "calm", title: "There was nothing to do" };
    default:
      return { tone: "bad", title: "It could not be worked out" };
  }
}

/** Words of states that other parts of Forge do not have. */
export const LOOKS_LIKE: Record<RemediationView["status"], string> = {
  proposed: "pending",
  applied: "succeeded",
  rejected: "rejected",
  reverted: "aborted",
  nothing: "nothing to do",
  failed: "failed",
};

/** "1,204 deleted in core.orders, 1,204 added in core.orders_quarantine" */
export function countsInWords(one: Pick<RemediationView, "counts">): string {
  const parts = one.counts.flatMap(({ table, added, changed, deleted }) => {
    const rows = [added > 0 ? `${added.toLocaleString("en-US")} added` : "", changed > 0 ? `${changed.toLocaleString("en-US")} changed` : "", deleted > 0 ? `${deleted.toLocaleString("en-US")} deleted` : ""].filter((part) => part !== "");
    return rows.length === 0 ? [] : [`${rows.join(", ")} in ${table}`];
  });
  return parts.length === 0 ? "no row changes" : parts.join("; ");
}

/** How the checks stand on what it would make. */
export function verdictsInWords({ verdicts }: Pick<RemediationView, "verdicts">): string {
  const failed = verdicts.filter((one) => one.outcome !== "passed").length;
  if (verdicts.length === 0) return "no check was asked";
  return failed === 0 ? `${verdicts.length === 1 ? "the check passes" : `all ${verdicts.length} checks pass`} after it` : `${plural(failed, "check")} would still not pass`;
}

import { describe, expect, it } from "vitest";

import { countsInWords, standingOf, stepsInShort, verdictsInWords } from "../../../src/quality/remediation/words";
import { remedy } from "../../fixtures/quality";

describe("a remedy", () => {
  it("tells what it does to the rows and to the checks", () => {
    expect(countsInWords(remedy())).toBe("39 deleted in core.orders; 39 added in core.orders_quarantine");
    expect(countsInWords({ counts: [] })).toBe("no row changes");
    expect(verdictsInWords(remedy())).toBe("the check passes after it");
    expect(verdictsInWords({ verdicts: [{ check_id: "a", outcome: "failed", message: "" }] })).toBe("1 check would still not pass");
    expect(stepsInShort([...remedy().steps, { action: "impute", options: {}, check_ids: [] }])).toBe("quarantine, then impute");
    expect(standingOf(remedy({ status: "applied", auto: true })).title).toBe("It was done at once");
  });
});

import { oneOf, optional, text, whole } from "../routing/search";

export const CONTRACT_STATES = ["draft", "active", "deprecated", "sunset", "retired"] as const;
export const SEVERITIES = ["error", "warning", "info"] as const;

/** `view`: every contract, or every problem of theirs. `found`: only contracts with or without problems. */
export function contractsSearch(raw: Record<string, unknown>) {
  return optional({
    view: oneOf(raw, "view", ["problems"]),
    q: text(raw, "q"),
    is: oneOf(raw, "is", CONTRACT_STATES),
    found: oneOf(raw, "found", ["problems", "nothing"]),
    severity: oneOf(raw, "severity", SEVERITIES),
  });
}

export type ContractsSearch = ReturnType<typeof contractsSearch>;

export const CONTRACT_PARTS = ["promises", "problems", "versions", "drift", "readers", "life", "tests", "text"] as const;
export type ContractPart = (typeof CONTRACT_PARTS)[number];

/** `old` and `new`: the versions that are compared; `at`: the revision of the data that drift is looked for in; `line`: of
 * the text, `text`: of the registered version in place of the file. */
export function contractSearch(raw: Record<string, unknown>) {
  return optional({
    part: oneOf(raw, "part", CONTRACT_PARTS),
    only: oneOf(raw, "only", ["inherited"]),
    old: text(raw, "old"),
    new: text(raw, "new"),
    at: text(raw, "at"),
    text: oneOf(raw, "text", ["registered"]),
    line: whole(raw, "line", 1, 1_000_000),
    dialog: oneOf(raw, "dialog", ["state"]),
  });
}

export type ContractSearch = ReturnType<typeof contractSearch>;

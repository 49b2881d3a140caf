import { oneOf, optional, text, texts } from "../../routing/search";

/** No state: what nobody decided yet. */
export const STATES = ["open", "confirmed", "rejected", "all"] as const;
/** Those that Forge knows by itself; what is found may have others. */
export const TYPES = ["email", "phone", "ssn", "credit_card", "iban", "address", "name", "date_of_birth", "ip_address", "passport", "drivers_license"] as const;

/** `finding`: the one that is opened. */
export function piiSearch(raw: Record<string, unknown>) {
  return optional({
    state: oneOf(raw, "state", STATES),
    types: texts(raw, "types"),
    table: text(raw, "table"),
    closed: oneOf(raw, "closed", ["yes"]),
    finding: text(raw, "finding"),
  });
}

export type PiiSearch = ReturnType<typeof piiSearch>;

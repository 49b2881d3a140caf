import { oneOf, optional, text } from "../../routing/search";

export function loginSearch(raw: Record<string, unknown>) {
  return optional({
    to: text(raw, "to"),
    reason: oneOf(raw, "reason", ["invalid", "expired", "revoked", "signed-out", "unavailable"]),
  });
}

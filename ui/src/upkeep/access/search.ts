import { oneOf, optional } from "../../routing/search";

/** `dialog=token` opens the dialog that makes one. Not `token=…`: with that a link signs in. */
export function settingsSearch(raw: Record<string, unknown>) {
  return optional({ dialog: oneOf(raw, "dialog", ["token"]) });
}

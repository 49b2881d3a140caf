import { oneOf, optional } from "../search";

/** `token=new` opens the dialog that makes one. */
export function settingsSearch(raw: Record<string, unknown>) {
  return optional({ token: oneOf(raw, "token", ["new"]) });
}

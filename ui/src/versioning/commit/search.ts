import { oneOf, optional } from "../../routing/search";
import { COMMIT_DIALOGS } from "../branch/search";

export function commitSearch(raw: Record<string, unknown>) {
  return optional({ dialog: oneOf(raw, "dialog", COMMIT_DIALOGS) });
}

/** Edits of documentation: what is sent, and what a change says. */
import type { AssetDetail, EditView, ProposalView } from "../../api";
import { showUnseen } from "../markdown/parse";

type Value = unknown;

/** The body of one changed field. Nothing typed takes the field away. */
export function bodyOfEdit(path: string, value: Value, version: number): { expected_version: number } & Record<string, unknown> {
  const said = isNothing(value) ? null : value;
  if (!path.startsWith("columns.")) return { expected_version: version, [path]: said };
  const at = path.lastIndexOf(".");
  return { expected_version: version, columns: { [path.slice("columns.".length, at)]: { [path.slice(at + 1)]: said } } };
}

function isNothing(value: Value): boolean {
  return value == null || (typeof value === "string" && value.trim() === "") || (Array.isArray(value) && value.length === 0);
}

/** "nothing", "gold, daily", a text cut where it is long. */
export function fieldInWords(value: Value): string {
  if (isNothing(value)) return "nothing";
  if (Array.isArray(value)) return value.map(String).join(", ");
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}

/** Of these the source or a file says something too, which holds again when nobody here says anything. */
const HAS_SOURCE = ["description", "owner", "domain", "tags"];

/** What holds after an edit: taken away is not always nothing. */
export function afterInWords(path: string, value: Value): string {
  const field = path.startsWith("columns.") ? path.slice(path.lastIndexOf(".") + 1) : path;
  return isNothing(value) && HAS_SOURCE.includes(field) ? "as its source says" : fieldInWords(value);
}

/** `columns.amount.description` → "description of amount" */
export function pathInWords(path: string): string {
  if (!path.startsWith("columns.")) return path.replaceAll("_", " ");
  const at = path.lastIndexOf(".");
  return `${path.slice(at + 1)} of ${path.slice("columns.".length, at)}`;
}

/** What a field says now, by its path. */
export function valueAt(asset: AssetDetail, path: string): Value {
  if (!path.startsWith("columns.")) return (asset as unknown as Record<string, Value>)[path];
  const at = path.lastIndexOf(".");
  const name = path.slice("columns.".length, at);
  const column = asset.schema.find((one) => one.name.toLowerCase() === name.toLowerCase());
  return (column as unknown as Record<string, Value> | undefined)?.[path.slice(at + 1)];
}

/** Those of an asset, under whatever name it was proposed. */
export function proposedFor(proposals: readonly ProposalView[], { id, qualified_name, former_names }: Pick<AssetDetail, "id" | "qualified_name" | "former_names">): ProposalView[] {
  const names = [id, qualified_name, ...former_names];
  return proposals.filter((one) => names.includes(one.asset));
}

/** The edit that changed this field last, or the last one at all. */
export function theirsOf(edits: readonly EditView[], path: string): EditView | undefined {
  return edits.find((edit) => path in edit.after) ?? edits[0];
}

/** Tags that were taken away and are still there: those of the source add to those that people give. */
export function stillThere(tags: readonly string[], wanted: unknown): string | undefined {
  const kept = Array.isArray(wanted) ? tags.filter((tag) => !wanted.includes(tag)) : [];
  if (kept.length === 0) return undefined;
  return `${showUnseen(kept.join(", "))} ${kept.length === 1 ? "stays, as its source gives it" : "stay, as its source gives them"}: it is changed there.`;
}

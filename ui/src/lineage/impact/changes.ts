/** The changes that can be thought through before they are made. */
import { quoted } from "../../format/shell";

export const CHANGES = ["drop", "rename", "type", "add", "drop-table", "location", "permission", "format", "schema", "semantics"] as const;
export type ChangeName = (typeof CHANGES)[number];

interface Meaning {
  label: string;
  /** What happens to those who read it. */
  about: string;
  /** Of what: shown as a group. */
  of: "column" | "table" | "either";
  /** What to give with it; `needed`: without it there is no answer. */
  to?: { label: string; placeholder: string; needed: boolean };
}

export const MEANINGS: Record<ChangeName, Meaning> = {
  drop: { label: "Drop a column", about: "It is gone; whoever reads it fails.", of: "column" },
  rename: {
    label: "Rename",
    about: "The old name is gone, the values stay.",
    of: "either",
    to: { label: "New name", placeholder: "net_amount", needed: true },
  },
  type: {
    label: "Change the type",
    about: "Wider types pass, narrower ones cut or fail.",
    of: "column",
    to: { label: "New type", placeholder: "decimal(18,2)", needed: true },
  },
  add: { label: "Add a column", about: "Seldom breaks; SELECT * takes it along. Name it in full: core.orders.note.", of: "column", to: { label: "Its type", placeholder: "string", needed: false } },
  semantics: { label: "Change the meaning", about: "Nothing fails; numbers mean something else.", of: "either" },
  permission: { label: "Change who may read", about: "Some who read it now may not any more.", of: "either" },
  "drop-table": { label: "Drop the table", about: "All its columns are gone.", of: "table" },
  location: { label: "Move it", about: "Whoever reads by path must follow.", of: "table", to: { label: "New place", placeholder: "s3://lake/orders", needed: false } },
  format: { label: "Change the format", about: "Whoever reads the files must follow.", of: "table", to: { label: "New format", placeholder: "parquet", needed: false } },
  schema: { label: "Change the schema", about: "Any change of its columns.", of: "table" },
};

export function isReady(change: ChangeName | undefined, to: string | undefined): change is ChangeName {
  return change !== undefined && (MEANINGS[change].to?.needed !== true || (to ?? "") !== "");
}

/** The same question in the terminal. */
export function commandFor({ focus, change, to, at }: { focus: string; change: ChangeName; to?: string | undefined; at?: string | undefined }): string {
  const words = ["forge", "impact", quoted(focus), "--change", change];
  if (to !== undefined && MEANINGS[change].to !== undefined) words.push("--to", quoted(to));
  if (at !== undefined) words.push("--at", quoted(at));
  return words.join(" ");
}

/** What the page of one asset says of its columns and rows. */
import type { AssetColumn, SampleColumn } from "../../api";
import { plural } from "../../format/numbers";
import { HEAD, shortCommit } from "../../format/refs";

/** "2 columns hold personal data" */
export function maskedInWords(columns: readonly SampleColumn[]): string | null {
  const masked = columns.filter((column) => column.masked);
  if (masked.length === 0) return null;
  return `${plural(masked.length, "column holds", "columns hold")} personal data: ${masked.map(({ name }) => name).join(", ")}`;
}

/** The column the address names, in the spelling of the schema. */
export function columnNamed(name: string | undefined, schema: readonly AssetColumn[]): string | undefined {
  return schema.find((column) => column.name.toLowerCase() === name?.toLowerCase())?.name;
}

/** What reads the same rows in the terminal. */
export function queryCommand(table: string, at: string | undefined): string {
  const where = at === undefined || at === HEAD ? "" : ` --at ${shortCommit(at)}`;
  return `forge query "SELECT * FROM ${table}"${where} --limit 1000`;
}

/** SQL that pages write for people. */
import type { SourceTableView } from "../../api";
import { writtenName } from "./lex";

const MANY = 12;

/** A first look at a table of a source. */
export function selectOf(source: string, { table, columns }: Pick<SourceTableView, "table" | "columns">): string {
  const names = columns.filter(({ hidden }) => !hidden).map(({ name }) => writtenName(name));
  const all = names.length === 0 || names.length > MANY ? "*" : names.join(", ");
  return `SELECT ${all}\nFROM ${[source, ...(table === "" ? [] : table.split("."))].map(writtenName).join(".")}\nLIMIT 100`;
}

/** A query as a transform of the project: a file that a person puts there, for the server writes none. */
import { relationsIn } from "./complete";
import { namesIn } from "./bind";

const TABLE = /^[a-z_]\w*\.[a-z_]\w*$/i;

export const isTableName = (name: string): boolean => TABLE.test(name);

/** Its place gives a transform its name. */
export const pathOf = (table: string): string => `transforms/${table.replace(".", "/")}.sql`;

/** `table` is a schema.table, so that nothing in it ends the comment or means something to YAML. */
export function transformOf(sql: string, table: string): string {
  return `/* forge\noutput: ${table}\nkind: full\n*/\n${sql.trim().replace(/(\s*;)+$/, "")}\n`;
}

/** What of the query a run of the project does not have as it stands. */
export function notesOn(sql: string, sources: readonly string[]): string[] {
  const others = new Set([...sources, "virtual"].map((name) => name.toLowerCase()));
  const foreign = [...new Set(relationsIn(sql).flatMap(({ path }) => (path.length > 1 && others.has((path[0] ?? "").toLowerCase()) ? [path.join(".")] : [])))];
  const names = namesIn(sql);
  return [
    ...foreign.map((name) => `${name} is not a table of the lake, and a transform reads only those: load it by a file in sources/, and name the loaded table here.`),
    ...(names.length === 0 ? [] : [`${names.map((name) => `:${name}`).join(", ")}: declare ${names.length === 1 ? "it" : "them"} under params in forge.yaml, with a type.`]),
  ];
}

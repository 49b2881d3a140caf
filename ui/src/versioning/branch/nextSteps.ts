/** What to type next on a branch. */
import type { CommitView, IncidentView } from "../../api";
import { splitColumn } from "../../format/names";
import { inShell } from "../../format/shell";

export interface Step {
  text: string;
  command: string;
}

/** A table that the commands can name: one that the newest commit changed, so that it is real. */
export function exampleTable(commits: readonly Pick<CommitView, "tables">[]): string | undefined {
  return commits.find((commit) => commit.tables.length > 0)?.tables[0]?.table;
}

export function nextSteps(branch: string, isDefault: boolean, table: string | undefined): Step[] {
  const on = isDefault ? "" : ` --branch ${inShell(branch)}`;
  const at = isDefault ? "" : ` --at ${inShell(branch)}`;
  const steps = [
    { text: isDefault ? "Run what is not up to date" : "Run a table and all that is made of it, here only", command: `forge run${table === undefined || isDefault ? "" : ` ${table}+`}${on}` },
  ];
  if (table !== undefined) {
    steps.push({ text: isDefault ? "Read a table" : "Read a table as it is on this branch", command: `forge query "SELECT * FROM ${table} LIMIT 10"${at}` });
  }
  if (!isDefault) {
    steps.push({ text: "See how the tables differ", command: `forge diff HEAD..${inShell(branch)}` });
    steps.push({ text: "Merge it into the default branch", command: `forge merge ${inShell(branch)}` });
  }
  return steps;
}

/** Where a fix has to be run from: the table where the bad data came in, else the one that failed. */
export function runFrom(table: string, incident: Pick<IncidentView, "origin"> | undefined, known: (name: string) => boolean): string {
  const origin = incident?.origin ?? "";
  const of = splitColumn(origin).table;
  return [of, origin].find((name) => name !== "" && known(name)) ?? table;
}

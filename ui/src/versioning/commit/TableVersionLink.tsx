import { Link } from "@tanstack/react-router";

import { shortCommit } from "../../format/refs";

/** A table as a commit has it, where the commit is said already and would only be in the way. */
export function TableVersionLink({ table, commit }: { table: string; commit: string }) {
  return (
    <Link to="/assets/$assetId" params={{ assetId: table }} search={{ at: commit }} className="link name" title={`${table}@${shortCommit(commit)}`}>
      {table}
    </Link>
  );
}

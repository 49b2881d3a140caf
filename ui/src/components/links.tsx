import { Link } from "@tanstack/react-router";
import { Fragment } from "react";

import { HEAD, shortCommit, showTableAt } from "../format/refs";

/** A name that may break after its dots. */
export function Name({ text }: { text: string }) {
  return text.split(".").map((part, index) => (
    <Fragment key={index}>
      {index > 0 && (
        <>
          .<wbr />
        </>
      )}
      {part}
    </Fragment>
  ));
}

/** A commit by its first twelve characters. */
export function CommitLink({ commit }: { commit: string | null | undefined }) {
  if (commit == null) return <span>–</span>;
  return (
    <Link to="/commits/$commit" params={{ commit }} className="link mono" title={commit}>
      {shortCommit(commit)}
    </Link>
  );
}

/** `core.orders`, or `core.orders@fix-orders` where another revision is meant. */
export function TableLink({ table, at = HEAD }: { table: string; at?: string | undefined }) {
  return (
    <Link to="/assets/$assetId" params={{ assetId: table }} search={at === HEAD ? {} : { at }} className="link name">
      <Name text={showTableAt({ table, at })} />
    </Link>
  );
}

export function BranchLink({ branch }: { branch: string }) {
  return (
    <Link to="/branches/$branch" params={{ branch }} className="link name">
      {branch}
    </Link>
  );
}

export function RunLink({ runId }: { runId: string }) {
  return (
    <Link to="/runs/$runId" params={{ runId }} className="link mono name">
      {runId}
    </Link>
  );
}

/** A column, leading to its lineage. `name` is what to show where the full name would repeat itself. */
export function ColumnLink({ column, name, at }: { column: string; name?: string | undefined; at?: string | undefined }) {
  return (
    <Link to="/lineage" search={{ focus: column, at }} className="link name" title={name === undefined ? undefined : column}>
      <Name text={name ?? column} />
    </Link>
  );
}

import { ActionIcon, Popover, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconUserQuestion } from "@tabler/icons-react";
import { useState } from "react";

import type { BlameRow } from "../../api";
import { blameQuery } from "../../api/versioning";
import { CommitLink, QueryResult, RelativeTime, RunLink } from "../../components";
import { fieldsInShort } from "../merge/words";

interface Props {
  table: string;
  commit: string;
  /** The row as it is shown, by column; hidden columns are left out. */
  row: Record<string, unknown>;
}

/** “Who wrote this?” for one row, asked when it is opened. */
export function RowBlame({ table, commit, row }: Props) {
  const [opened, setOpened] = useState(false);
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-start" width={380} trapFocus returnFocus shadow="md" withinPortal>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Who wrote this? ${fieldsInShort(row).slice(0, 60)}`} onClick={() => setOpened(!opened)}>
          <IconUserQuestion size={15} stroke={1.7} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Who wrote this row">{opened && <Answer table={table} commit={commit} row={row} />}</Popover.Dropdown>
    </Popover>
  );
}

/** Which columns tell a row from the others is learned from any row, then this one is asked for. */
function Answer({ table, commit, row }: Props) {
  const any = useQuery(blameQuery(table, commit, {}));
  const columns = any.data?.key ?? [];
  const known = columns.length > 0 && columns.every((column) => row[column] !== undefined && row[column] !== null);
  const key = Object.fromEntries(columns.map((column) => [column, row[column]]));
  const one = useQuery({ ...blameQuery(table, commit, key), enabled: known });
  if (any.data !== undefined && !known) {
    return (
      <Text size="sm">
        {columns.length === 0 ? `${table} has no key: a row cannot be told from its equals.` : `Its key (${columns.join(", ")}) holds personal data and is not shown here.`}
      </Text>
    );
  }
  return (
    <QueryResult query={any.error === null ? one : any} skeleton={<Skeleton h={120} />}>
      {({ rows: [found] }) => (found === undefined ? <Text size="sm">The row is not there at this commit.</Text> : <RowOrigin row={found} />)}
    </QueryResult>
  );
}

function RowOrigin({ row }: { row: BlameRow }) {
  const others = row.cells.filter((cell) => cell.commit !== row.commit);
  return (
    <div className="blame">
      <Text size="sm" fw={600} className="name">
        {row.author}, <RelativeTime time={row.time} />
      </Text>
      <Text size="sm" className="name">
        <Link to="/commits/$commit" params={{ commit: row.commit }} className="link">
          {row.message.split("\n")[0] || "no message"}
        </Link>{" "}
        <CommitLink commit={row.commit} />
      </Text>
      {row.run_id != null && (
        <Text size="sm">
          by run <RunLink runId={row.run_id} />
        </Text>
      )}
      {others.length > 0 && (
        <>
          <Text size="sm" fw={600} mt={8}>
            Older cells
          </Text>
          <ul className="blame-cells">
            {others.map((cell) => (
              <li key={cell.column}>
                <span className="name">{cell.column}</span> <CommitLink commit={cell.commit} /> {cell.author}, <RelativeTime time={cell.time} />
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

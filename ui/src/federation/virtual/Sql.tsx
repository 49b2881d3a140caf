import { ActionIcon, Button, Tooltip } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { IconCheck, IconCopy, IconPencil, IconZoomCode } from "@tabler/icons-react";

import type { VirtualTableDetail } from "../../api";
import { useMayWrite } from "../../api/scope";
import { changedElsewhere } from "./words";

/** The SELECT that stands for it. */
export function Sql({ table, sql }: { table: VirtualTableDetail; sql: string }) {
  const clipboard = useClipboard({ timeout: 1500 });
  const mayWrite = useMayWrite();
  const word = clipboard.copied ? "Copied" : "Copy";
  return (
    <section className="panel" aria-label="SQL">
      <div className="virtual-sql-head">
        <span>Queries of virtual.{table.name} are asked of this SELECT, and with it of its sources.</span>
        <Button size="xs" variant="default" leftSection={<IconZoomCode size={14} aria-hidden />} renderRoot={(props) => <Link to="/query" search={{ sql }} {...props} />}>
          Open this SELECT
        </Button>
        {mayWrite && table.may_read && changedElsewhere(table) === null && (
          <Button size="xs" variant="default" leftSection={<IconPencil size={14} aria-hidden />} renderRoot={(props) => <Link to="/query" search={{ sql, into: table.name }} {...props} />}>
            Change it there
          </Button>
        )}
        <Tooltip label={word} withArrow>
          <ActionIcon variant="subtle" color="gray" aria-label={`${word} the SQL`} onClick={() => clipboard.copy(sql)}>
            {clipboard.copied ? <IconCheck size={16} /> : <IconCopy size={16} />}
          </ActionIcon>
        </Tooltip>
      </div>
      {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- long lines scroll, so the keyboard must reach them */}
      <pre className="virtual-sql mono" tabIndex={0} role="region" aria-label="The SELECT">
        {sql}
      </pre>
    </section>
  );
}

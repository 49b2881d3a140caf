import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useClipboard } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { IconClipboard, IconDownload, IconFileCode } from "@tabler/icons-react";
import { useState } from "react";

import { declaredSourcesQuery } from "../../api/federation";
import { WithCode } from "../../components";
import { download } from "../../components/download";
import { useFocusBack } from "../../components/useFocusBack";
import { isTableName, notesOn, pathOf, transformOf } from "./transform";

/** The query as a file of the project, to be put there by hand. */
export function SaveTransform({ sql }: { sql: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" leftSection={<IconFileCode size={16} aria-hidden />} disabled={sql.trim() === ""} onClick={() => setOpen(true)}>
        Transform file
      </Button>
      {open && <Dialog sql={sql} onClose={() => setOpen(false)} />}
    </>
  );
}

function Dialog({ sql, onClose }: { sql: string; onClose: () => void }) {
  const [table, setTable] = useState("");
  const clipboard = useClipboard({ timeout: 1500 });
  const sources = useQuery({ ...declaredSourcesQuery(), staleTime: 30_000 }).data?.items ?? [];
  useFocusBack();
  const name = table.trim();
  const isNamed = isTableName(name);
  const text = transformOf(sql, isNamed ? name : "schema.table");
  const notes = notesOn(
    sql,
    sources.map((one) => one.name),
  );
  return (
    <Modal opened onClose={onClose} title="Save as a transform file" size="lg" centered closeButtonProps={{ "aria-label": "Close" }}>
      <Stack gap="sm">
        <TextInput data-autofocus label="Table" description="What the transform writes: schema.table" placeholder="marts.orders_by_city" value={table} maxLength={128} spellCheck={false} error={name === "" || isNamed ? undefined : "A table is named schema.table, with letters, digits and underscores"} onChange={(event) => setTable(event.currentTarget.value)} />
        {/* eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- a long query scrolls, so the keyboard must reach it */}
        <pre className="transform-text" role="region" aria-label="The file" tabIndex={0}>
          {text}
        </pre>
        {notes.map((note) => (
          <Text key={note} size="sm">
            {note}
          </Text>
        ))}
        <Text size="sm" c="dimmed">
          {isNamed ? <WithCode text={`Put it at \`${pathOf(name)}\` in the project, then look at \`forge plan\`.`} /> : "Name the table: the file has its place by it."}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" leftSection={<IconClipboard size={16} aria-hidden />} disabled={!isNamed} onClick={() => clipboard.copy(text)}>
            {clipboard.copied ? "Copied" : "Copy"}
          </Button>
          <Button leftSection={<IconDownload size={16} aria-hidden />} disabled={!isNamed} onClick={() => download(`${name.split(".")[1] ?? name}.sql`, "application/sql", text)}>
            Download
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

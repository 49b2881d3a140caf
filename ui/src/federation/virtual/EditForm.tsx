import { Stack, Switch, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";

import type { VirtualTableDetail } from "../../api";
import { useChangeVirtualTable } from "../../api/virtualTables";
import { notify } from "../../components";
import { FormDialog } from "../../components/FormDialog";
import { faultOfSeconds, fieldsOf, patchOf, type VirtualFields } from "./words";

/** What of a virtual table is not its SELECT. It is changed at the version that was seen when the form was opened. */
export function EditForm({ table, onClose }: { table: VirtualTableDetail; onClose: () => void }) {
  const [before] = useState(table);
  const [fields, setFields] = useState<VirtualFields>(fieldsOf(before));
  const save = useChangeVirtualTable();
  const put = (part: Partial<VirtualFields>): void => setFields((all) => ({ ...all, ...part }));
  const fault = fields.cached ? faultOfSeconds(fields.seconds) : null;
  const submit = (): void =>
    save.mutate(
      { name: before.name, ...patchOf(fields, before) },
      {
        onSuccess: ({ name }) => {
          notify("good", `${name} is saved`);
          onClose();
        },
      },
    );
  return (
    <FormDialog title={`Edit ${before.name}`} submit="Save" disabled={fault !== null} busy={save.isPending} error={save.error} onSubmit={submit} onClose={onClose}>
      <Stack gap="sm">
        <Textarea data-autofocus label="Description" autosize minRows={2} maxRows={6} maxLength={10_000} value={fields.description} onChange={(event) => put({ description: event.currentTarget.value })} />
        <Textarea label="Filters that always hold" description="One in each line, like o.status <> 'cancelled'" autosize minRows={1} maxRows={8} classNames={{ input: "mono" }} value={fields.filters} onChange={(event) => put({ filters: event.currentTarget.value })} />
        <TagsInput label="Readers" description="None: whoever may read its sources" clearable clearButtonProps={{ "aria-label": "No readers" }} value={fields.readers} onChange={(readers) => put({ readers })} />
        <TagsInput label="Hidden columns" description="They read as NULL" data={before.columns?.map(({ name }) => name) ?? []} clearable clearButtonProps={{ "aria-label": "No hidden columns" }} value={fields.hidden} onChange={(hidden) => put({ hidden })} />
        <Switch label="Results of queries may be kept" checked={fields.cached} onChange={(event) => put({ cached: event.currentTarget.checked })} />
        {fields.cached && <TextInput label="Kept for at most, in seconds" inputMode="numeric" error={fault} value={fields.seconds} onChange={(event) => put({ seconds: event.currentTarget.value })} />}
        {before.sql !== null && (
          <Text size="sm" c="dimmed">
            Its sources, joins and columns are changed{" "}
            <Link to="/query" search={{ sql: before.sql, into: before.name }} className="link">
              as a SELECT
            </Link>
            .
          </Text>
        )}
      </Stack>
    </FormDialog>
  );
}

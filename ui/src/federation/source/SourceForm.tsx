import { NativeSelect, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";

import type { DeclaredSourceView } from "../../api";
import { useChangeSource, useCreateSource } from "../../api/federation";
import { notify } from "../../components";
import { FormDialog } from "../../components/FormDialog";
import { CONNECTORS, createOf, EMPTY, fieldsFrom, fieldsOf, patchOf, type Connector, type SourceFields } from "./words";

interface Props {
  /** None: a new one. */
  source: DeclaredSourceView | undefined;
  onClose: () => void;
  onSaved: (source: DeclaredSourceView) => void;
}

/** A source's fields. Secrets are never typed here: only the names of what holds them. */
export function SourceForm({ source, onClose, onSaved }: Props) {
  const [fields, setFields] = useState<SourceFields>(source === undefined ? EMPTY : fieldsFrom(source));
  const create = useCreateSource();
  const save = useChangeSource();
  const put = (part: Partial<SourceFields>): void => setFields((before) => ({ ...before, ...part }));
  const has = fieldsOf(fields.connector);
  const done = (made: DeclaredSourceView): void => {
    notify("good", `${made.name} is saved`);
    onSaved(made);
  };
  const submit = (): void => {
    if (source === undefined) create.mutate(createOf(fields), { onSuccess: done });
    else save.mutate({ name: source.name, ...patchOf(fields, source) }, { onSuccess: done });
  };
  return (
    <FormDialog
      title={source === undefined ? "Add a source" : `Edit ${source.name}`}
      submit={source === undefined ? "Add the source" : "Save"}
      disabled={fields.name.trim() === "" || (has.url && fields.url.trim() === "") || (has.path && fields.path.trim() === "")}
      busy={create.isPending || save.isPending}
      error={create.error ?? save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap="sm">
        <TextInput data-autofocus required label="Name" description="Queries say name.table" disabled={source !== undefined} maxLength={64} value={fields.name} onChange={(event) => put({ name: event.currentTarget.value })} />
        <NativeSelect label="Kind" value={fields.connector} onChange={(event) => put({ connector: event.currentTarget.value as Connector })} data={Object.entries(CONNECTORS)
          // Endpoints of an API are declared in a file: they are more than a form of fields.
          .filter(([value]) => value !== "rest" || fields.connector === "rest")
          .map(([value, label]) => ({ value, label }))} />
        {has.url && (
          <TextInput
            required
            label="Address"
            description="Its host must be named in forge.yaml, under federation: hosts"
            placeholder={fields.connector === "mysql" ? "jdbc:mysql://db.example.com/shop" : "jdbc:postgresql://db.example.com/crm"}
            value={fields.url}
            onChange={(event) => put({ url: event.currentTarget.value })}
          />
        )}
        {has.path && (
          <TextInput
            required
            label="Path"
            description="Inside a folder that forge.yaml names under federation: folders"
            placeholder={fields.connector === "sqlite" ? "data/shared/till.db" : fields.connector === "delta" ? "data/shared/events" : "data/shared/rates/*.csv"}
            value={fields.path}
            onChange={(event) => put({ path: event.currentTarget.value })}
          />
        )}
        {has.format && <NativeSelect label="Format" value={fields.format} onChange={(event) => put({ format: event.currentTarget.value })} data={[{ value: "", label: "By the ending of its files" }, "csv", "json", "parquet"]} />}
        {has.schema && <TextInput label="Schema" description="Where tables without a schema are looked for" placeholder="public" value={fields.schema} onChange={(event) => put({ schema: event.currentTarget.value })} />}
        {has.secrets && (
          <>
            <TextInput label="User" description="The name of the environment variable that holds it" placeholder="env:FORGE_SOURCE_CRM_USER" value={fields.user} onChange={(event) => put({ user: event.currentTarget.value })} />
            <TextInput label="Password" description="A reference too: the secret itself is never typed here, nor stored" placeholder="env:FORGE_SOURCE_CRM_PASSWORD" value={fields.password} onChange={(event) => put({ password: event.currentTarget.value })} />
          </>
        )}
        <TagsInput label="Readers" description="Who may query it; none: everyone who may read the lake" clearable clearButtonProps={{ "aria-label": "No readers" }} value={fields.readers} onChange={(readers) => put({ readers })} />
        <TagsInput label="Hidden columns" description="table.column: it reads as NULL" clearable clearButtonProps={{ "aria-label": "No hidden columns" }} value={fields.hidden} onChange={(hidden) => put({ hidden })} />
        <Textarea label="Description" autosize minRows={2} maxRows={6} value={fields.description} onChange={(event) => put({ description: event.currentTarget.value })} />
      </Stack>
    </FormDialog>
  );
}

import { NativeSelect, Stack, TagsInput, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";

import type { DeclaredSourceView } from "../../api";
import { useChangeSource, useCreateSource } from "../../api/federation";
import { notify } from "../../components";
import { FormDialog } from "../../components/FormDialog";
import { createOf, EMPTY, faultOfTables, fieldsFrom, fieldsOf, lacking, needsColumns, patchOf, type Connector, type SourceFields } from "./fields";
import { Pairs } from "./Pairs";
import { ProposedColumns } from "./ProposedColumns";
import { Masks, RowFilters } from "./Rules";
import { ADDED_HERE, CONNECTORS } from "./words";

const TYPES = ["string", "bigint", "int", "double", "decimal(12,2)", "boolean", "date", "timestamp", "timestamp_ntz"];
const ADDRESSES: Partial<Record<Connector, string>> = { postgresql: "jdbc:postgresql://db.example.com/crm", mysql: "jdbc:mysql://db.example.com/shop", rest: "https://api.example.com/v1" };
const PATHS: Partial<Record<Connector, string>> = { sqlite: "data/shared/till.db", files: "data/shared/rates/*.csv", delta: "data/shared/events" };
const TABLES = '{"orders": {"path": "/orders", "columns": {"id": "bigint", "city": "string"}}}';

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
  const has = fieldsOf(fields);
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
      disabled={lacking(fields) !== null}
      busy={create.isPending || save.isPending}
      error={create.error ?? save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap="sm">
        <TextInput data-autofocus required label="Name" description="Queries say name.table" disabled={source !== undefined} maxLength={64} value={fields.name} onChange={(event) => put({ name: event.currentTarget.value })} />
        <NativeSelect label="Kind" value={fields.connector} onChange={(event) => put({ connector: event.currentTarget.value as Connector })} data={ADDED_HERE.map((value) => ({ value, label: CONNECTORS[value] }))} />
        {has.url && (
          <TextInput
            required
            label="Address"
            description="Its host must be named in forge.yaml, under federation: hosts"
            placeholder={ADDRESSES[fields.connector]}
            value={fields.url}
            onChange={(event) => put({ url: event.currentTarget.value })}
          />
        )}
        {has.path && (
          <TextInput
            required
            label="Path"
            description="Inside a folder that forge.yaml names under federation: folders; or s3a://bucket/…, named under hosts"
            placeholder={PATHS[fields.connector]}
            value={fields.path}
            onChange={(event) => put({ path: event.currentTarget.value })}
          />
        )}
        {has.format && <NativeSelect label="Format" value={fields.format} onChange={(event) => put({ format: event.currentTarget.value })} data={[{ value: "", label: "By the ending of its files" }, "csv", "json", "parquet"]} />}
        {needsColumns(fields) && (
          <Pairs
            legend="Columns"
            about="CSV and JSON do not say their types: each column by name, in the order of a CSV"
            one="column"
            names={[]}
            valueName="Type"
            values={TYPES}
            pairs={fields.columns}
            change={(columns) => put({ columns })}
            actions={<ProposedColumns fields={fields} propose={put} />}
          />
        )}
        {has.tables && (
          <Textarea
            required
            label="Tables"
            description="By name, as JSON: where each is, its columns, and how its pages follow each other"
            placeholder={TABLES}
            autosize
            minRows={4}
            maxRows={16}
            error={faultOfTables(fields.tables)}
            value={fields.tables}
            onChange={(event) => put({ tables: event.currentTarget.value })}
            classNames={{ input: "source-code" }}
          />
        )}
        {has.schema && <TextInput label="Schema" description="Where tables without a schema are looked for" placeholder="public" value={fields.schema} onChange={(event) => put({ schema: event.currentTarget.value })} />}
        {has.secrets && (
          <>
            <TextInput label="User" description="The name of the environment variable that holds it" placeholder="env:FORGE_SOURCE_CRM_USER" value={fields.user} onChange={(event) => put({ user: event.currentTarget.value })} />
            <TextInput label="Password" description="A reference too: the secret itself is never typed here, nor stored" placeholder="env:FORGE_SOURCE_CRM_PASSWORD" value={fields.password} onChange={(event) => put({ password: event.currentTarget.value })} />
          </>
        )}
        <TagsInput label="Readers" description="Who may query it; none: everyone who may read the lake" clearable clearButtonProps={{ "aria-label": "No readers" }} value={fields.readers} onChange={(readers) => put({ readers })} />
        <TagsInput label="Hidden columns" description="table.column: it reads as NULL" clearable clearButtonProps={{ "aria-label": "No hidden columns" }} value={fields.hidden} onChange={(hidden) => put({ hidden })} />
        <Masks masks={fields.masks} change={(masks) => put({ masks })} />
        <RowFilters rows={fields.rows} change={(rows) => put({ rows })} />
        {(has.options.length > 0 || fields.options.length > 0) && (
          <Pairs legend="Options" about={`Of its connector: ${has.options.join(", ")}`} one="option" names={has.options} valueName="Value" values={[]} pairs={fields.options} change={(options) => put({ options })} />
        )}
        <TextInput
          label="Kept results"
          description="How many seconds old they may be where the source cannot tell whether it has changed; empty: none are kept then"
          inputMode="numeric"
          placeholder="60"
          error={/^\s*\d*\s*$/.test(fields.cacheSeconds) ? undefined : "Write a number of seconds"}
          value={fields.cacheSeconds}
          onChange={(event) => put({ cacheSeconds: event.currentTarget.value })}
        />
        <Textarea label="Description" autosize minRows={2} maxRows={6} value={fields.description} onChange={(event) => put({ description: event.currentTarget.value })} />
      </Stack>
    </FormDialog>
  );
}

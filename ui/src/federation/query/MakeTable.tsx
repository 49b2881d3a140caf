import { Skeleton, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { VirtualTableDetail, VirtualTableDraftView } from "../../api";
import { useChangeVirtualTable, useCreateVirtualTable, virtualDraftQuery, virtualTableQuery } from "../../api/virtualTables";
import { notify, Problem } from "../../components";
import { FormDialog } from "../../components/FormDialog";
import { plural } from "../../format/numbers";
import { faultOfName, relationOf, replacing } from "../virtual/words";

interface Props {
  sql: string;
  /** Of its result, where it was run: computed columns get them. */
  types: Record<string, string>;
  /** The virtual table whose SELECT it was. */
  into: string | undefined;
  onClose: () => void;
  onMade: (name: string) => void;
}

/** The SELECT of the editor as a virtual table, if it can be one: that the server decides. */
export function MakeTable(props: Props) {
  const { into } = props;
  const query = useQuery({ ...virtualTableQuery(into ?? ""), enabled: into !== undefined });
  if (into !== undefined && query.data === undefined && query.error === null) return null;
  // One that is there no more becomes a new one.
  return <Dialog {...props} seen={query.data} />;
}

function Dialog({ sql, types, seen, onClose, onMade }: Props & { seen: VirtualTableDetail | undefined }) {
  const [before] = useState(seen);
  const [name, setName] = useState("");
  const [description, setDescription] = useState("");
  const draft = useQuery(virtualDraftQuery(sql, types));
  const create = useCreateVirtualTable();
  const save = useChangeVirtualTable();
  const fault = before === undefined ? faultOfName(name.trim()) : null;
  const done = (made: VirtualTableDetail): void => {
    notify("good", `virtual.${made.name} is saved`);
    onMade(made.name);
  };
  const submit = (): void => {
    if (draft.data === undefined) return;
    if (before !== undefined) save.mutate({ name: before.name, ...replacing(draft.data, before) }, { onSuccess: done });
    else create.mutate({ cache_enabled: true, cache_ttl_seconds: 3600, allowed_operations: ["SELECT"], readers: [], hidden: [], ...draft.data, name: name.trim(), description: description.trim() }, { onSuccess: done });
  };
  return (
    <FormDialog
      title={before === undefined ? "Save as virtual table" : `Change virtual.${before.name}`}
      submit={before === undefined ? "Save" : "Change it"}
      disabled={draft.data === undefined || fault !== null}
      busy={create.isPending || save.isPending}
      error={create.error ?? save.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Stack gap="sm">
        {draft.error !== null ? <Problem error={draft.error} plain /> : draft.data === undefined ? <Looking /> : <Draft draft={draft.data} />}
        {before === undefined && draft.error === null && (
          <>
            <TextInput data-autofocus required label="Name" description="Queries say virtual.name" maxLength={128} error={name === "" ? null : fault} value={name} onChange={(event) => setName(event.currentTarget.value)} />
            <Textarea label="Description" autosize minRows={2} maxRows={6} maxLength={10_000} value={description} onChange={(event) => setDescription(event.currentTarget.value)} />
          </>
        )}
      </Stack>
    </FormDialog>
  );
}

function Looking() {
  return (
    <div aria-busy="true" aria-live="polite">
      <span className="only-readers">The server looks at it</span>
      <Skeleton h={88} radius="sm" />
    </div>
  );
}

/** What would be kept, in words. */
function Draft({ draft }: { draft: VirtualTableDraftView }) {
  const computed = draft.columns.filter(({ expression }) => expression !== "");
  return (
    <div className="query-draft" role="status">
      <Text size="sm">
        {plural(draft.columns.length, "column")} of <b className="name">{draft.sources.map(relationOf).join(", ")}</b>
        {draft.joins.length > 0 && `, ${plural(draft.joins.length, "join")}`}
        {draft.default_filters.length > 0 && `, ${plural(draft.default_filters.length, "filter that always holds", "filters that always hold")}`}.
      </Text>
      <Text size="sm" c="dimmed" className="name">
        {draft.columns.map(({ name }) => name).join(", ")}
      </Text>
      {computed.length > 0 && (
        <ul>
          {computed.map(({ name, expression, data_type }) => (
            <li key={name}>
              <b>{name}</b> is <code>{expression}</code>, {data_type}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

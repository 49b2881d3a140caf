import { SegmentedControl, Stack, Switch, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";

import type { SavedQueryCreate, SavedQueryView } from "../../api";
import { useChangeSavedQuery, useSaveQuery } from "../../api/savedQueries";
import { notify } from "../../components";
import { FormDialog } from "../../components/FormDialog";

interface Props {
  /** What is in the editor; none: only the name of `saved` and what is said about it are changed. */
  asked: Pick<SavedQueryCreate, "sql" | "parameters" | "at"> | undefined;
  /** The caller's own one that it was opened from. */
  saved: SavedQueryView | undefined;
  onClose: () => void;
  onKept: (kept: SavedQueryView) => void;
}

/** Keeps what is in the editor by a name, or changes what was kept. */
export function KeepQuery({ asked, saved, onClose, onKept }: Props) {
  const [before] = useState(saved);
  const [isNew, setNew] = useState(before === undefined);
  const [name, setName] = useState(before?.name ?? "");
  const [description, setDescription] = useState(before?.description ?? "");
  const [shared, setShared] = useState(before?.is_shared ?? false);
  const create = useSaveQuery();
  const save = useChangeSavedQuery();
  const done = (kept: SavedQueryView): void => {
    notify("good", `${kept.name} is saved`);
    onKept(kept);
  };
  const submit = (): void => {
    const told = { name: name.trim(), description: description.trim(), is_shared: shared };
    if (before !== undefined && !isNew) save.mutate({ id: before.id, expected_version: before.version, ...told, ...asked }, { onSuccess: done });
    else if (asked !== undefined) create.mutate({ ...told, ...asked }, { onSuccess: done });
  };
  return (
    <FormDialog title={asked === undefined ? `Edit ${before?.name ?? ""}` : "Save the query"} submit="Save" disabled={name.trim() === ""} busy={create.isPending || save.isPending} error={create.error ?? save.error} onSubmit={submit} onClose={onClose}>
      <Stack gap="sm">
        {before !== undefined && asked !== undefined && (
          <SegmentedControl
            aria-label="How it is saved"
            value={isNew ? "new" : "same"}
            onChange={(value) => setNew(value === "new")}
            data={[
              { value: "same", label: "Change what was kept" },
              { value: "new", label: "Save as another" },
            ]}
          />
        )}
        <TextInput data-autofocus required label="Name" maxLength={255} value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <Textarea label="Description" autosize minRows={2} maxRows={6} maxLength={10_000} value={description} onChange={(event) => setDescription(event.currentTarget.value)} />
        <Switch label="Others see it, too" description="Who runs it asks with his own rights; only you can change it" checked={shared} onChange={(event) => setShared(event.currentTarget.checked)} />
      </Stack>
    </FormDialog>
  );
}

import { Button, Group, Input, Modal, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useId, useState } from "react";

import { searchQuery } from "../../api";
import { MODES, useUpload, type Mode, type UploadEnd } from "../../api/versioning";
import { notify, Problem, RunLink } from "../../components";
import { LongWork } from "../../components/LongWork";
import { plural } from "../../format/numbers";
import { shortCommit } from "../../format/refs";
import { Verdicts } from "../merge/Verdicts";
import { changesInWords } from "../merge/words";

interface Props {
  branch: string;
  table: string | undefined;
  onClose: () => void;
}

const ABOUT: Record<Mode, string> = {
  append: "The rows are added.",
  merge: "Rows whose key is there are updated, the others added. Columns that the file does not have stay as they are.",
  overwrite: "The rows take the place of all that are there.",
  delete: "Rows whose key is in the file are deleted; its other columns are not looked at.",
};
const MOST_TABLES = 500;

/** Rows of a file, as one commit on a branch. A file that does not fit is refused whole. */
export function UploadRows({ branch, table: wanted, onClose }: Props) {
  const upload = useUpload();
  const id = useId();
  const { data: known } = useInfiniteQuery(searchQuery({ limit: MOST_TABLES, sort: "name" }));
  const [table, setTable] = useState(wanted ?? "");
  const [file, setFile] = useState<File | null>(null);
  const [mode, setMode] = useState<Mode>("append");
  const [key, setKey] = useState("");
  const [message, setMessage] = useState("");
  const ready = table.trim() !== "" && file !== null;
  const submit = (): void => {
    if (file === null || !ready || upload.isPending) return;
    upload.mutate({ branch, table: table.trim(), file, mode, key: key.trim(), message: message.trim() }, { onSuccess: (end) => finish(end, branch, onClose) });
  };
  return (
    <Modal opened onClose={onClose} title={`Commit rows to ${branch}`} centered closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <TextInput
            data-autofocus={wanted === undefined ? true : undefined}
            required
            label="Table"
            description="schema.table; one that is not there is made of the file"
            autoComplete="off"
            spellCheck={false}
            maxLength={300}
            list={`${id}-tables`}
            value={table}
            onChange={(event) => setTable(event.currentTarget.value)}
          />
          <datalist id={`${id}-tables`}>
            {known?.pages[0]?.items.map((hit) => (
              <option key={hit.id} value={hit.qualified_name} />
            ))}
          </datalist>
          <Input.Wrapper required label="File" description="CSV with a header, JSON lines or Parquet" id={`${id}-file`}>
            <input
              id={`${id}-file`}
              className="upload-file"
              type="file"
              accept=".csv,.jsonl,.ndjson,.json,.parquet,text/csv"
              aria-required
              onChange={(event) => {
                setFile(event.currentTarget.files?.[0] ?? null);
                upload.reset();
              }}
            />
          </Input.Wrapper>
          <NativeSelect
            label="Mode"
            description={ABOUT[mode]}
            inputWrapperOrder={["label", "input", "description", "error"]}
            value={mode}
            onChange={(event) => setMode(MODES.find((one) => one === event.currentTarget.value) ?? "append")}
            data={[...MODES]}
          />
          <TextInput
            label="Key"
            description="Columns with commas between them; not needed where the table has a key"
            autoComplete="off"
            spellCheck={false}
            value={key}
            onChange={(event) => setKey(event.currentTarget.value)}
          />
          <TextInput label="Message" description="May be left out" maxLength={10_000} value={message} onChange={(event) => setMessage(event.currentTarget.value)} />
          <LongWork runId={upload.runId} what="The commit" />
          {upload.error !== null && <Problem error={upload.error} plain />}
          {upload.data?.type === "blocked" && <Blocked end={upload.data} />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!ready} loading={upload.isPending}>
              Commit the rows
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function finish(end: UploadEnd, branch: string, onClose: () => void): void {
  if (end.type === "blocked") return;
  const { result } = end;
  const rows = result === null ? "" : changesInWords({ inserted: result.rows_added, updated: result.rows_modified, deleted: result.rows_deleted });
  notify("good", end.commit === null ? `Nothing changed on ${branch}` : `Committed as ${shortCommit(end.commit)}`, rows);
  onClose();
}

function Blocked({ end }: { end: UploadEnd }) {
  const failed = end.result?.verdicts.filter((one) => one.blocks) ?? [];
  return (
    <div role="alert">
      <Text size="sm" fw={600}>
        Held back by its checks; nothing was committed.
      </Text>
      {failed.length > 0 ? <Verdicts verdicts={failed} /> : null}
      <Text size="sm" c="dimmed">
        {failed.length > 0 && `${plural(failed.length, "check")} failed. `}
        {end.runId !== null && (
          <>
            Run <RunLink runId={end.runId} /> has more.
          </>
        )}
      </Text>
    </div>
  );
}

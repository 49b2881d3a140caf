import { ActionIcon, CloseButton, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconPencil, IconTrash, IconUsers } from "@tabler/icons-react";
import { useState } from "react";

import type { SavedQueryView } from "../../api";
import { savedQueriesQuery, useDropSavedQuery } from "../../api/savedQueries";
import { useMayWrite } from "../../api/scope";
import { ConfirmDialog, notify, QueryResult, RelativeTime, TypedInput } from "../../components";
import { whoOf } from "../../format/names";
import { KeepQuery } from "./KeepQuery";

const FILTER_FROM = 8;

interface Props {
  here: string | undefined;
  onTake: (one: SavedQueryView) => void;
  onClose: () => void;
}

/** What the server keeps by name: one's own, and what others share. */
export function SavedQueries({ here, onTake, onClose }: Props) {
  const query = useQuery(savedQueriesQuery());
  return (
    <section className="panel history" aria-label="Saved queries">
      <header className="history-head">
        <h2 className="panel-title">Saved queries</h2>
        <Text size="sm" c="dimmed" className="history-about">
          Kept on the server: yours, and those that others share.
        </Text>
        <CloseButton aria-label="Close the saved queries" onClick={onClose} />
      </header>
      <QueryResult query={query} skeleton={<Skeleton h={90} radius={0} />}>
        {(queries) => <All queries={queries} here={here} onTake={onTake} />}
      </QueryResult>
    </section>
  );
}

function All({ queries, here, onTake }: Omit<Props, "onClose"> & { queries: readonly SavedQueryView[] }) {
  const [words, setWords] = useState("");
  const [edited, setEdited] = useState<SavedQueryView | null>(null);
  const [dropped, setDropped] = useState<SavedQueryView | null>(null);
  const shown = queries.filter(({ name, description, sql }) => `${name} ${description} ${sql}`.toLowerCase().includes(words.toLowerCase()));
  if (queries.length === 0) {
    return (
      <Text size="sm" c="dimmed" p="md">
        None yet. Save keeps what is in the editor by a name.
      </Text>
    );
  }
  return (
    <>
      {queries.length >= FILTER_FROM && <TypedInput aria-label="Filter saved queries" placeholder="Name, description or SQL" m="xs" value={words} onTyped={setWords} />}
      <ul>
        {shown.map((one) => (
          <Saved key={one.id} one={one} here={one.id === here} onTake={() => onTake(one)} onEdit={() => setEdited(one)} onDrop={() => setDropped(one)} />
        ))}
      </ul>
      {shown.length === 0 && (
        <Text size="sm" c="dimmed" p="md">
          No saved query has these letters.
        </Text>
      )}
      {edited !== null && <KeepQuery asked={undefined} saved={edited} onClose={() => setEdited(null)} onKept={() => setEdited(null)} />}
      {dropped !== null && <Drop one={dropped} onClose={() => setDropped(null)} />}
    </>
  );
}

function Saved({ one, here, onTake, onEdit, onDrop }: { one: SavedQueryView; here: boolean; onTake: () => void; onEdit: () => void; onDrop: () => void }) {
  const mayWrite = useMayWrite();
  return (
    <li className="saved-one">
      <button type="button" className="history-one" aria-current={here || undefined} onClick={onTake}>
        <span className="saved-text">
          <b className="name">{one.name}</b>
          {one.description !== "" && <span className="saved-about">{one.description}</span>}
          <code>{one.sql.trim()}</code>
        </span>
        <span className="history-fact">
          {one.is_shared && <IconUsers size={13} aria-label="shared" className="saved-sign" />}
          {!one.is_own && <span title={one.owner}>{`of ${whoOf(one.owner)} · `}</span>}
          {one.at !== null && `at ${one.at} · `}
          <RelativeTime time={one.updated_at} />
        </span>
      </button>
      {one.is_own && mayWrite && (
        <span className="saved-tools">
          <ActionIcon variant="subtle" color="gray" aria-label={`Edit ${one.name}`} onClick={onEdit}>
            <IconPencil size={15} aria-hidden />
          </ActionIcon>
          <ActionIcon variant="subtle" color="gray" aria-label={`Delete ${one.name}`} onClick={onDrop}>
            <IconTrash size={15} aria-hidden />
          </ActionIcon>
        </span>
      )}
    </li>
  );
}

function Drop({ one, onClose }: { one: SavedQueryView; onClose: () => void }) {
  const drop = useDropSavedQuery();
  const done = (): void => {
    notify("good", `${one.name} is deleted`);
    onClose();
  };
  return (
    <ConfirmDialog opened danger title={`Delete ${one.name}?`} confirm="Delete the query" keep="Keep it" busy={drop.isPending} error={drop.error} onConfirm={() => drop.mutate(one, { onSuccess: done })} onClose={onClose}>
      {one.is_shared ? "Others do not see it any more, either." : "What is in the editor stays."}
    </ConfirmDialog>
  );
}

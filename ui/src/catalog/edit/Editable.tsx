import "./edit.css";

import { ActionIcon, Button, Group, Text, Tooltip } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconFileCode, IconPencil } from "@tabler/icons-react";
import { useEffect, useRef, useState, type KeyboardEvent, type ReactNode } from "react";

import { asProblem, type AssetDetail } from "../../api";
import { editsQuery, useEditAsset } from "../../api/documentation";
import { useMayWrite } from "../../api/scope";
import { notify, Problem, RelativeTime } from "../../components";
import { showUnseen } from "../markdown/parse";
import { afterInWords, bodyOfEdit, stillThere, theirsOf } from "./words";

interface Props<T> {
  asset: AssetDetail;
  /** The field by its path: `owner`, `columns.amount.description`. */
  path: string;
  label: string;
  value: T;
  /** How it reads while nobody edits it. */
  children: ReactNode;
  /** The field to type in. */
  editor: (draft: T, change: (draft: T) => void) => ReactNode;
  /** Enter saves; of a text with lines only with ⌘ or Ctrl. */
  lines?: boolean;
}

/** A field of the documentation that is changed where it stands. What was typed is never lost: not by a refusal, and not
 * because somebody else was faster. */
export function Editable<T>({ asset, path, label, value, children, editor, lines = false }: Props<T>) {
  const mayWrite = useMayWrite();
  const [open, setOpen] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  const wasOpen = useRef(false);
  // Who edited by keyboard goes on from where they were.
  useEffect(() => {
    if (wasOpen.current && !open) pencil.current?.focus();
    wasOpen.current = open;
  }, [open]);
  const place = asset.origins[path]?.startsWith("file ") === true ? asset.origins[path].slice("file ".length) : null;
  if (open) return <Editing asset={asset} path={path} label={label} value={value} editor={editor} lines={lines} onClose={() => setOpen(false)} />;
  return (
    <div className="editable">
      <div className="editable-value">{children}</div>
      {place !== null ? (
        <Tooltip label={`Written in ${place}: change it there`} withArrow>
          <span className="editable-file">
            <IconFileCode size={14} aria-label={`written in ${place}`} />
          </span>
        </Tooltip>
      ) : (
        mayWrite && (
          <ActionIcon ref={pencil} variant="subtle" color="gray" size="sm" className="editable-pencil" aria-label={`Edit ${label.toLowerCase()}`} onClick={() => setOpen(true)}>
            <IconPencil size={14} aria-hidden />
          </ActionIcon>
        )
      )}
    </div>
  );
}

interface EditingProps<T> extends Omit<Props<T>, "children"> {
  onClose: () => void;
}

function Editing<T>({ asset, path, label, value, editor, lines, onClose }: EditingProps<T>) {
  const [draft, setDraft] = useState(value);
  const [seen, setSeen] = useState(asset.documentation_version);
  const save = useEditAsset(asset.id);
  const stale = save.error !== null && asProblem(save.error).status === 409 && asset.documentation_version !== seen;
  const submit = (): void => {
    const version = stale ? asset.documentation_version : seen;
    setSeen(version);
    save.mutate(bodyOfEdit(path, draft, version), {
      onSuccess: ({ proposal, edit, asset: now }) => {
        if (proposal != null) notify("busy", `${label} waits for approval`, "Its domain asks for the word of somebody else.");
        else if (edit != null) notify("good", `${label} of ${asset.qualified_name} is saved`, path === "tags" ? stillThere(now.tags, draft) : undefined);
        onClose();
      },
    });
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onClose();
    } else if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) submit();
  };
  return (
    // Keys of the fields inside come through here; the form itself takes no focus.
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-element-interactions
    <form
      className="editing"
      aria-label={label}
      onKeyDown={onKey}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) submit();
      }}
    >
      {stale && <Theirs asset={asset} path={path} />}
      {editor(draft, setDraft)}
      {save.error !== null && !stale && <Problem error={save.error} plain />}
      <Group gap={6} mt={6}>
        <Button type="submit" size="compact-sm" loading={save.isPending}>
          {stale ? "Save mine over it" : "Save"}
        </Button>
        <Button size="compact-sm" variant="default" onClick={onClose}>
          {stale ? "Keep theirs" : "Cancel"}
        </Button>
        {lines && (
          <Text size="xs" c="dimmed">
            Markdown; Ctrl Enter saves
          </Text>
        )}
      </Group>
    </form>
  );
}

/** Who was faster, and what it says now; one's own words stay in the field. */
function Theirs({ asset, path }: { asset: AssetDetail; path: string }) {
  const { data } = useQuery(editsQuery(asset.id));
  const last = theirsOf(data?.items ?? [], path);
  return (
    <div className="edit-theirs" role="alert">
      <Text size="sm" fw={600}>
        {last === undefined ? "Somebody" : last.by} changed it meanwhile
        {last !== undefined && (
          <>
            , <RelativeTime time={last.at} />
          </>
        )}
      </Text>
      {last !== undefined && path in last.after && (
        <Text size="sm" className="edit-theirs-text">
          Now it says: {showUnseen(afterInWords(path, last.after[path]))}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        What you typed is kept.
      </Text>
    </div>
  );
}

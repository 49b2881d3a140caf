import { NativeSelect, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { branchesQuery, commitQuery } from "../../api";
import { useCreateTag, usePick } from "../../api/versioning";
import { notify } from "../../components";
import { FormDialog } from "../../components/FormDialog";
import { LongWork } from "../../components/LongWork";
import { shortCommit } from "../../format/refs";
import type { CommitDialog } from "../branch/search";
import { brokenRule } from "../branch/words";
import { useMergeEnd } from "../merge/useMergeEnd";

interface Props {
  commit: string;
  /** The branch whose log is looked at. */
  branch: string;
  onClose: () => void;
}

/** What can be done with one commit. */
export function CommitDialogs({ dialog, ...rest }: Props & { dialog: CommitDialog }) {
  if (dialog === "revert") return <Pick what="revert" {...rest} />;
  if (dialog === "cherry-pick") return <Pick what="cherry-pick" {...rest} />;
  return <TagCommit {...rest} />;
}

/** A revert and a cherry-pick are the same question: on which branch? */
function Pick({ what, commit, branch, onClose }: Props & { what: "revert" | "cherry-pick" }) {
  const { data } = useQuery(commitQuery(commit));
  const { data: branches } = useQuery(branchesQuery());
  const pick = usePick(what);
  const leadOn = useMergeEnd();
  const names = (branches?.items ?? []).filter((one) => one.status !== "archived").map((one) => one.name);
  const others = what === "revert" ? names : names.filter((name) => name !== branch);
  const [chosen, setChosen] = useState<string | null>(null);
  const [message, setMessage] = useState("");
  const target = chosen ?? (what === "revert" ? branch : others[0]) ?? branch;
  const title = data?.message.split("\n")[0] ?? "";
  const submit = (): void =>
    pick.mutate(
      { commit, branch: target, message: message.trim() === "" ? null : message.trim() },
      {
        onSuccess: (end) => {
          onClose();
          leadOn(end, target);
        },
      },
    );
  return (
    <FormDialog
      title={what === "revert" ? `Revert ${shortCommit(commit)}` : `Cherry-pick ${shortCommit(commit)}`}
      submit={what === "revert" ? "Revert" : "Cherry-pick"}
      disabled={what === "cherry-pick" && others.length === 0}
      busy={pick.isPending}
      error={pick.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <Text size="sm" className="name">
        {what === "revert"
          ? `Takes back what “${title}” changed, by a new commit. Later changes stay; where they touch the same cells, you are asked.`
          : `Brings what “${title}” changed onto another branch, as a new commit.`}
      </Text>
      <NativeSelect
        data-autofocus
        label={what === "revert" ? "On branch" : "Onto branch"}
        value={target}
        data={others.includes(target) ? others : [target, ...others]}
        onChange={(event) => setChosen(event.currentTarget.value)}
      />
      <TextInput label="Message" description="May be left out" maxLength={10_000} value={message} onChange={(event) => setMessage(event.currentTarget.value)} />
      <LongWork runId={pick.runId} what={what === "revert" ? "The revert" : "The cherry-pick"} />
    </FormDialog>
  );
}

function TagCommit({ commit, onClose }: Props) {
  const create = useCreateTag();
  const [name, setName] = useState("");
  const [message, setMessage] = useState("");
  const broken = name === "" ? null : brokenRule(name);
  const submit = (): void =>
    create.mutate(
      { name, target: commit, message: message.trim() },
      {
        onSuccess: (tag) => {
          notify("good", `Tag ${tag.name} is there`, "It keeps the commit and its data, whatever becomes of the branch.");
          onClose();
        },
      },
    );
  return (
    <FormDialog title={`Tag ${shortCommit(commit)}`} submit="Create the tag" disabled={name === "" || broken !== null} busy={create.isPending} error={create.error} onSubmit={submit} onClose={onClose}>
      <TextInput
        data-autofocus
        required
        label="Name"
        description="Like v1.0 or closing-2026-10"
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        value={name}
        error={broken === null ? null : `Not a name for a tag: ${broken}. Names follow git’s rules.`}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <TextInput label="Message" description="May be left out" maxLength={10_000} value={message} onChange={(event) => setMessage(event.currentTarget.value)} />
    </FormDialog>
  );
}

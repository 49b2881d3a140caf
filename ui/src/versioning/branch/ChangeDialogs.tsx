import { Switch, Text, TextInput } from "@mantine/core";
import { useState } from "react";

import type { BranchView } from "../../api";
import { useChangeBranch } from "../../api/versioning";
import { ConfirmDialog, notify } from "../../components";
import { FormDialog } from "../../components/FormDialog";
import { whyNotName } from "./words";

interface Props {
  branch: BranchView;
  onClose: () => void;
}

/** Who may change the branch, and how. */
export function ProtectBranch({ branch, onClose }: Props) {
  const change = useChangeBranch();
  const [on, setOn] = useState(branch.is_protected);
  const [approval, setApproval] = useState(branch.require_approval || !branch.is_protected);
  const [mergers, setMergers] = useState(branch.allowed_mergers.join(", "));
  const save = (): void =>
    change.mutate(
      {
        branch: branch.name,
        is_protected: on,
        ...(on ? { require_approval: approval, allowed_mergers: mergers.split(/[\s,]+/).filter((one) => one !== "") } : {}),
      },
      {
        onSuccess: (saved) => {
          notify("good", `${saved.name} is ${saved.is_protected ? "protected" : "not protected any more"}`);
          onClose();
        },
      },
    );
  return (
    <FormDialog title={`Protection of ${branch.name}`} submit="Save" busy={change.isPending} error={change.error} onSubmit={save} onClose={onClose}>
      <Switch
        data-autofocus
        label="Protected"
        description="It changes by merges alone: no run, commit, revert or reset on it, and it cannot be renamed or deleted."
        checked={on}
        onChange={(event) => setOn(event.currentTarget.checked)}
      />
      <Switch
        label="Merges need an approval"
        description="By someone else than who asked for the merge. It expires when the source moves."
        checked={on && approval}
        disabled={!on}
        onChange={(event) => setApproval(event.currentTarget.checked)}
      />
      <TextInput
        label="Who may merge"
        description="E-mail addresses with commas between them; empty: everyone who may write"
        autoComplete="off"
        disabled={!on}
        value={mergers}
        onChange={(event) => setMergers(event.currentTarget.value)}
      />
    </FormDialog>
  );
}

export function RenameBranch({ branch, branches, onClose }: Props & { branches: readonly BranchView[] }) {
  const change = useChangeBranch();
  const [name, setName] = useState(branch.name);
  const wrong = name === branch.name ? null : whyNotName(name, branches);
  const save = (): void =>
    change.mutate(
      { branch: branch.name, name },
      {
        onSuccess: () => {
          notify("good", `${branch.name} is called ${name} now`);
          onClose();
        },
      },
    );
  return (
    <FormDialog
      title={`Rename ${branch.name}`}
      submit="Rename the branch"
      disabled={name === "" || name === branch.name || wrong !== null}
      busy={change.isPending}
      error={change.error}
      onSubmit={save}
      onClose={onClose}
    >
      <TextInput data-autofocus required label="New name" autoComplete="off" spellCheck={false} maxLength={255} value={name} error={wrong} onChange={(event) => setName(event.currentTarget.value)} />
    </FormDialog>
  );
}

/** Out of the way, or back. */
export function ArchiveBranch({ branch, onClose }: Props) {
  const change = useChangeBranch();
  const archived = branch.status === "archived";
  const confirm = (): void =>
    change.mutate(
      { branch: branch.name, status: archived ? "active" : "archived" },
      {
        onSuccess: () => {
          notify("good", `${branch.name} is ${archived ? "back" : "archived"}`);
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      opened
      title={archived ? `Bring ${branch.name} back?` : `Archive ${branch.name}?`}
      confirm={archived ? "Bring it back" : "Archive the branch"}
      busy={change.isPending}
      error={change.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Text size="sm">{archived ? "It is in the list again, as it was." : "It keeps all it has and is only out of the list. It can be brought back at any time."}</Text>
    </ConfirmDialog>
  );
}

import { Button, Group, Modal, Stack, Textarea, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { useCreateBranch, type BranchView } from "../../api";
import { notify, Problem } from "../../components";
import { shortCommit } from "../../format/refs";
import { whyNotName } from "./words";

interface Props {
  branches: readonly BranchView[];
  /** As the address has them. */
  name: string | undefined;
  from: string | undefined;
  onClose: () => void;
}

/** A new branch: its name, where it starts, what it is for. */
export function CreateBranch({ branches, name: wanted, from, onClose }: Props) {
  const main = branches.find((branch) => branch.is_default)?.name ?? "HEAD";
  const [name, setName] = useState(wanted ?? "");
  const [start, setStart] = useState(from === undefined ? main : shortCommit(from));
  const [description, setDescription] = useState("");
  const create = useCreateBranch();
  const navigate = useNavigate();
  const wrong = whyNotName(name, branches);

  const submit = (): void => {
    if (name === "" || wrong !== null || create.isPending) return;
    create.mutate(
      { name, from: start.trim() === "" ? "HEAD" : start.trim(), description: description.trim() },
      {
        onSuccess: (branch) => {
          notify("good", `Branch ${branch.name} is there`, `It starts at ${start.trim() || main}. Nothing was copied.`);
          void navigate({ to: "/branches/$branch", params: { branch: branch.name } });
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title="New branch" centered closeButtonProps={{ "aria-label": "Close" }}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Stack>
          <TextInput
            data-autofocus
            required
            label="Name"
            description="Like fix-orders or feature/a"
            autoComplete="off"
            spellCheck={false}
            maxLength={255}
            value={name}
            error={wrong}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label="From"
            description="A branch, a commit or its beginning, HEAD~1, or a time"
            autoComplete="off"
            spellCheck={false}
            maxLength={255}
            list="branch-starts"
            value={start}
            onChange={(event) => setStart(event.currentTarget.value)}
          />
          <datalist id="branch-starts">
            {branches.map((branch) => (
              <option key={branch.id} value={branch.name} />
            ))}
          </datalist>
          <Textarea
            label="What it is for"
            description="Others read it in the list; may be left out"
            rows={3}
            maxLength={10_000}
            value={description}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          {create.error !== null && <Problem error={create.error} plain />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={name === "" || wrong !== null} loading={create.isPending}>
              Create the branch
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

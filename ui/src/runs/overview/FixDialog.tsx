import { Button, Group, Modal, Stack, Text, TextInput } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState, type SubmitEvent } from "react";

import { useCreateBranch, type IncidentView } from "../../api";
import { notify, Problem } from "../../components";
import { branchNameFor } from "../../format/refs";
import { subjectOf } from "../../quality/incident/words";

/** Makes a branch to mend the data on, and leads there. */
export function FixDialog({ incident, onClose }: { incident: IncidentView; onClose: () => void }) {
  const [name, setName] = useState(() => branchNameFor(incident.table, incident.column));
  const create = useCreateBranch();
  const navigate = useNavigate();

  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const description = `Fix ${subjectOf(incident)}: ${incident.message}`;
    create.mutate(
      { name: name.trim(), from: incident.branch, description },
      {
        onSuccess: (branch) => {
          notify("good", `Branch ${branch.name} is there`, "What to type next stands on its page.");
          void navigate({ to: "/branches/$branch", params: { branch: branch.name }, search: { fix: incident.table } });
        },
      },
    );
  };
  return (
    <Modal opened onClose={onClose} title="Fix on a branch" centered closeButtonProps={{ "aria-label": "Close" }}>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm">
            A branch is a copy of all tables that costs no data. What runs there is checked like on {incident.branch}, and its
            readers see nothing of it until it is merged.
          </Text>
          <TextInput
            label="Name of the branch"
            description={`Starts where ${incident.branch} is now`}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            data-autofocus
            required
            maxLength={255}
          />
          {create.isError && <Problem error={create.error} plain />}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isPending} disabled={name.trim() === ""}>
              Create the branch
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

import { NativeSelect, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useState } from "react";

import type { ContractDetail } from "../api";
import { useChangeState } from "../api/contracts";
import { ConfirmDialog, notify } from "../components";
import { STATE_MEANS, type State } from "./words";

/** From these on, readers are told. */
const ENDING: readonly State[] = ["deprecated", "sunset", "retired"];

/** Moves a contract on in its life, which goes one way. */
export function StateDialog({ contract, onClose }: { contract: ContractDetail; onClose: () => void }) {
  const [first = contract.state] = contract.next_states;
  const [state, setState] = useState<State>(first);
  const [reason, setReason] = useState("");
  const [end, setEnd] = useState("");
  const [replacement, setReplacement] = useState("");
  const change = useChangeState(contract.id);
  const ending = ENDING.includes(state);
  const confirm = (): void =>
    change.mutate(
      { state, reason: reason.trim(), ends_at: ending && end !== "" ? `${end}T00:00:00Z` : null, replacement: ending && replacement.trim() !== "" ? replacement.trim() : null },
      {
        onSuccess: (after) => {
          const told = after.history[0]?.told ?? [];
          notify("good", `${contract.name} is ${after.state}`, told.length === 0 ? undefined : `Told: ${told.join(", ")}`);
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      opened
      title={`Change the state of ${contract.name}`}
      confirm={`Make it ${state}`}
      keep={`Keep it ${contract.state}`}
      danger={state === "retired"}
      busy={change.isPending}
      error={change.error}
      onConfirm={confirm}
      onClose={onClose}
    >
      <Stack gap="sm">
        <NativeSelect
          label="Next state"
          value={state}
          onChange={(event) => setState(contract.next_states.find((one) => one === event.currentTarget.value) ?? first)}
          data={contract.next_states}
          data-autofocus
        />
        <Text size="sm">{STATE_MEANS[state]} There is no way back.</Text>
        <Textarea label="Reason" description={ending ? "Its readers are told this." : undefined} rows={2} value={reason} onChange={(event) => setReason(event.currentTarget.value)} />
        {ending && (
          <>
            <TextInput type="date" label="Ends on" description="When it is to be retired; may stay empty." value={end} onChange={(event) => setEnd(event.currentTarget.value)} />
            <TextInput label="Go to instead" description="The id of the contract that replaces it; may stay empty." value={replacement} onChange={(event) => setReplacement(event.currentTarget.value)} spellCheck={false} />
          </>
        )}
      </Stack>
    </ConfirmDialog>
  );
}

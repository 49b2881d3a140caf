import { Button, Group, Modal, Radio, Select, Stack, Text, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { useState, type SyntheticEvent } from "react";

import { asProblem, useCreateToken, type TokenCreated, type TokenView } from "../../api";
import { CopyCommand, Problem } from "../../components";
import { exact } from "../../format/numbers";

const NEVER = "never";
const LIVES = [
  { value: "7", label: "in 7 days" },
  { value: "30", label: "in 30 days" },
  { value: "90", label: "in 90 days" },
  { value: "365", label: "in a year" },
  { value: NEVER, label: "never" },
];

/** Makes a token, then shows its secret: this once. */
export function NewToken({ onClose }: { onClose: () => void }) {
  const [made, setMade] = useState<TokenCreated | null>(null);
  const kept = made === null;
  return (
    <Modal
      opened
      onClose={onClose}
      title={kept ? "Create a token" : `Token ${made.name}`}
      size="lg"
      // A slip of the hand must not lose a secret that cannot be shown again.
      closeOnClickOutside={kept}
      closeOnEscape={kept}
      withCloseButton={kept}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      {kept ? <TokenForm onMade={setMade} onClose={onClose} /> : <Secret made={made} onClose={onClose} />}
    </Modal>
  );
}

function TokenForm({ onMade, onClose }: { onMade: (made: TokenCreated) => void; onClose: () => void }) {
  const create = useCreateToken();
  const [name, setName] = useState("");
  const [scope, setScope] = useState<TokenView["scope"]>("write");
  const [life, setLife] = useState("90");
  const [missing, setMissing] = useState(false);
  const problem = create.error === null ? null : asProblem(create.error);
  const ofName = problem?.where === "body.name" ? problem.message : undefined;
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    setMissing(name.trim() === "");
    if (name.trim() === "") return;
    create.mutate({ name: name.trim(), scope, expires_in_days: life === NEVER ? null : Number(life) }, { onSuccess: onMade });
  };
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        {problem !== null && ofName === undefined && <Problem error={problem} plain />}
        <TextInput
          data-autofocus
          label="Name"
          description="The program that will use it, so that you know it later."
          placeholder="nightly scheduler"
          maxLength={100}
          autoComplete="off"
          required
          value={name}
          error={missing ? "Give it a name." : ofName}
          onChange={(event) => {
            setName(event.currentTarget.value);
            setMissing(false);
          }}
        />
        <Radio.Group label="It may" value={scope} onChange={(value) => setScope(value === "read" ? "read" : "write")}>
          <Stack gap={8} mt={6}>
            <Radio value="write" label="Read and write" description="Start and cancel runs, make branches, make and revoke tokens." />
            <Radio value="read" label="Read" description="Look at everything, change nothing." />
          </Stack>
        </Radio.Group>
        <Select
          label="It expires"
          description={life === NEVER ? "Revoke it yourself when nothing uses it any more." : undefined}
          data={LIVES}
          value={life}
          allowDeselect={false}
          onChange={(value) => setLife(value ?? "90")}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Close
          </Button>
          <Button type="submit" loading={create.isPending}>
            Create the token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Secret({ made, onClose }: { made: TokenCreated; onClose: () => void }) {
  const call = `curl -H "Authorization: Bearer ${made.token}" ${location.origin}/api/v1/runs`;
  return (
    <Stack>
      <div className="settings-warning" role="alert">
        <IconAlertTriangle size={20} aria-hidden />
        <Text size="sm">
          <strong>Copy it now: it is shown this once.</strong> Forge keeps only its hash. Whoever has it may {made.scope === "write" ? "read and write" : "read"}
          {made.expires_at == null ? " until it is revoked." : ` until ${exact(made.expires_at)}.`}
        </Text>
      </div>
      <div>
        <Text size="sm" fw={560} mb={4}>
          The token
        </Text>
        <CopyCommand command={made.token} />
      </div>
      <div>
        <Text size="sm" fw={560} mb={4}>
          Try it
        </Text>
        <CopyCommand command={call} />
      </div>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have copied it</Button>
      </Group>
    </Stack>
  );
}

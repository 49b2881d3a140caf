import { Button, Checkbox, Group, Modal, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { IconPlayerPlay } from "@tabler/icons-react";
import { useEffect, useRef, useState, type SyntheticEvent } from "react";

import { asProblem, branchesQuery, sessionQuery, useStartRun } from "../../api";
import { Problem } from "../../components";
import { readForm, sortProblem, type Field, type RunForm, type Wrong } from "./form";

interface Props {
  /** What is filled in when it opens. */
  filled: RunForm;
  onClose: () => void;
}

/** Starts a run and goes to it. What is wrong is said at its field; what belongs to none, above. */
export function StartRun({ filled, onClose }: Props) {
  const navigate = useNavigate();
  const start = useStartRun();
  const [form, setForm] = useState(filled);
  const [early, setEarly] = useState<Wrong>({});
  const refused = start.error === null ? null : sortProblem(asProblem(start.error));
  const wrong = { ...refused?.wrong, ...early };

  const place = useRef<HTMLFormElement>(null);
  // Whoever pressed Enter, or cannot see the field, is taken to what is wrong.
  useEffect(() => place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus(), [early, start.error]);

  const change = (part: Partial<RunForm>): void => {
    setForm((before) => ({ ...before, ...part }));
    if (Object.keys(early).length > 0) setEarly({});
    if (start.isError) start.reset();
  };
  const submit = (event: SyntheticEvent): void => {
    event.preventDefault();
    const { request, wrong: found } = readForm(form);
    setEarly(found);
    if (Object.keys(found).length > 0) return;
    start.mutate(request, { onSuccess: ({ run_id: runId }) => void navigate({ to: "/runs/$runId", params: { runId } }) });
  };
  const texted = (field: Exclude<Field, "branch">) => ({
    value: form[field],
    error: wrong[field],
    onChange: (event: { currentTarget: { value: string } }) => change({ [field]: event.currentTarget.value }),
  });
  return (
    <Modal opened onClose={onClose} title="Run tables" size="lg" closeButtonProps={{ "aria-label": "Close" }}>
      <form ref={place} onSubmit={submit} noValidate>
        <Stack>
          {refused?.rest != null && <Problem error={refused.rest} plain />}
          <TextInput
            data-autofocus
            label="Tables"
            description="Empty: everything that is not up to date."
            placeholder="core.orders+"
            autoComplete="off"
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            {...texted("selection")}
          />
          <SelectorHelp />
          <BranchField value={form.branch} error={wrong.branch} onChange={(value) => change({ branch: value })} />
          <Textarea
            label="Parameters"
            description="One name=value a line. Those left out have the value of forge.yaml."
            placeholder="day=2026-11-14"
            rows={2}
            resize="vertical"
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            {...texted("params")}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label="From" description="Included. UTC." placeholder="2026-11-14" autoComplete="off" {...texted("start")} />
            <TextInput label="To" description="Not included. UTC." placeholder="2026-11-15" autoComplete="off" {...texted("end")} />
          </SimpleGrid>
          <TextInput label="Message of the commit" placeholder="Empty: written by Forge" autoComplete="off" {...texted("message")} />
          <Checkbox
            label="Run what is up to date, too"
            checked={form.force}
            onChange={(event) => change({ force: event.currentTarget.checked })}
          />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Close
            </Button>
            <Button type="submit" loading={start.isPending} leftSection={<IconPlayerPlay size={16} aria-hidden />}>
              Run
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

interface BranchFieldProps {
  value: string | null;
  error: string | undefined;
  onChange: (branch: string | null) => void;
}

function BranchField({ value, error, onChange }: BranchFieldProps) {
  const main = useQuery(sessionQuery()).data?.default_branch;
  const names = useQuery(branchesQuery()).data?.items.map((branch) => branch.name) ?? [];
  const shown = value ?? main ?? null;
  return (
    <Select
      label="Branch"
      description="Read from it, and published on it."
      data={shown === null || names.includes(shown) ? names : [shown, ...names]}
      value={shown}
      error={error}
      onChange={onChange}
      allowDeselect={false}
      searchable
    />
  );
}

const SELECTORS: readonly (readonly [text: string, meaning: string])[] = [
  ["marts.revenue", "one table"],
  ["+marts.revenue", "it, and all it is made of"],
  ["core.orders+", "it, and all that is made of it"],
  ["2+core.orders+1", "two steps before it, one after"],
  ["core.*", "all tables of core"],
  ["tag:gold", "all with this tag"],
  ["file:transforms/core/*.sql", "all of these files"],
];

function SelectorHelp() {
  return (
    <details className="runs-help">
      <summary>How to write which tables</summary>
      <dl>
        {SELECTORS.map(([text, meaning]) => (
          <div key={text}>
            <dt>
              <code>{text}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <Text size="xs" c="dimmed">
        Several with a space between them: all of them.
      </Text>
    </details>
  );
}

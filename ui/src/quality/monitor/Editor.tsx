import { Autocomplete, Button, Checkbox, Group, MultiSelect, NativeSelect, Radio, SegmentedControl, SimpleGrid, Stack, Text, Textarea, TextInput } from "@mantine/core";
import { useDebouncedValue, useMediaQuery } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { IconPlus } from "@tabler/icons-react";
import { useEffect, useRef, useState, type ReactNode, type SyntheticEvent } from "react";

import { asProblem, assetQuery, suggestQuery, type MonitorCreate } from "../../api";
import { channelsQuery, checkTypesQuery, monitorPreviewQuery } from "../../api/quality";
import { Problem } from "../../components";
import { CheckCard } from "../check/CheckCard";
import { indexIn, keyIn } from "../check/forms";
import { cronInWords, tableOf } from "../words";
import { readForm, SEVERITIES, sortRefused, wrongOf, type MonitorForm, type When, type Wrong } from "./form";
import { MonitorPreviewPanel } from "./Preview";

interface Props {
  filled: MonitorForm;
  /** Of the monitor that is changed; a new one has none. */
  monitorId?: string | undefined;
  submit: string;
  busy: boolean;
  error: unknown;
  onSubmit: (request: MonitorCreate) => void;
  onCancel: () => void;
}

const PAUSE_MS = 450;

/** Makes or changes a monitor. What it would do is shown beside it while it is typed; what is wrong stands at its field. */
export function MonitorEditor({ filled, monitorId, submit, busy, error, onSubmit, onCancel }: Props) {
  const [form, setForm] = useState(filled);
  const [tried, setTried] = useState(false);
  const { request, wrong: early } = readForm(form);
  const complete = early["name"] === undefined && early["dataset"] === undefined;
  const [asked] = useDebouncedValue(request, PAUSE_MS);
  const preview = useQuery({ ...monitorPreviewQuery(asked, monitorId), enabled: complete && asked.name !== "" && asked.dataset !== "" });
  const refused = error == null ? null : sortRefused(asProblem(error));
  const wrong: Wrong = { ...wrongOf(preview.data?.errors ?? []), ...refused?.wrong, ...(tried ? early : {}) };

  const place = useRef<HTMLFormElement>(null);
  // Whoever pressed Enter, or cannot see the field, is taken to what is wrong.
  useEffect(() => {
    if (tried) place.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [tried, error]);

  const change = (part: Partial<MonitorForm>): void => {
    setTried(false);
    setForm((before) => ({ ...before, ...part }));
  };
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    setTried(true);
    if (Object.keys(early).length === 0) onSubmit(request);
  };
  return (
    <form ref={place} onSubmit={send} noValidate className="monitor-form">
      <Stack gap="md">
        {refused?.rest != null && <Problem error={refused.rest} />}
        <What form={form} wrong={wrong} change={change} />
        <Checks form={form} wrong={wrong} change={change} />
        <Times form={form} wrong={wrong} change={change} />
        <Alerts form={form} wrong={wrong} change={change} />
        <Level form={form} wrong={wrong} change={change} />
        <Group gap="xs" className="monitor-send">
          <Button type="submit" loading={busy}>
            {submit}
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </Group>
      </Stack>
      <MonitorPreviewPanel complete={complete} query={preview} />
    </form>
  );
}

interface PartProps {
  form: MonitorForm;
  wrong: Wrong;
  change: (part: Partial<MonitorForm>) => void;
}

function Part({ title, about, children }: { title: string; about?: string; children: ReactNode }) {
  return (
    <section className="panel quality-pad" aria-label={title}>
      <h2 className="panel-title">{title}</h2>
      {about !== undefined && (
        <Text size="sm" c="dimmed" mb="xs">
          {about}
        </Text>
      )}
      <Stack gap="sm" mt="xs">
        {children}
      </Stack>
    </section>
  );
}

function What({ form, wrong, change }: PartProps) {
  const { data } = useQuery(suggestQuery(form.dataset.split("@")[0] ?? "", 12));
  const tables = [...new Set((data ?? []).filter((one) => one.type !== "column").map((one) => one.qualified_name))];
  return (
    <Part title="What it watches">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label="Name" withAsterisk required maxLength={255} autoComplete="off" placeholder="Orders are whole" value={form.name} error={wrong["name"]} onChange={(event) => change({ name: event.currentTarget.value })} />
        <Autocomplete
          label="Dataset"
          withAsterisk
          required
          placeholder="core.orders, or core.orders@dev"
          spellCheck={false}
          data={tables}
          filter={({ options }) => options}
          value={form.dataset}
          error={wrong["dataset"]}
          onChange={(dataset) => change({ dataset })}
        />
      </SimpleGrid>
      <Textarea label="About it" description="May be left out: whom to ask, what depends on it." rows={2} resize="vertical" maxLength={10_000} value={form.description} onChange={(event) => change({ description: event.currentTarget.value })} />
    </Part>
  );
}

function Checks({ form, wrong, change }: PartProps) {
  const table = tableOf(form.dataset.trim());
  const [asked] = useDebouncedValue(table, PAUSE_MS);
  const { data } = useQuery({ ...assetQuery(asked), enabled: /^[^.\s]+\.[^\s]+$/.test(asked), retry: false });
  const columns = data?.schema.map((column) => column.name) ?? [];
  const set = (id: number, given: Record<string, unknown>): void => change({ checks: form.checks.map((one) => (one.id === id ? { id, given } : one)) });
  const forms = useQuery(checkTypesQuery());
  const [first] = forms.data?.types ?? [];
  const add = (): void => change({ own: true, checks: [...form.checks, { id: 1 + Math.max(-1, ...form.checks.map((one) => one.id)), given: { type: first?.type } }] });
  return (
    <Part title="Checks">
      <Radio.Group aria-label="Which checks" value={form.own ? "own" : "project"} onChange={(value) => change({ own: value === "own" })}>
        <Group gap="lg">
          <Radio value="own" label="Its own" />
          <Radio value="project" label="Those the project has for the dataset" />
        </Group>
      </Radio.Group>
      {forms.error != null && <Problem error={forms.error} />}
      {form.own &&
        forms.data !== undefined &&
        form.checks.map(({ id, given }, index) => (
          <CheckCard key={id} number={index + 1} given={given} forms={forms.data} columns={columns} wrong={ofCheck(wrong, index)} onChange={(next) => set(id, next)} onRemove={() => change({ checks: form.checks.filter((one) => one.id !== id) })} />
        ))}
      {form.own && (
        <div>
          <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} disabled={first === undefined} onClick={add}>
            Add a check
          </Button>
          {wrong["checks"] !== undefined && (
            <Text size="sm" className="check-wrong" role="alert" mt={6}>
              {wrong["checks"]}
            </Text>
          )}
        </div>
      )}
    </Part>
  );
}

function ofCheck(wrong: Wrong, index: number): Record<string, string> {
  const found = Object.entries(wrong).filter(([path]) => indexIn(path) === index);
  return Object.fromEntries(found.map(([path, message]) => [keyIn(path) ?? "", message]));
}

const WHEN: readonly { value: When; label: string }[] = [
  { value: "on_change", label: "After each change" },
  { value: "interval", label: "At an interval" },
  { value: "cron", label: "By the calendar" },
  { value: "hand", label: "By hand" },
];

const SAID: Record<When, string> = {
  on_change: "Whenever a run, commit or merge gives the table new data.",
  interval: "Again and again, whether the data changed or not: for freshness.",
  cron: "At fixed times.",
  hand: "Only when someone starts it.",
};

function Times({ form, wrong, change }: PartProps) {
  const cron = cronInWords(form.cron);
  const narrow = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  return (
    <Part title="When it runs">
      <SegmentedControl orientation={narrow ? "vertical" : "horizontal"} aria-label="When it runs" fullWidth value={form.when} onChange={(value) => change({ when: WHEN.find((one) => one.value === value)?.value ?? "hand" })} data={[...WHEN]} />
      <Text size="sm" c="dimmed">
        {SAID[form.when]}
      </Text>
      {form.when === "interval" && <TextInput label="Minutes between two runs" inputMode="numeric" maw={260} value={form.minutes} error={wrong["schedule.interval_minutes"]} onChange={(event) => change({ minutes: event.currentTarget.value })} />}
      {form.when === "cron" && (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <TextInput
            label="Cron"
            description={cron === form.cron ? "Minute, hour, day, month, weekday." : `That is ${cron}.`}
            spellCheck={false}
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            value={form.cron}
            error={wrong["schedule.cron"]}
            onChange={(event) => change({ cron: event.currentTarget.value })}
          />
          <TextInput label="Time zone" description="As the calendar is meant." spellCheck={false} value={form.timezone} error={wrong["schedule.timezone"]} onChange={(event) => change({ timezone: event.currentTarget.value })} />
        </SimpleGrid>
      )}
      {(form.when === "cron" || form.when === "interval") && (
        <NativeSelect
          label="Runs that were missed while no server was up"
          maw={420}
          value={form.missed}
          onChange={(event) => change({ missed: event.currentTarget.value === "catch_up" ? "catch_up" : "skip" })}
          data={[
            { value: "skip", label: "are skipped" },
            { value: "catch_up", label: "are caught up" },
          ]}
        />
      )}
      {wrong["schedule"] !== undefined && (
        <Text size="sm" className="check-wrong" role="alert">
          {wrong["schedule"]}
        </Text>
      )}
    </Part>
  );
}

function Alerts({ form, wrong, change }: PartProps) {
  const { data } = useQuery(channelsQuery());
  const names = [...new Set([...(data ?? []).map((one) => one.name), ...form.channels])];
  return (
    <Part title="Who is told">
      {names.length === 0 ? (
        <Text size="sm" c="dimmed">
          No channel is set up. Name Slack, e-mail, PagerDuty or a webhook under <code>alerts.channels</code> in <code>forge.yaml</code>.
        </Text>
      ) : (
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <MultiSelect label="Channels" placeholder={form.channels.length === 0 ? "nobody" : undefined} data={names.map((name) => ({ value: name, label: labelOf(name, data ?? []) }))} value={[...form.channels]} error={wrong["channels"] ?? wrong["channels[0]"]} onChange={(channels) => change({ channels })} />
          <NativeSelect label="From severity" value={form.threshold} data={[...SEVERITIES]} onChange={(event) => change({ threshold: SEVERITIES.find((one) => one === event.currentTarget.value) ?? "warning" })} />
        </SimpleGrid>
      )}
      {names.length > 0 && <Checkbox label="Also when it has recovered" checked={form.recovery} onChange={(event) => change({ recovery: event.currentTarget.checked })} />}
    </Part>
  );
}

function labelOf(name: string, channels: readonly { name: string; type: string }[]): string {
  const found = channels.find((one) => one.name === name);
  return found === undefined ? `${name} (not in forge.yaml)` : `${name} (${found.type})`;
}

function Level({ form, wrong, change }: PartProps) {
  return (
    <Part title="Service level" about="Runs in which no check of severity error or critical failed, out of all that could be measured.">
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
        <TextInput label="Target" placeholder="none" inputMode="decimal" rightSection={<span className="quality-quiet">%</span>} value={form.target} error={wrong["sla_target_percentage"]} onChange={(event) => change({ target: event.currentTarget.value })} />
        <TextInput label="Window" inputMode="numeric" rightSection={<span className="quality-quiet">days</span>} rightSectionWidth={48} value={form.window} error={wrong["sla_window_days"]} onChange={(event) => change({ window: event.currentTarget.value })} />
      </SimpleGrid>
    </Part>
  );
}

import { ActionIcon, Autocomplete, Button, Checkbox, Collapse, MultiSelect, NativeSelect, SimpleGrid, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconTrash } from "@tabler/icons-react";
import { useId, useState } from "react";

import { ACTIONS, boundOf, CHECK_FORMS, COMMON_FIELDS, fieldsShown, formOf, otherKeys, SEVERITIES, textOf, typeOf, valueOf, withKey, withType, type FieldForm, type Given } from "./forms";

interface Props {
  /** Which of the list it is, from 1. */
  number: number;
  given: Given;
  /** The columns of the dataset, as far as they are known. */
  columns: readonly string[];
  /** What is wrong, by key; "" is the check as a whole. */
  wrong: Readonly<Record<string, string>>;
  onChange: (given: Given) => void;
  onRemove: () => void;
}

/** One check of a monitor as a form. */
export function CheckCard({ number, given, columns, wrong, onChange, onRemove }: Props) {
  const form = formOf(given);
  const set = (key: string, value: unknown): void => onChange(withKey(given, key, value));
  const others = form === undefined ? [] : otherKeys(form, given);
  return (
    <fieldset className="check-card" data-wrong={Object.keys(wrong).length > 0 || undefined}>
      <legend className="only-readers">Check {number}</legend>
      <div className="check-head">
        <NativeSelect
          label={`Check ${number}`}
          value={form?.type ?? typeOf(given)}
          data={[...CHECK_FORMS.map((one) => ({ value: one.type, label: one.label })), ...(form === undefined ? [{ value: typeOf(given), label: typeOf(given) }] : [])]}
          onChange={(event) => {
            const next = CHECK_FORMS.find((one) => one.type === event.currentTarget.value);
            if (next !== undefined) onChange(withType(given, next));
          }}
        />
        <NativeSelect
          label="If it fails"
          value={textOf(given["severity"]) || "error"}
          data={[...SEVERITIES]}
          onChange={(event) => set("severity", event.currentTarget.value === "error" ? undefined : event.currentTarget.value)}
        />
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Remove check ${number}`} onClick={onRemove}>
          <IconTrash size={17} aria-hidden />
        </ActionIcon>
      </div>
      <Text size="sm" c="dimmed">
        {form?.about ?? "This page has no form for its type. It is kept as it is."}
      </Text>
      {wrong[""] !== undefined && (
        <Text size="sm" className="check-wrong" role="alert">
          {wrong[""]}
        </Text>
      )}
      {form === undefined ? (
        <code className="mono name">{JSON.stringify(given)}</code>
      ) : (
        <>
          <SimpleGrid cols={{ base: 1, xs: 2, lg: 3 }} spacing="sm" verticalSpacing="xs">
            {fieldsShown(form, given).map((field) => (
              <Field key={`${form.type} ${field.key}`} field={field} given={given} columns={columns} wrong={wrong[field.key]} onChange={set} />
            ))}
          </SimpleGrid>
          <More given={given} columns={columns} wrong={wrong} onChange={set} />
        </>
      )}
      {others.length > 0 && (
        <Text size="xs" c="dimmed" className="name">
          Kept as given: {others.map((key) => `${key}: ${textOf(given[key])}`).join(", ")}
        </Text>
      )}
    </fieldset>
  );
}

interface FieldProps {
  field: FieldForm;
  given: Given;
  columns: readonly string[];
  wrong: string | undefined;
  onChange: (key: string, value: unknown) => void;
}

/** What explains a field stands below it, so that fields of a line stand in a line. */
const ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];
const MONO = { input: { fontFamily: "var(--mantine-font-family-monospace)" } };

function Field({ field, given, columns, wrong, onChange }: FieldProps) {
  const { key, kind } = field;
  const value = given[key];
  const look = { inputWrapperOrder: ORDER, label: field.label, description: field.about, placeholder: field.placeholder, error: wrong, required: field.required ?? false, withAsterisk: field.required ?? false };
  switch (kind) {
    case "column":
      return <Autocomplete {...look} data={[...columns]} value={textOf(value)} spellCheck={false} onChange={(text) => onChange(key, valueOf(text, kind))} />;
    case "columns":
      return <TagsInput {...look} data={[...columns]} value={listOf(value)} splitChars={[",", " "]} acceptValueOnBlur clearable={false} onChange={(list) => onChange(key, list.length === 0 ? undefined : list)} />;
    case "choice":
      return (
        <NativeSelect
          {...look}
          value={textOf(value)}
          data={[...((field.required ?? false) ? [] : [{ value: "", label: "usual" }]), ...(field.choices ?? [])]}
          onChange={(event) => onChange(key, event.currentTarget.value === "" ? undefined : event.currentTarget.value)}
        />
      );
    case "yes":
      return <Checkbox mt={28} label={field.label} checked={value !== false} onChange={(event) => onChange(key, event.currentTarget.checked ? undefined : false)} />;
    case "pairs":
      return <Typed field={field} look={look} value={value} onChange={onChange} area />;
    default:
      return <Typed field={field} look={look} value={value} onChange={onChange} />;
  }
}

interface TypedProps {
  field: FieldForm;
  look: { inputWrapperOrder: typeof ORDER; label: string; description: string | undefined; placeholder: string | undefined; error: string | undefined; required: boolean; withAsterisk: boolean };
  value: unknown;
  onChange: (key: string, value: unknown) => void;
  area?: boolean;
}

/** A text that means something else than itself keeps its own letters while it is typed: "1." is on the way to "1.5". */
function Typed({ field, look, value, onChange, area = false }: TypedProps) {
  const [text, setText] = useState(() => textOf(value, field.kind));
  const change = (next: string): void => {
    setText(next);
    const bound = field.key === "min" || field.key === "max";
    onChange(field.key, bound ? boundOf(next) : valueOf(next, field.kind));
  };
  const rest = { ...look, value: text, spellCheck: false, onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value) };
  if (area) return <Textarea {...rest} rows={4} resize="vertical" styles={MONO} style={{ gridColumn: "1 / -1" }} />;
  if (field.kind === "sql") return <TextInput {...rest} styles={MONO} style={{ gridColumn: "1 / -1" }} />;
  return <TextInput {...rest} rightSection={field.kind === "percent" ? <span className="quality-quiet">%</span> : undefined} inputMode={field.kind === "number" || field.kind === "percent" ? "decimal" : undefined} />;
}

function listOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.map((one) => textOf(one));
  return typeof value === "string" && value !== "" ? [value] : [];
}

/** An action may be more than a word: {action: impute, method: median}. */
function hasOptions(value: unknown): boolean {
  return Array.isArray(value) ? value.some((one) => typeof one === "object") : typeof value === "object" && value !== null;
}

/** Name, filter, partitions and what to do about a failure: seldom needed, so one click away. */
function More({ given, columns, wrong, onChange }: Omit<FieldProps, "field" | "wrong"> & { wrong: Readonly<Record<string, string>> }) {
  const keys = [...COMMON_FIELDS.map((field) => field.key), "on_failure"];
  const [opened, setOpened] = useState(() => keys.some((key) => key in given));
  const region = useId();
  const shown = opened || keys.some((key) => wrong[key] !== undefined);
  return (
    <>
      <div>
        <Button
          variant="subtle"
          size="compact-sm"
          ml={-8}
          aria-expanded={shown}
          aria-controls={region}
          leftSection={shown ? <IconChevronDown size={15} aria-hidden /> : <IconChevronRight size={15} aria-hidden />}
          onClick={() => setOpened(!shown)}
        >
          Name, filter, remedy
        </Button>
      </div>
      <Collapse expanded={shown} id={region}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm" verticalSpacing="xs">
          {COMMON_FIELDS.map((field) => (
            <Field key={field.key} field={field} given={given} columns={columns} wrong={wrong[field.key]} onChange={onChange} />
          ))}
          {hasOptions(given["on_failure"]) ? (
            <TextInput label="When it fails" inputWrapperOrder={ORDER} description="Has options of its own; it is kept as given." value={textOf(given["on_failure"])} readOnly styles={MONO} />
          ) : (
          <MultiSelect
            label="When it fails"
            inputWrapperOrder={ORDER}
            description="Proposed on a branch of its own, for someone to approve."
            placeholder={listOf(given["on_failure"]).length === 0 ? "nothing" : undefined}
            data={[...ACTIONS]}
            value={listOf(given["on_failure"])}
            error={wrong["on_failure"]}
            onChange={(list) => onChange("on_failure", list.length === 0 ? undefined : list)}
          />
          )}
        </SimpleGrid>
      </Collapse>
    </>
  );
}

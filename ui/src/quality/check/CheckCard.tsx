import { ActionIcon, Autocomplete, Button, Checkbox, Collapse, MultiSelect, NativeSelect, SimpleGrid, TagsInput, Text, Textarea, TextInput } from "@mantine/core";
import { IconChevronDown, IconChevronRight, IconTrash } from "@tabler/icons-react";
import { useId, useState } from "react";

import type { CheckKeyView, CheckTypesView } from "../../api";
import { commonOf, formOf, nameIn, namesOf, otherKeys, textOf, typeOf, valueOf, withKey, withType, type Given } from "./forms";

interface Props {
  /** Which of the list it is, from 1. */
  number: number;
  given: Given;
  /** The types there are, as the server describes them. */
  forms: CheckTypesView;
  /** The columns of the dataset, as far as they are known. */
  columns: readonly string[];
  /** What is wrong, by key; "" is the check as a whole. */
  wrong: Readonly<Record<string, string>>;
  onChange: (given: Given) => void;
  onRemove: () => void;
}

/** One check of a monitor as a form. */
export function CheckCard({ number, given, forms, columns, wrong, onChange, onRemove }: Props) {
  const form = formOf(forms, given);
  const severity = forms.common.find((key) => key.name === "severity");
  const set = (key: string, value: unknown): void => onChange(withKey(given, key, value));
  const others = form === undefined ? [] : otherKeys(forms, form, given);
  return (
    <fieldset className="check-card" data-wrong={Object.keys(wrong).length > 0 || undefined}>
      <legend className="only-readers">Check {number}</legend>
      <div className="check-head">
        <NativeSelect
          label={`Check ${number}`}
          value={form?.type ?? typeOf(given)}
          data={[...forms.types.map((one) => ({ value: one.type, label: one.label })), ...(form === undefined ? [{ value: typeOf(given), label: typeOf(given) }] : [])]}
          onChange={(event) => {
            const next = forms.types.find((one) => one.type === event.currentTarget.value);
            if (next !== undefined) onChange(withType(forms, given, next));
          }}
        />
        {severity !== undefined && <Field field={severity} given={given} columns={columns} wrong={wrong} onChange={set} />}
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Remove check ${number}`} onClick={onRemove}>
          <IconTrash size={17} aria-hidden />
        </ActionIcon>
      </div>
      <Text size="sm" c="dimmed">
        {form?.summary.replaceAll("`", "") ?? "The server has no form for its type. It is kept as it is."}
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
            {form.keys.map((field) => (
              <Field key={`${form.type} ${field.name}`} field={field} given={given} columns={columns} wrong={wrong} onChange={set} />
            ))}
          </SimpleGrid>
          <More fields={commonOf(forms, form)} given={given} columns={columns} wrong={wrong} onChange={set} />
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
  field: CheckKeyView;
  given: Given;
  columns: readonly string[];
  wrong: Readonly<Record<string, string>>;
  onChange: (key: string, value: unknown) => void;
}

/** What explains a field stands below it, so that fields of a line stand in a line. */
const ORDER: ("label" | "input" | "description" | "error")[] = ["label", "input", "description", "error"];
const MONO = { input: { fontFamily: "var(--mantine-font-family-monospace)" } };

function Field({ field, given, columns, wrong, onChange }: FieldProps) {
  const { kind, label, words, required } = field;
  const key = nameIn(given, field);
  const value = given[key];
  const usual = textOf(field.default);
  const said = namesOf(field).map((name) => wrong[name]).find((one) => one !== undefined);
  const look = { inputWrapperOrder: ORDER, label, description: field.help === "" ? undefined : field.help, placeholder: field.example === "" ? usual : field.example, error: said, required, withAsterisk: required };
  switch (kind) {
    case "column":
      return <Autocomplete {...look} data={[...columns]} value={textOf(value)} spellCheck={false} onChange={(text) => onChange(key, valueOf(text, kind))} />;
    case "columns":
      return <TagsInput {...look} data={[...columns]} value={listOf(value)} splitChars={[",", " "]} acceptValueOnBlur clearable={false} onChange={(list) => onChange(key, list.length === 0 ? undefined : list)} />;
    case "choice":
      return <NativeSelect {...look} value={textOf(value) || usual} data={words.includes(usual) ? words : ["", ...words]} onChange={(event) => onChange(key, event.currentTarget.value === usual ? undefined : event.currentTarget.value)} />;
    case "choices":
      return hasOptions(value) ? (
        <TextInput {...look} description="Has options of its own; it is kept as given." value={textOf(value)} readOnly styles={MONO} />
      ) : (
        <MultiSelect {...look} placeholder={listOf(value).length === 0 ? "nothing" : undefined} data={words} value={listOf(value)} onChange={(list) => onChange(key, list.length === 0 ? undefined : list)} />
      );
    case "boolean":
      return <Checkbox mt={28} label={label} description={look.description} error={said} checked={(value ?? field.default) === true} onChange={(event) => onChange(key, event.currentTarget.checked === (field.default === true) ? undefined : event.currentTarget.checked)} />;
    default:
      return <Typed name={key} field={field} look={look} value={value} onChange={onChange} />;
  }
}

interface TypedProps {
  name: string;
  field: CheckKeyView;
  look: { inputWrapperOrder: typeof ORDER; label: string; description: string | undefined; placeholder: string; error: string | undefined; required: boolean; withAsterisk: boolean };
  value: unknown;
  onChange: (key: string, value: unknown) => void;
}

const NUMERIC = ["number", "percentage", "duration"];

/** A text that means something else than itself keeps its own letters while it is typed: "1." is on the way to "1.5". */
function Typed({ name, field: { kind }, look, value, onChange }: TypedProps) {
  const [text, setText] = useState(() => textOf(value, kind));
  const change = (next: string): void => {
    setText(next);
    onChange(name, valueOf(next, kind));
  };
  const rest = { ...look, value: text, spellCheck: false, onChange: (event: { currentTarget: { value: string } }) => change(event.currentTarget.value) };
  if (kind === "mapping") return <Textarea {...rest} rows={4} resize="vertical" styles={MONO} style={{ gridColumn: "1 / -1" }} />;
  if (kind === "sql" || kind === "pattern") return <TextInput {...rest} styles={MONO} style={{ gridColumn: "1 / -1" }} />;
  return <TextInput {...rest} rightSection={kind === "percentage" ? <span className="quality-quiet">%</span> : undefined} inputMode={NUMERIC.includes(kind) ? "decimal" : undefined} />;
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
function More({ fields, given, columns, wrong, onChange }: Omit<FieldProps, "field"> & { fields: readonly CheckKeyView[] }) {
  const keys = fields.map((field) => field.name);
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
          {fields.map((field) => (
            <Field key={field.name} field={field} given={given} columns={columns} wrong={wrong} onChange={onChange} />
          ))}
        </SimpleGrid>
      </Collapse>
    </>
  );
}

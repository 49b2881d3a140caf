import { ActionIcon, Button, NativeSelect, TagsInput, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";

import { ChooseTerm } from "./Choose";
import { aggregateFrom, AGGREGATES } from "./Columns";
import { isSound, keyOf, kindOf, valuesOf, withOperator, type Choice, type Condition, type Filter, type Term, type Value } from "./edit";

const OPERATORS: readonly Condition["operator"][] = ["=", "<>", "<", "<=", ">", ">=", "in", "not in", "between", "not between", "like", "not like", "is null", "is not null"];
const KINDS: readonly Value["kind"][] = ["text", "number", "boolean", "date", "timestamp", "parameter"];
const FAULTS: Partial<Record<Value["kind"], string>> = {
  number: "Not a number: 12.5",
  date: "Not a date: 2026-11-19",
  timestamp: "Not a time: 2026-11-19 08:30:00",
  parameter: "Not a name: letters, digits, _",
};
const NOTHING: Condition = { term: { table: "", column: "", aggregate: null }, operator: "=", values: [] };
const COUNT: Condition = { term: { table: "", column: "", aggregate: "count" }, operator: ">", values: [] };

interface Props {
  /** Filter, or filter of groups. */
  label: string;
  filter: Filter;
  choices: readonly Choice[];
  /** What is compared may be added up. */
  aggregates?: boolean;
  change: (filter: Filter) => void;
}

/** Conditions in groups: AND between them and OR inside, or the other way round. */
export function Conditions({ label, filter, choices, aggregates = false, change }: Props) {
  const { connective, groups } = filter;
  const inside = connective === "and" ? "or" : "and";
  const putGroups = (changed: Filter["groups"]): void => change({ connective, groups: changed.filter((group) => group.length > 0) });
  const putGroup = (place: number, group: Condition[]): void => putGroups(groups.map((one, at) => (at === place ? group : one)));
  const fresh = aggregates ? COUNT : NOTHING;
  return (
    <>
      {groups.length > 1 && (
        <NativeSelect
          size="xs"
          className="builder-connective"
          aria-label={`${label}: how many hold`}
          value={connective}
          data={[
            { value: "and", label: "all of these hold" },
            { value: "or", label: "one of these holds" },
          ]}
          onChange={(event) => change({ ...filter, connective: event.currentTarget.value === "or" ? "or" : "and" })}
        />
      )}
      {groups.map((group, place) => (
        <div key={place} className="builder-group" role="group" aria-label={`${label} ${place + 1}`} data-many={group.length > 1 || undefined}>
          {group.map((condition, at) => (
            <div key={at} className="builder-condition">
              {at > 0 && <span className="builder-word">{inside}</span>}
              <One
                name={group.length > 1 ? `${label} ${place + 1}.${at + 1}` : `${label} ${place + 1}`}
                condition={condition}
                choices={choices}
                aggregates={aggregates}
                change={(changed) => putGroup(place, group.map((one, index) => (index === at ? changed : one)))}
                onRemove={() => putGroup(place, group.filter((_, index) => index !== at))}
              />
              {at === group.length - 1 && (
                <Button size="compact-xs" variant="subtle" leftSection={<IconPlus size={14} aria-hidden />} aria-label={`${label} ${place + 1}: ${inside} …`} onClick={() => putGroup(place, [...group, fresh])}>
                  {inside}
                </Button>
              )}
            </div>
          ))}
        </div>
      ))}
      <div className="builder-row">
        <Button size="compact-xs" variant="default" leftSection={<IconPlus size={14} aria-hidden />} disabled={choices.length === 0} onClick={() => putGroups([...groups, [fresh]])}>
          {aggregates ? "Add a filter of groups" : "Add a filter"}
        </Button>
      </div>
    </>
  );
}

interface OneProps {
  name: string;
  condition: Condition;
  choices: readonly Choice[];
  aggregates: boolean;
  change: (condition: Condition) => void;
  onRemove: () => void;
}

function One({ name, condition, choices, aggregates, change, onRemove }: OneProps) {
  const { term, operator, values } = condition;
  const usual = usualKind(term, choices);
  const kind = values[0]?.kind ?? usual;
  const choose = (chosen: Term): void => {
    const next = { ...chosen, aggregate: term.aggregate ?? null };
    // A value of another type is typed anew.
    change({ ...condition, term: next, values: usualKind(next, choices) === usual ? values : [] });
  };
  return (
    <>
      {aggregates && (
        <NativeSelect
          size="xs"
          className="builder-aggregate"
          aria-label={`${name}: what of the column`}
          value={term.aggregate ?? ""}
          data={AGGREGATES.filter(({ value }) => term.column !== "" || value === "count").map((one) => ({ ...one }))}
          onChange={(event) => change({ ...condition, term: { ...term, aggregate: aggregateFrom(event.currentTarget.value) } })}
        />
      )}
      <ChooseTerm label={`${name}: column`} term={term} choices={choices} rows={term.aggregate === "count" ? "rows" : undefined} onChoose={choose} />
      <NativeSelect
        size="xs"
        className="builder-operator"
        aria-label={`${name}: operator`}
        value={operator}
        data={[...OPERATORS]}
        onChange={(event) => change(withOperator(condition, OPERATORS.find((one) => one === event.currentTarget.value) ?? "="))}
      />
      {valuesOf(operator) !== 0 && (
        <>
          <Values name={name} condition={condition} kind={kind} change={(changed) => change({ ...condition, values: changed })} />
          <NativeSelect
            size="xs"
            className="builder-kind"
            aria-label={`${name}: kind of value`}
            value={kind}
            data={[...KINDS]}
            onChange={(event) => {
              const chosen = KINDS.find((one) => one === event.currentTarget.value) ?? "text";
              const typed = values.length > 0 ? values : [{ kind, text: "" }];
              change({ ...condition, values: typed.map(({ text }) => ({ kind: chosen, text: chosen === "boolean" ? "true" : text })) });
            }}
          />
        </>
      )}
      <ActionIcon variant="subtle" color="gray" aria-label={`${name}: remove`} onClick={onRemove}>
        <IconX size={16} />
      </ActionIcon>
    </>
  );
}

function usualKind(term: Term, choices: readonly Choice[]): Value["kind"] {
  if ((term.aggregate ?? "").startsWith("count")) return "number";
  const plain = choices.find((one) => keyOf(one.term) === keyOf(term)) ?? choices.find((one) => term.table === "" && one.term.column === term.column);
  return kindOf(plain?.type);
}

interface ValuesProps {
  name: string;
  condition: Condition;
  kind: Value["kind"];
  change: (values: Value[]) => void;
}

function Values({ name, condition: { operator, values }, kind, change }: ValuesProps) {
  if (valuesOf(operator) === null) {
    const bad = values.find((one) => !isSound(one));
    return (
      <TagsInput
        size="xs"
        className="builder-values"
        aria-label={`${name}: values`}
        placeholder={values.length === 0 ? "Enter after each" : ""}
        splitChars={[]}
        acceptValueOnBlur
        error={bad === undefined ? undefined : `${bad.text}: ${FAULTS[kind] ?? ""}`}
        value={values.map(({ text }) => text)}
        onChange={(texts) => change(texts.map((text) => ({ kind, text })))}
      />
    );
  }
  const put = (place: number, text: string): void => change([0, 1].slice(0, valuesOf(operator) ?? 1).map((at) => (at === place ? { kind, text } : (values[at] ?? { kind, text: "" }))));
  return (
    <>
      <Field label={`${name}: value`} value={values[0]} kind={kind} onChange={(text) => put(0, text)} />
      {valuesOf(operator) === 2 && (
        <>
          <span className="builder-word">and</span>
          <Field label={`${name}: upper value`} value={values[1]} kind={kind} onChange={(text) => put(1, text)} />
        </>
      )}
    </>
  );
}

function Field({ label, value, kind, onChange }: { label: string; value: Value | undefined; kind: Value["kind"]; onChange: (text: string) => void }) {
  if (kind === "boolean") return <NativeSelect size="xs" aria-label={label} value={value?.text ?? ""} data={[{ value: "", label: "", disabled: true }, "true", "false"]} onChange={(event) => onChange(event.currentTarget.value)} />;
  return (
    <TextInput
      size="xs"
      className="builder-value"
      aria-label={label}
      type={kind === "date" ? "date" : "text"}
      inputMode={kind === "number" ? "decimal" : undefined}
      leftSection={kind === "parameter" ? ":" : undefined}
      placeholder={kind === "timestamp" ? "2026-11-19 08:30:00" : kind === "parameter" ? "name" : "Value"}
      value={value?.text ?? ""}
      error={value === undefined || value.text === "" || isSound(value) ? undefined : FAULTS[kind]}
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

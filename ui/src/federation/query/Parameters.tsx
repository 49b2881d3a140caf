import { NativeSelect, TextInput } from "@mantine/core";

import { faultOf, KINDS, type Kind, type Parameter } from "./bind";

interface Props {
  parameters: readonly Parameter[];
  change: (parameters: Parameter[]) => void;
  onRun: () => void;
}

/** A field for each :name of the query. */
export function Parameters({ parameters, change, onRun }: Props) {
  if (parameters.length === 0) return null;
  const put = (name: string, part: Partial<Parameter>): void => change(parameters.map((one) => (one.name === name ? { ...one, ...part } : one)));
  return (
    <fieldset className="parameters">
      <legend>Parameters</legend>
      {parameters.map((one) => (
        <div key={one.name} className="parameter" role="group" aria-label={one.name}>
          <label className="parameter-name mono" htmlFor={`parameter-${one.name}`}>
            :{one.name}
          </label>
          <Value one={one} put={put} onRun={onRun} />
          <NativeSelect
            size="xs"
            aria-label={`Kind of ${one.name}`}
            value={one.kind}
            onChange={(event) => {
              const kind: Kind = KINDS.find((word) => word === event.currentTarget.value) ?? "text";
              put(one.name, { kind, value: kind === "true or false" ? "true" : one.value });
            }}
            data={[...KINDS]}
          />
        </div>
      ))}
    </fieldset>
  );
}

function Value({ one, put, onRun }: { one: Parameter; put: (name: string, part: Partial<Parameter>) => void; onRun: () => void }) {
  const id = `parameter-${one.name}`;
  if (one.kind === "null") return <TextInput id={id} size="xs" disabled value="NULL" />;
  if (one.kind === "true or false") return <NativeSelect id={id} size="xs" value={one.value === "true" ? "true" : "false"} onChange={(event) => put(one.name, { value: event.currentTarget.value })} data={["true", "false"]} />;
  return (
    <TextInput
      id={id}
      size="xs"
      value={one.value}
      inputMode={one.kind === "number" ? "decimal" : undefined}
      error={one.value === "" ? undefined : faultOf(one)}
      onChange={(event) => put(one.name, { value: event.currentTarget.value })}
      onKeyDown={(event) => {
        if (event.key === "Enter") onRun();
      }}
    />
  );
}

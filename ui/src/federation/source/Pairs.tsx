import { ActionIcon, Button, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { useId } from "react";

import type { Pair } from "./fields";

interface Props {
  legend: string;
  about: string;
  /** "column": one of them, in words. */
  one: string;
  names: readonly string[];
  valueName: string;
  values: readonly string[];
  pairs: readonly Pair[];
  change: (pairs: Pair[]) => void;
  actions?: React.ReactNode;
}

/** Names, each with a value. */
export function Pairs({ legend, about, one, names, valueName, values, pairs, change, actions }: Props) {
  const id = useId();
  const put = (at: number, part: Partial<Pair>): void => change(pairs.map((pair, index) => (index === at ? { ...pair, ...part } : pair)));
  return (
    <fieldset className="source-rows">
      <legend>{legend}</legend>
      <p>{about}</p>
      {pairs.map((pair, index) => (
        <div key={index} className="source-row" role="group" aria-label={pair.name === "" ? `A ${one}` : pair.name}>
          <TextInput size="xs" aria-label={`Name of ${one} ${index + 1}`} placeholder={names[0] ?? "name"} list={`${id}-names`} value={pair.name} onChange={(event) => put(index, { name: event.currentTarget.value })} />
          <TextInput size="xs" aria-label={`${valueName} of ${one} ${index + 1}`} placeholder={values[0]} list={`${id}-values`} value={pair.value} onChange={(event) => put(index, { value: event.currentTarget.value })} />
          <ActionIcon variant="default" aria-label={`Remove ${one} ${index + 1}`} onClick={() => change(pairs.filter((_, at) => at !== index))}>
            <IconTrash size={14} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <datalist id={`${id}-names`}>
        {names.map((name) => (
          <option key={name} value={name} />
        ))}
      </datalist>
      <datalist id={`${id}-values`}>
        {values.map((value) => (
          <option key={value} value={value} />
        ))}
      </datalist>
      <div className="source-row-actions">
        <Button size="compact-xs" variant="default" leftSection={<IconPlus size={13} aria-hidden />} onClick={() => change([...pairs, { name: "", value: "" }])}>
          Add a {one}
        </Button>
        {actions}
      </div>
    </fieldset>
  );
}

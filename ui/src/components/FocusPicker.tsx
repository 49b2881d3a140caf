import { Autocomplete } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";

import { nodesQuery } from "../api";

interface Props {
  focus: string | undefined;
  label: string;
  onChoose: (id: string) => void;
}

/** The table, column, or other thing of the graph that a page is about. Give it `key={focus}`. */
export function FocusPicker({ focus, label, onChoose }: Props) {
  const [text, setText] = useState(focus ?? "");
  const [wanted] = useDebouncedValue(text.trim(), 150);
  const { data } = useQuery({ ...nodesQuery(wanted, 12), enabled: wanted !== "" && wanted !== focus });
  const names = wanted === "" || wanted === focus ? [] : (data?.items ?? []).map((one) => one.id);
  const choose = (name: string): void => {
    if (name !== "") onChoose(name);
  };
  return (
    <form
      className="focus-picker"
      onSubmit={(event) => {
        event.preventDefault();
        choose(text.trim());
      }}
    >
      <Autocomplete
        aria-label={label}
        placeholder="core.orders.amount"
        leftSection={<IconSearch size={16} aria-hidden />}
        data={[...new Set(names)]}
        filter={({ options }) => options}
        value={text}
        onChange={setText}
        onOptionSubmit={choose}
        spellCheck={false}
        maxDropdownHeight={360}
      />
    </form>
  );
}

import { CloseButton, MultiSelect, NativeSelect, SegmentedControl } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";

import { TypedInput } from "../../components";
import { STATES, TYPES, type AssetsSearch } from "./search";

interface Props {
  search: AssetsSearch;
  /** All there are, to choose from. */
  owners: readonly string[];
  tags: readonly string[];
  onChange: (change: AssetsSearch) => void;
}

const STATE_NAMES = { all: "All", failing: "Failing", ok: "OK", unchecked: "Unchecked" };
const ALL = "all";

/** Everything that narrows the list. */
export function AssetFilters({ search, owners, tags, onChange }: Props) {
  return (
    <div role="search" className="assets-filters" aria-label="Filter assets">
      <TypedInput
        className="assets-find"
        label="Filter"
        placeholder="Name or description"
        leftSection={<IconSearch size={16} aria-hidden />}
        rightSection={search.q === undefined ? undefined : <CloseButton size="sm" aria-label="Empty the filter" onClick={() => onChange({ q: undefined })} />}
        value={search.q ?? ""}
        onTyped={(q) => onChange({ q: q === "" ? undefined : q })}
      />
      <div className="assets-state">
        <span className="assets-label" id="assets-state">
          State
        </span>
        <SegmentedControl
          aria-labelledby="assets-state"
          fullWidth
          data={[ALL, ...STATES].map((value) => ({ value, label: STATE_NAMES[value as keyof typeof STATE_NAMES] }))}
          value={search.state ?? ALL}
          onChange={(value) => onChange({ state: STATES.find((state) => state === value) })}
        />
      </div>
      <NativeSelect
        label="Type"
        value={search.type ?? ""}
        onChange={(event) => onChange({ type: TYPES.find((type) => type === event.currentTarget.value) })}
        data={[
          { value: "", label: "Tables and views" },
          { value: "table", label: "Tables" },
          { value: "view", label: "Views" },
          { value: "column", label: "Columns" },
        ]}
      />
      <Several label="Owner" any="Any owner" known={owners} chosen={search.owners} onChange={(chosen) => onChange({ owners: chosen })} />
      <Several label="Tag" any="Any tag" known={tags} chosen={search.tags} onChange={(chosen) => onChange({ tags: chosen })} />
      <NativeSelect
        label="Sort by"
        value={search.sort ?? "relevance"}
        onChange={(event) => onChange({ sort: event.currentTarget.value === "freshness" ? "freshness" : event.currentTarget.value === "name" ? "name" : undefined })}
        data={[
          { value: "relevance", label: "Best match" },
          { value: "name", label: "Name" },
          { value: "freshness", label: "Newest change" },
        ]}
      />
    </div>
  );
}

interface SeveralProps {
  label: string;
  any: string;
  known: readonly string[];
  chosen: string[] | undefined;
  onChange: (chosen: string[] | undefined) => void;
}

/** Some of many. What the address names stays a choice, known or not. */
function Several({ label, any, known, chosen = [], onChange }: SeveralProps) {
  return (
    <MultiSelect
      className="assets-several"
      label={label}
      placeholder={chosen.length === 0 ? any : undefined}
      searchable
      clearable
      hidePickedOptions
      nothingFoundMessage="None of that name"
      // The list itself scrolls: the keyboard reaches it, which it cannot say of a scroll area around it.
      withScrollArea={false}
      classNames={{ options: "assets-options" }}
      clearButtonProps={{ "aria-label": `${any}: take the choice back` }}
      data={[...new Set([...known, ...chosen])].sort()}
      value={chosen}
      onChange={(value) => onChange(value.length === 0 ? undefined : value)}
    />
  );
}

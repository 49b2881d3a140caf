import { NativeSelect } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";

import { FocusPicker, TypedInput } from "../../components";
import { SnapshotSwitch } from "../SnapshotSwitch";
import { CHANGES, MEANINGS, type ChangeName } from "./changes";
import type { ImpactSearch } from "./search";

const route = getRouteApi("/frame/impact");

/** What changes, and how. */
export function ImpactForm() {
  const { focus, change, to, at } = route.useSearch();
  const navigate = route.useNavigate();
  const ask = (part: ImpactSearch): void =>
    void navigate({ search: (before) => ({ ...before, open: undefined, all: undefined, ...part }), resetScroll: false });
  const wanted = change === undefined ? undefined : MEANINGS[change].to;
  return (
    <div className="lineage-controls">
      <FocusPicker key={focus ?? ""} focus={focus} label="Table or column" onChoose={(next) => ask({ focus: next })} />
      <NativeSelect
        aria-label="Change"
        w={200}
        value={change ?? ""}
        onChange={(event) => {
          const next = CHANGES.find((one) => one === event.currentTarget.value);
          ask({ change: next, to: next !== undefined && MEANINGS[next].to !== undefined && next === change ? to : undefined });
        }}
        data={[{ value: "", label: "Choose a change…" }, ...groups()]}
      />
      {wanted !== undefined && (
        <TypedInput
          key={change}
          aria-label={wanted.label}
          placeholder={`${wanted.label}: ${wanted.placeholder}`}
          w={220}
          value={to ?? ""}
          onTyped={(next) => ask({ to: next === "" ? undefined : next })}
          spellCheck={false}
        />
      )}
      <SnapshotSwitch at={at} onChange={(next) => ask({ at: next })} />
    </div>
  );
}

function groups() {
  const items = (of: string): { value: ChangeName; label: string }[] =>
    CHANGES.filter((one) => MEANINGS[one].of === of).map((one) => ({ value: one, label: MEANINGS[one].label }));
  return [
    { group: "A column", items: items("column") },
    { group: "Either", items: items("either") },
    { group: "A table", items: items("table") },
  ];
}

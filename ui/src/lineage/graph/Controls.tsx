import { Checkbox, NativeSelect, SegmentedControl } from "@mantine/core";
import { getRouteApi } from "@tanstack/react-router";
import { IconArrowDownRight, IconArrowUpLeft } from "@tabler/icons-react";

import { FocusPicker } from "../../components";
import { plural } from "../../format/numbers";
import { SnapshotSwitch } from "../SnapshotSwitch";
import type { LineageSearch } from "./search";
import { DEPTH } from "./useGraph";

const route = getRouteApi("/frame/lineage");
const ALL = 50;
const DEPTHS = [1, 2, 3, 5, 10, ALL];
const LEAST = [0, 0.3, 0.5, 0.6, 0.8, 1];
const DIRECTIONS = [
  { value: "upstream", label: "Comes from" },
  { value: "both", label: "Both" },
  { value: "downstream", label: "Goes to" },
];
const LEVELS = [
  { value: "column", label: "Columns" },
  { value: "table", label: "Tables" },
];
const WORDS: Record<string, string> = { "0": "all edges", "0.3": "low ≥ 0.3", "0.6": "medium ≥ 0.6", "0.8": "high ≥ 0.8", "1": "certain" };

/** What is asked. All of it is in the address. */
export function Controls() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  // What was opened by hand belongs to the picture that is left.
  const ask = (part: LineageSearch): void => void navigate({ search: (before) => ({ ...before, edge: undefined, ...part }), resetScroll: false });
  const { focus, direction, up = DEPTH, down = DEPTH, conf, level } = search;
  return (
    <div className="lineage-controls">
      <FocusPicker
        key={focus ?? ""}
        focus={focus}
        label="Table, column or other entity"
        onChoose={(next) => ask({ focus: next, cols: undefined, near: undefined })}
      />
      <SegmentedControl
        aria-label="Level"
        data={LEVELS}
        value={level ?? "column"}
        onChange={(next) => ask({ level: next === "table" ? next : undefined, cols: undefined })}
      />
      <SegmentedControl
        aria-label="Direction"
        data={DIRECTIONS}
        value={direction ?? "both"}
        onChange={(next) => ask({ direction: next === "upstream" || next === "downstream" ? next : undefined })}
      />
      <Depth label="Steps upstream" icon={<IconArrowUpLeft size={15} aria-hidden />} value={up} disabled={direction === "downstream"} onChange={(next) => ask({ up: next })} />
      <Depth label="Steps downstream" icon={<IconArrowDownRight size={15} aria-hidden />} value={down} disabled={direction === "upstream"} onChange={(next) => ask({ down: next })} />
      <NativeSelect
        aria-label="Least confidence"
        miw={168}
        value={String(conf ?? "")}
        onChange={(event) => ask({ conf: event.currentTarget.value === "" ? undefined : Number(event.currentTarget.value) })}
        data={[{ value: "", label: "usual confidence" }, ...withOwn(LEAST, conf).map((one) => ({ value: String(one), label: WORDS[String(one)] ?? `≥ ${one}` }))]}
      />
      <Checkbox
        className="lineage-indirect"
        label="with indirect"
        title="Also columns that only filter, join, group or sort"
        checked={search.indirect === "yes"}
        onChange={(event) => ask({ indirect: event.currentTarget.checked ? "yes" : undefined })}
      />
      <Checkbox
        className="lineage-indirect"
        label="inside programs"
        title="Also what exists only inside code: CTEs, temporary views and DataFrames"
        checked={search.inside === "yes"}
        onChange={(event) => ask({ inside: event.currentTarget.checked ? "yes" : undefined })}
      />
      <SnapshotSwitch at={search.at} onChange={(at) => ask({ at })} />
    </div>
  );
}

function withOwn(usual: readonly number[], own: number | undefined): number[] {
  return [...new Set(own === undefined ? usual : [...usual, own])].toSorted((a, b) => a - b);
}

interface DepthProps {
  label: string;
  icon: React.ReactNode;
  value: number;
  disabled: boolean;
  onChange: (depth: number | undefined) => void;
}

function Depth({ label, icon, value, disabled, onChange }: DepthProps) {
  return (
    <NativeSelect
      aria-label={label}
      title={label}
      leftSection={icon}
      w={120}
      value={String(value)}
      disabled={disabled}
      onChange={(event) => onChange(Number(event.currentTarget.value) === DEPTH ? undefined : Number(event.currentTarget.value))}
      data={withOwn(DEPTHS, value).map((one) => ({ value: String(one), label: one === ALL ? "all steps" : plural(one, "step") }))}
    />
  );
}

import { Checkbox } from "@mantine/core";
import { useState } from "react";

import { count } from "../../format/numbers";
import { typeName } from "../pii/words";
import { FACETS, type CatalogSearch, type Facet } from "./search";
import { COUNTED, FACET_NAMES, toggled } from "./words";

export type Counts = Readonly<Record<string, readonly Row[]>>;

interface Row {
  value: string;
  /** None: it is not counted until it is asked for. */
  count?: number;
}

/** They are found only where one asks for them, as they would hide the assets. */
const ASKED = ["column", "term", "schema", "database"];

interface Props {
  counts: Counts;
  search: CatalogSearch;
  onChange: (part: CatalogSearch) => void;
}

/** What there is of each kind, counted; a tick narrows the results to it. */
export function Facets({ counts, search, onChange }: Props) {
  return FACETS.map((facet) => (
    <FacetGroup key={facet} facet={facet} counts={counts[COUNTED[facet]] ?? []} chosen={search[facet] ?? []} onToggle={(value) => onChange({ [facet]: toggled<string>(search[facet], value) })} />
  ));
}

const FEW = 7;

interface GroupProps {
  facet: Facet;
  counts: readonly Row[];
  chosen: readonly string[];
  onToggle: (value: string) => void;
}

function FacetGroup({ facet, counts, chosen, onToggle }: GroupProps) {
  const [all, setAll] = useState(false);
  const known = new Set(counts.map((one) => one.value));
  // What the address names stays to be taken back, also where nothing has it.
  const missing = [...new Set([...chosen, ...(facet === "types" ? ASKED : [])])].filter((value) => !known.has(value));
  const rows: Row[] = [...counts, ...missing.map((value) => ({ value }))];
  if (rows.length === 0) return null;
  const shown = all ? rows : rows.filter((one, index) => index < FEW || facet === "types" || chosen.includes(one.value));
  return (
    <fieldset className="facet">
      <legend>{FACET_NAMES[facet]}</legend>
      {shown.map(({ value, count: number }) => (
        <Checkbox
          key={value}
          size="xs"
          className="facet-value"
          checked={chosen.includes(value)}
          onChange={() => onToggle(value)}
          label={
            <>
              <span className="name">{valueName(facet, value)}</span> {number !== undefined && <span className="facet-count numbers">{count(number)}</span>}
            </>
          }
        />
      ))}
      {rows.length > shown.length && (
        <button type="button" className="facet-more" onClick={() => setAll(true)}>
          {count(rows.length - shown.length)} more
        </button>
      )}
    </fieldset>
  );
}

function valueName(facet: Facet, value: string): string {
  if (facet === "pii") return typeName(value);
  if (facet === "quality" && value === "unknown") return "not checked";
  return value;
}

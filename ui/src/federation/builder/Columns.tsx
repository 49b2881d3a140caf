import { ActionIcon, Checkbox, NativeSelect, TextInput } from "@mantine/core";
import { IconArrowDown, IconArrowUp, IconX } from "@tabler/icons-react";

import { ChooseTerm } from "./Choose";
import { withColumns, type Choice, type Query, type Term } from "./edit";

export const AGGREGATES = [
  { value: "", label: "as it is" },
  { value: "count", label: "count" },
  { value: "count_distinct", label: "count distinct" },
  { value: "sum", label: "sum" },
  { value: "avg", label: "average" },
  { value: "min", label: "min" },
  { value: "max", label: "max" },
] as const;
const ROWS: Term = { table: "", column: "", aggregate: "count" };

export type Aggregate = Exclude<(typeof AGGREGATES)[number]["value"], "">;

export function aggregateFrom(word: string): Aggregate | null {
  const found = AGGREGATES.find(({ value }) => value === word)?.value ?? "";
  return found === "" ? null : found;
}

interface Props {
  query: Query;
  choices: readonly Choice[];
  change: (query: Query) => void;
}

/** SELECT: what the result has. */
export function Columns({ query, choices, change }: Props) {
  const put = (columns: Query["columns"]): void => change(withColumns(query, columns));
  const putAt = (place: number, part: Partial<Query["columns"][number]>): void => put(query.columns.map((one, at) => (at === place ? { ...one, ...part } : one)));
  const move = (from: number, to: number): void => put(query.columns.toSpliced(from, 1).toSpliced(to, 0, ...query.columns.slice(from, from + 1)));
  return (
    <>
      {query.columns.length === 0 && <p className="builder-quiet">All columns.</p>}
      {query.columns.map(({ term, alias }, place) => {
        const name = `Column ${place + 1}`;
        return (
          <div key={place} className="builder-row" role="group" aria-label={name}>
            <ChooseTerm label={`${name}: which`} term={term} choices={choices} rows={term.aggregate === "count" ? "rows" : undefined} onChoose={(chosen) => putAt(place, { term: { ...chosen, aggregate: term.aggregate ?? null } })} />
            <NativeSelect
              size="xs"
              className="builder-aggregate"
              aria-label={`${name}: what of it`}
              value={term.aggregate ?? ""}
              data={AGGREGATES.filter(({ value }) => term.column !== "" || value === "count").map((one) => ({ ...one }))}
              onChange={(event) => {
                const aggregate = aggregateFrom(event.currentTarget.value);
                const named = alias === "" || alias === usualAlias(term) ? usualAlias({ ...term, aggregate }) : alias;
                putAt(place, { term: { ...term, aggregate }, alias: named });
              }}
            />
            <TextInput size="xs" className="builder-name" aria-label={`${name}: name in the result`} placeholder="Name in the result" value={alias} maxLength={255} spellCheck={false} onChange={(event) => putAt(place, { alias: event.currentTarget.value })} />
            <span className="builder-moves">
              <ActionIcon variant="subtle" color="gray" aria-label={`${name}: up`} disabled={place === 0} onClick={() => move(place, place - 1)}>
                <IconArrowUp size={16} />
              </ActionIcon>
              <ActionIcon variant="subtle" color="gray" aria-label={`${name}: down`} disabled={place === query.columns.length - 1} onClick={() => move(place, place + 1)}>
                <IconArrowDown size={16} />
              </ActionIcon>
              <ActionIcon variant="subtle" color="gray" aria-label={`${name}: remove`} onClick={() => put(query.columns.filter((_, at) => at !== place))}>
                <IconX size={16} />
              </ActionIcon>
            </span>
          </div>
        );
      })}
      <div className="builder-row">
        <ChooseTerm
          key={query.columns.length}
          label="Add a column"
          placeholder="Add a column"
          term={null}
          rows="count of rows"
          choices={choices}
          onChoose={(term) => put([...query.columns, term.column === "" ? { term: ROWS, alias: "count" } : { term, alias: "" }])}
        />
        <Checkbox size="xs" label="Distinct rows" checked={query.distinct} onChange={(event) => change({ ...query, distinct: event.currentTarget.checked })} />
      </div>
    </>
  );
}

function usualAlias({ column, aggregate }: Term): string {
  if ((aggregate ?? null) === null) return "";
  return column === "" ? "count" : `${aggregate === "count_distinct" ? "distinct" : aggregate}_${column}`;
}

import { ActionIcon, Button, NativeSelect, TextInput } from "@mantine/core";
import { IconPlus, IconX } from "@tabler/icons-react";

import { ChooseTable, ChooseTerm } from "./Choose";
import { handleOf, suggestions, withoutTable, withTable, withTableAt, type Choice, type Query, type Table, type Term } from "./edit";
import { tableAt, type TableChoice } from "./useTables";

const JOINS = ["inner", "left", "right", "full"] as const;
const NOTHING: Term = { table: "", column: "", aggregate: null };

interface Props {
  query: Query;
  tables: readonly TableChoice[];
  pending: boolean;
  columns: readonly (readonly Choice[])[];
  change: (query: Query) => void;
}

/** FROM and its joins. */
export function Tables({ query, tables, pending, columns, change }: Props) {
  return (
    <>
      {query.tables.map((table, place) => (
        <div key={place} className="builder-table">
          <div className="builder-row">
            {place > 0 && (
              <NativeSelect
                size="xs"
                aria-label={`How ${handleOf(table)} is joined`}
                value={table.join ?? "inner"}
                data={JOINS.map((value) => ({ value, label: `${value} join` }))}
                onChange={(event) => change(withTableAt(query, place, { join: JOINS.find((value) => value === event.currentTarget.value) ?? "inner" }))}
              />
            )}
            <ChooseTable label={`Table ${place + 1}`} path={tableAt(tables, table.path)?.path ?? table.path} tables={tables} pending={pending} onChoose={(path) => change(withTableAt(query, place, { path: [...path] }))} />
            <Alias table={table} onChange={(alias) => change(withTableAt(query, place, { alias }))} taken={query.tables.flatMap((one, at) => (at === place ? [] : [handleOf(one)]))} />
            <ActionIcon variant="subtle" color="gray" aria-label={`Remove ${table.path.join(".")}`} onClick={() => change(withoutTable(query, place))}>
              <IconX size={16} />
            </ActionIcon>
          </div>
          {place > 0 && <On table={table} before={columns.slice(0, place).flat()} own={columns[place] ?? []} change={(on) => change(withTableAt(query, place, { on }))} />}
        </div>
      ))}
      <div className="builder-row">
        <ChooseTable key={query.tables.length} label={query.tables.length === 0 ? "Choose a table" : "Join a table"} path={null} tables={tables} pending={pending} onChoose={(path) => change(withTable(query, path))} />
      </div>
    </>
  );
}

function Alias({ table, taken, onChange }: { table: Table; taken: readonly string[]; onChange: (alias: string) => void }) {
  const twice = taken.some((one) => one.toLowerCase() === handleOf(table).toLowerCase());
  return (
    <TextInput
      size="xs"
      className="builder-alias mono"
      aria-label={`Alias of ${table.path.join(".")}`}
      placeholder={table.path.at(-1) ?? ""}
      value={table.alias}
      maxLength={64}
      error={twice ? "Another table is called so" : undefined}
      onChange={(event) => onChange(event.currentTarget.value)}
      spellCheck={false}
    />
  );
}

interface OnProps {
  table: Table;
  before: readonly Choice[];
  own: readonly Choice[];
  change: (on: Table["on"]) => void;
}

function On({ table, before, own, change }: OnProps) {
  const pairs = table.on.length === 0 ? [{ left: NOTHING, right: NOTHING }] : table.on;
  const put = (place: number, part: Partial<Table["on"][number]>): void => change(pairs.map((one, at) => (at === place ? { ...one, ...part } : one)));
  const offered = table.on.length === 0 ? suggestions(before, own).slice(0, 3) : [];
  return (
    <div className="builder-on" role="group" aria-label={`Columns that join ${handleOf(table)}`}>
      {pairs.map((pair, place) => (
        <div key={place} className="builder-row">
          <span className="builder-word">{place === 0 ? "on" : "and"}</span>
          <ChooseTerm label={`Left column ${place + 1}`} term={pair.left} choices={before} onChoose={(left) => put(place, { left })} />
          <span className="builder-word">=</span>
          <ChooseTerm label={`Right column ${place + 1}`} term={pair.right} choices={own} onChoose={(right) => put(place, { right })} />
          {pairs.length > 1 && (
            <ActionIcon variant="subtle" color="gray" aria-label={`Remove pair ${place + 1}`} onClick={() => change(pairs.filter((_, at) => at !== place))}>
              <IconX size={16} />
            </ActionIcon>
          )}
          {place === pairs.length - 1 && table.on.length > 0 && (
            <Button size="compact-xs" variant="subtle" leftSection={<IconPlus size={14} aria-hidden />} onClick={() => change([...pairs, { left: NOTHING, right: NOTHING }])}>
              and
            </Button>
          )}
        </div>
      ))}
      {offered.length > 0 && (
        <div className="builder-row builder-offers">
          <span>Columns of the same name:</span>
          {offered.map((one) => (
            <Button key={`${one.left.table}.${one.left.column}`} size="compact-xs" variant="default" onClick={() => change([one])}>
              {`${one.left.table}.${one.left.column} = ${one.right.table}.${one.right.column}`}
            </Button>
          ))}
        </div>
      )}
    </div>
  );
}

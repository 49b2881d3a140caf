import { Select } from "@mantine/core";

import { keyOf, type Choice, type Term } from "./edit";
import type { TableChoice } from "./useTables";

const MANY = 200;
const nameOf = ({ table, column }: Term): string => (table === "" ? column : `${table}.${column}`);

interface TermProps {
  label: string;
  /** null: nothing is chosen yet. */
  term: Term | null;
  choices: readonly Choice[];
  /** What stands for a term without a column. */
  rows?: string | undefined;
  placeholder?: string;
  onChoose: (term: Term) => void;
}

const ROWS: Term = { table: "", column: "", aggregate: null };

/** A column, found by typing a part of its name. */
export function ChooseTerm({ label, term, choices, rows, placeholder = "Column", onChoose }: TermProps) {
  const tables = new Map<string, { value: string; label: string }[]>();
  for (const choice of choices) {
    const own = tables.get(choice.term.table) ?? [];
    own.push({ value: keyOf(choice.term), label: nameOf(choice.term) });
    tables.set(choice.term.table, own);
  }
  const known = new Map(choices.map((one) => [keyOf(one.term), one]));
  const value = term === null || (term.column === "" && rows === undefined) ? null : keyOf(term);
  const written = term !== null && term.column !== "" && !known.has(keyOf(term)) ? [{ group: "As written", items: [{ value: keyOf(term), label: nameOf(term) }] }] : [];
  const counted = rows === undefined ? [] : [{ value: keyOf(ROWS), label: rows }];
  return (
    <Select
      size="xs"
      className="choose-term"
      aria-label={label}
      placeholder={placeholder}
      searchable
      allowDeselect={false}
      limit={MANY}
      value={value}
      nothingFoundMessage="No such column"
      data={[...counted, ...written, ...[...tables].map(([group, items]) => ({ group: group === "" ? "The result" : group, items }))]}
      renderOption={({ option }) => (
        <span className="choose-option">
          <span>{option.label}</span>
          <span className="choose-type">{known.get(option.value)?.type}</span>
        </span>
      )}
      onChange={(key) => {
        if (key !== null) onChoose(known.get(key)?.term ?? (key === keyOf(ROWS) ? ROWS : (term ?? ROWS)));
      }}
    />
  );
}

interface TableProps {
  label: string;
  path: readonly string[] | null;
  tables: readonly TableChoice[];
  pending: boolean;
  onChoose: (path: readonly string[]) => void;
}

/** A table of the lake, of a source, or a virtual one. */
export function ChooseTable({ label, path, tables, pending, onChoose }: TableProps) {
  const groups = new Map<string, { value: string; label: string }[]>();
  for (const one of tables) {
    const own = groups.get(one.group) ?? [];
    own.push({ value: JSON.stringify(one.path), label: one.path.join(".") });
    groups.set(one.group, own);
  }
  const value = path === null ? null : JSON.stringify(path);
  const written = value === null || path === null || tables.some((one) => JSON.stringify(one.path) === value) ? [] : [{ group: "As written", items: [{ value, label: path.join(".") }] }];
  return (
    <Select
      size="xs"
      className="choose-table"
      aria-label={label}
      placeholder={label}
      searchable
      allowDeselect={false}
      limit={MANY}
      value={value}
      nothingFoundMessage={pending ? "The sources are asked for their tables." : "No such table"}
      data={[...written, ...[...groups].map(([group, items]) => ({ group, items }))]}
      onChange={(found) => {
        const chosen = tables.find((one) => JSON.stringify(one.path) === found);
        if (chosen !== undefined) onChoose(chosen.path);
      }}
    />
  );
}

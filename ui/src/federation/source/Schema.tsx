import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { IconChevronRight, IconEyeOff, IconKey, IconTable, IconTerminal2 } from "@tabler/icons-react";
import { useState } from "react";

import type { SourceTableView } from "../../api";
import { sourceTablesQuery } from "../../api/federation";
import { DataTable, EmptyState, QueryResult, TypedInput, type Column } from "../../components";
import { bytes, count, plural } from "../../format/numbers";
import { selectOf } from "../query/sql";

const FIRST = 50;
const FILTER_FROM = 8;

interface Props {
  source: string;
  chosen: string | undefined;
  choose: (table: string | undefined) => void;
}

/** The tables of a source as they are now, each with its columns. */
export function Schema({ source, chosen, choose }: Props) {
  const query = useQuery(sourceTablesQuery(source));
  return (
    <QueryResult query={query} skeleton={<Skeleton h={260} radius="md" />}>
      {(tables) => <Tables source={source} tables={tables} chosen={chosen} choose={choose} />}
    </QueryResult>
  );
}

function Tables({ source, tables, chosen, choose }: Props & { tables: readonly SourceTableView[] }) {
  const [words, setWords] = useState("");
  const [shown, setShown] = useState(FIRST);
  const passing = tables.filter(({ table, columns }) => `${table} ${columns.map(({ name }) => name).join(" ")}`.toLowerCase().includes(words.toLowerCase()));
  if (tables.length === 0) return <EmptyState icon={IconTable} title={`${source} has no tables`} />;
  return (
    <>
      {tables.length >= FILTER_FROM && <TypedInput aria-label="Filter tables and columns" placeholder="Table or column" value={words} onTyped={setWords} />}
      <ul className="source-tables" aria-label={`Tables of ${source}`}>
        {passing.slice(0, shown).map((one) => (
          <Table key={one.table} source={source} table={one} opened={nameIn(source, one) === chosen} toggle={() => choose(nameIn(source, one) === chosen ? undefined : nameIn(source, one))} />
        ))}
      </ul>
      {passing.length === 0 && (
        <Text size="sm" c="dimmed">
          No table or column has these letters.
        </Text>
      )}
      {passing.length > shown && (
        <Button variant="default" size="xs" onClick={() => setShown(shown + FIRST)} style={{ justifySelf: "center" }}>
          Show more: {count(shown)} of {plural(passing.length, "table")}
        </Button>
      )}
    </>
  );
}

/** Files of one shape are the source itself: they have no name in it. */
function nameIn(source: string, { table }: SourceTableView): string {
  return table === "" ? source : table;
}

type ColumnOf = SourceTableView["columns"][number];

function Table({ source, table, opened, toggle }: { source: string; table: SourceTableView; opened: boolean; toggle: () => void }) {
  const navigate = useNavigate();
  const name = nameIn(source, table);
  const size = [table.rows === null ? "" : `about ${plural(table.rows, "row")}`, table.bytes === null ? "" : bytes(table.bytes), plural(table.columns.length, "column")].filter((one) => one !== "");
  const columns: Column<ColumnOf>[] = [
    {
      key: "name",
      label: "Column",
      cell: ({ name, hidden, mask }) => (
        <span className="name">
          {name}
          {table.key.includes(name) && <IconKey size={13} aria-label="part of the key" className="source-sign" />}
          {hidden && <IconEyeOff size={13} aria-label="hidden: reads as NULL" className="source-sign" />}
          {mask !== null && <span className="source-mask">masked: {mask}</span>}
        </span>
      ),
    },
    { key: "type", label: "Type", cell: ({ type }) => type },
    { key: "native", label: "In the source", cell: ({ native }) => <span className="source-native">{native}</span> },
    { key: "nullable", label: "NULL", cell: ({ nullable }) => (nullable ? "may be" : "never") },
  ];
  return (
    <li>
      <button type="button" className="source-table" aria-expanded={opened} onClick={toggle}>
        <IconChevronRight size={15} aria-hidden className="source-chevron" />
        <span className="name">{name}</span>
        <span className="source-size">{size.join(", ")}</span>
      </button>
      {opened && (
        <div className="source-columns">
          <DataTable caption={`Columns of ${name}`} columns={columns} rows={table.columns} rowKey={({ name }) => name} />
          <Button size="xs" variant="default" leftSection={<IconTerminal2 size={14} aria-hidden />} onClick={() => void navigate({ to: "/query", search: { sql: selectOf(source, table) } })}>
            Query it
          </Button>
        </div>
      )}
    </li>
  );
}

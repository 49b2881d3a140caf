import { Text } from "@mantine/core";
import { IconEyeOff } from "@tabler/icons-react";

import type { VirtualColumnWire, VirtualJoinWire, VirtualTableDetail } from "../../api";
import { DataTable, type Column } from "../../components";
import { relationOf } from "./words";

const JOINS: Readonly<Record<VirtualJoinWire["join_type"], string>> = { inner: "inner join", left: "left join", right: "right join", full: "full join" };

/** What its columns are made of, how its sources are joined, and which rows it always has. */
export function Columns({ table }: { table: VirtualTableDetail }) {
  const hidden = new Set(table.hidden ?? []);
  const columns: Column<VirtualColumnWire>[] = [
    {
      key: "name",
      label: "Column",
      cell: ({ name }) => (
        <span className="name">
          {name}
          {hidden.has(name.toLowerCase()) && <IconEyeOff size={13} aria-label="hidden: reads as NULL" className="source-sign" />}
        </span>
      ),
    },
    { key: "type", label: "Type", cell: ({ data_type }) => (data_type === "" ? "as in its source" : data_type) },
    { key: "from", label: "Made of", cell: (one) => <MadeOf column={one} table={table} /> },
    { key: "nullable", label: "NULL", cell: ({ nullable }) => (nullable ? "may be" : "never") },
  ];
  return (
    <div className="virtual-made">
      <section className="panel" aria-label="Columns">
        <DataTable caption={`Columns of ${table.name}`} columns={columns} rows={table.columns ?? []} rowKey={({ name }) => name} />
      </section>
      <section className="panel virtual-from" aria-label="Made of">
        <h2 className="panel-title">From</h2>
        <ol className="virtual-steps">
          {(table.sources ?? []).map((source) => (
            <li key={source.alias}>
              <b className="name mono">{relationOf(source)}</b> as <span className="mono">{source.alias}</span>
              <Joined join={table.joins?.find(({ right_alias }) => right_alias.toLowerCase() === source.alias.toLowerCase())} />
            </li>
          ))}
        </ol>
        <h2 className="panel-title">Always holds</h2>
        {(table.default_filters ?? []).length === 0 ? (
          <Text size="sm" c="dimmed">
            No filter: it has all rows that the joins give.
          </Text>
        ) : (
          <ul className="virtual-steps">
            {table.default_filters?.map((text) => (
              <li key={text}>
                <code className="source-code">{text}</code>
              </li>
            ))}
          </ul>
        )}
      </section>
    </div>
  );
}

function MadeOf({ column, table }: { column: VirtualColumnWire; table: VirtualTableDetail }) {
  if (column.source_column === "") return <code className="source-code">{column.expression}</code>;
  const dot = column.source_column.lastIndexOf(".");
  const name = column.source_column.slice(dot + 1);
  const source = table.sources?.find(({ alias }) => alias.toLowerCase() === column.source_column.slice(0, Math.max(dot, 0)).toLowerCase()) ?? table.sources?.[0];
  const mapped = Object.entries(source?.column_mappings ?? {}).find(([own]) => own.toLowerCase() === name.toLowerCase())?.[1];
  return <code className="source-code">{source === undefined ? column.source_column : `${relationOf(source)}.${mapped ?? name}`}</code>;
}

function Joined({ join }: { join: VirtualJoinWire | undefined }) {
  if (join === undefined) return null;
  const side = (alias: string, name: string): string => (name.includes(".") ? name : `${alias}.${name}`);
  return (
    <span className="virtual-join">
      {JOINS[join.join_type]} on <code className="source-code">{join.conditions.map(({ left, right, op }) => `${side(join.left_alias, left)} ${op} ${side(join.right_alias, right)}`).join(" and ")}</code>
    </span>
  );
}

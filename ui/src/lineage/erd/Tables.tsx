import { Text } from "@mantine/core";

import type { ErdTableView, ErdView } from "../../api";
import { DataTable, type Column } from "../../components";
import { NONE, plural } from "../../format/numbers";
import { TableName } from "./Drawing";
import { JoinSightings } from "./RelationPanel";
import { cardinalityOf, endOf, keysOf, kindInWords, relationId, surenessOf, type Relation } from "./words";

interface Props {
  erd: ErdView;
  relations: readonly Relation[];
  at: string | undefined;
}

/** The same as the picture, in words: for screen readers, and for copying. */
export function ErdTables({ erd, relations, at }: Props) {
  const ofRelations: Column<Relation>[] = [
    { key: "source", label: "From", cell: (one) => endOf(one, "source") },
    { key: "target", label: "To", cell: (one) => endOf(one, "target") },
    { key: "kind", label: "How", cell: kindInWords },
    { key: "cardinality", label: "Cardinality", cell: (one) => cardinalityOf(one) || NONE },
    { key: "sure", label: "Confidence", cell: surenessOf },
    { key: "evidence", label: "Evidence", cell: (one) => (one.type === "lineage" ? plural(one.edges, "edge") : one.evidence.length > 0 ? <JoinSightings evidence={one.evidence} /> : NONE) },
  ];
  const ofTables: Column<ErdTableView>[] = [
    { key: "name", label: "Table", cell: (table) => <TableName name={table.name} at={at} /> },
    { key: "keys", label: "Keys", cell: (table) => keysInWords(table) || NONE },
    { key: "columns", label: "Columns", cell: (table) => (table.outside ? "of another schema" : table.columns.map((column) => column.name).join(", ") || NONE) },
  ];
  return (
    <>
      {relations.length === 0 ? (
        <Text size="sm" c="dimmed" p="md">
          No relation is declared or inferred between these tables.
        </Text>
      ) : (
        <DataTable caption="Relations" columns={ofRelations} rows={relations} rowKey={relationId} />
      )}
      <DataTable caption="Tables" columns={ofTables} rows={erd.tables} rowKey={(table) => table.name} />
    </>
  );
}

function keysInWords(table: ErdTableView): string {
  return table.columns.filter((column) => keysOf(column) !== "").map((column) => `${column.name} ${keysOf(column)}`).join(", ");
}

import { DataTable } from "../../components";
import { useBadColumns } from "../../components/sampleColumns";
import { showSampleValue } from "../../format/samples";

type Row = Record<string, unknown>;

export function rowsIn(details: Record<string, unknown>): Row[] {
  const found: unknown = details["sample"];
  if (!Array.isArray(found)) return [];
  return (found as unknown[]).filter((row): row is Row => typeof row === "object" && row !== null && !Array.isArray(row));
}

/** Some of the rows that failed. Personal data never left the server: it is shown as •••. */
export function Sample({ rows, columns, caption }: { rows: readonly Row[]; columns: readonly string[]; caption: string }) {
  const names = useBadColumns(rows, columns);
  const numbered = rows.map((row, index) => ({ row, index }));
  return (
    <div className="quality-sample">
      <DataTable
        caption={caption}
        narrow="scroll"
        columns={names.map((name) => ({ key: name, label: name, cell: ({ row }: { row: Row; index: number }) => <Value value={row[name]} bad={columns.includes(name)} /> }))}
        rows={numbered}
        rowKey={({ index }) => String(index)}
      />
    </div>
  );
}

function Value({ value, bad }: { value: unknown; bad: boolean }) {
  const { text, masked, none } = showSampleValue(value);
  if (masked) {
    return (
      <span title="Personal data, not shown">
        <span aria-hidden>{text}</span>
        <span className="only-readers">masked</span>
      </span>
    );
  }
  return <span className={bad ? "sample-bad numbers" : none ? "quality-quiet" : "numbers"}>{none ? "NULL" : text}</span>;
}

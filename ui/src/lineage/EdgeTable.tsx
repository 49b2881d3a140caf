import { ColumnLink, DataTable, type Column } from "../parts";
import type { Link } from "./layout";
import { transformationWord } from "./words";

const COLUMNS: readonly Column<Link>[] = [
  { key: "source", label: "From", cell: (link) => <ColumnLink column={link.source} /> },
  { key: "target", label: "To", cell: (link) => <ColumnLink column={link.target} /> },
  { key: "how", label: "How", cell: transformationWord },
  {
    key: "expression",
    label: "Expression",
    cell: (link) => (link.expression === "" ? "–" : <code className="mono name">{link.expression}</code>),
  },
  { key: "confidence", label: "Confidence", align: "right", cell: (link) => `${link.level} (${link.confidence.toFixed(2)})` },
];

/** The same as the picture, in rows: for screen readers, and for copying. */
export function EdgeTable({ links, label }: { links: readonly Link[]; label: string }) {
  return <DataTable caption={label} columns={COLUMNS} rows={links} rowKey={(link) => link.id} />;
}

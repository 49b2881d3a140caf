import { ColumnLink, DataTable, type Column } from "../../components";
import { Confidence } from "./EdgePanel";
import type { Link, Picture } from "./layout";
import { SORTS, sortLinks, type Sorting } from "./sorting";
import { linkWord, shortId } from "./words";

interface Props {
  picture: Picture;
  at: string | undefined;
  label: string;
  sorting: Sorting | undefined;
  onSort: ((sorting: Sorting) => void) | undefined;
  onEdge: ((edgeId: string) => void) | undefined;
  chosen: string | undefined;
}

/** The same as the picture, one row for each of its lines: for screen readers, and for copying. */
export function EdgeTable({ picture, at, label, sorting, onSort, onEdge, chosen }: Props) {
  const columns: Column<Link>[] = [
    { key: "source", label: "From", cell: (link) => <ColumnLink column={link.source} name={shortId(link.source)} at={at} /> },
    { key: "target", label: "To", cell: (link) => <ColumnLink column={link.target} name={shortId(link.target)} at={at} /> },
    {
      key: "how",
      label: "How",
      cell: (link) =>
        onEdge === undefined ? (
          linkWord(link)
        ) : (
          <button type="button" className="link edge-open" data-edge={link.id} aria-pressed={link.id === chosen} onClick={() => onEdge(link.id)}>
            {linkWord(link)}
            <span className="only-readers">
              : {link.source} to {link.target}, in detail
            </span>
          </button>
        ),
    },
    {
      key: "expression",
      label: "Expression",
      cell: (link) => (link.expression === "" ? "–" : <code className="mono name">{link.expression}</code>),
    },
    { key: "confidence", label: "Confidence", align: "right", cell: (link) => <Confidence edge={link} /> },
  ];
  return (
    <DataTable
      caption={label}
      columns={columns}
      rows={sortLinks(picture.links, sorting)}
      rowKey={(link) => link.id}
      sorted={sorting}
      onSort={onSort && ((by, down) => onSort({ by: SORTS.find((one) => one === by) ?? "source", down }))}
    />
  );
}

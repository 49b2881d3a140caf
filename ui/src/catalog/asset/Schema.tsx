import { Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { IconColumns3, IconLock } from "@tabler/icons-react";

import type { AssetColumn, AssetDetail } from "../../api";
import { ColumnLink, DataTable, EmptyState, StatusBadge, type Column } from "../../components";
import { ColumnTerm, ColumnText } from "../edit/Documentation";

interface Props {
  asset: AssetDetail;
  at: string | undefined;
}

/** The columns: what they hold, where they come from, which of them fail. */
export function AssetSchema({ asset, at }: Props) {
  if (asset.schema.length === 0) {
    return (
      <div className="panel">
        <EmptyState icon={IconColumns3} title="No columns are known">
          {asset.type === "view" ? "A view’s columns are recorded when it is run." : "Its source names none."}
        </EmptyState>
      </div>
    );
  }
  const columns: Column<AssetColumn>[] = [
    { key: "name", label: "Column", cell: (column) => <Named asset={asset} column={column} at={at} /> },
    { key: "type", label: "Type", cell: (column) => <span className="mono asset-type">{column.type}</span> },
    { key: "null", label: "Null", cell: (column) => (column.nullable ? <span className="quiet">allowed</span> : "never") },
    { key: "about", label: "What it is", cell: (column) => <ColumnText asset={asset} column={column} /> },
    { key: "term", label: "Term", wide: true, cell: (column) => <ColumnTerm asset={asset} column={column} /> },
    { key: "from", label: "Comes from", cell: (column) => <Sources column={column} at={at} /> },
  ];
  return (
    <div className="panel asset-schema">
      <DataTable caption={`Columns of ${asset.qualified_name}`} columns={columns} rows={asset.schema} rowKey={(column) => column.name} />
    </div>
  );
}

function Named({ asset, column, at }: Props & { column: AssetColumn }) {
  return (
    <span className="asset-column">
      <Link
        to="/assets/$assetId"
        params={{ assetId: asset.id }}
        search={{ at, tab: "lineage", col: column.name }}
        className="link name"
        title={`Lineage of ${column.name}`}
        resetScroll={false}
      >
        {column.name}
      </Link>
      {column.pii && (
        <Link to="/pii" search={{ table: asset.id, state: "all" }} className="badge asset-pii" data-tone="busy" title="Hidden in samples. What speaks for it, and who decided">
          <IconLock size={13} stroke={2} aria-hidden />
          personal data
        </Link>
      )}
      {column.failing && <StatusBadge word="failing" />}
    </span>
  );
}

const FEW = 3;

function Sources({ column, at }: { column: AssetColumn; at: string | undefined }) {
  if (column.upstream.length === 0) return <span className="quiet">here first, or not known</span>;
  const more = column.upstream.length - FEW;
  return (
    <span className="asset-sources">
      {column.upstream.slice(0, FEW).map((source) => (
        <ColumnLink key={source} column={source} at={at} />
      ))}
      {more > 0 && (
        <Text span size="sm" c="dimmed">
          and {more} more
        </Text>
      )}
    </span>
  );
}

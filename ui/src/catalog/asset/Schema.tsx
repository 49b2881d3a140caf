import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { IconColumns3, IconLock } from "@tabler/icons-react";

import { asProblem, type AssetColumn, type AssetDetail, type ProfiledColumnView } from "../../api";
import { profileQuery } from "../../api/profiles";
import { ColumnLink, DataTable, EmptyState, StatusBadge, type Column } from "../../components";
import { NONE } from "../../format/numbers";
import { ColumnTags, ColumnTerm, ColumnText } from "../edit/Column";
import { Distribution } from "../profile/Distribution";
import { distinctInWords, rowsRead, share } from "../profile/words";

interface Props {
  asset: AssetDetail;
  at: string | undefined;
}

/** The columns: what they hold, how their values look, where they come from, which of them fail. */
export function AssetSchema({ asset, at }: Props) {
  const inLake = asset.commit !== "";
  // Few older revisions have a profile: the tab of profiles asks for theirs.
  const query = useQuery({ ...profileQuery(asset.id, at), enabled: inLake && at === undefined && asset.schema.length > 0 });
  const profile = query.data;
  const profiled = new Map(profile?.columns.map((one) => [one.name.toLowerCase(), one]));
  const missing = profile === undefined && query.error !== null && asProblem(query.error).status === 404;
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
    {
      key: "null",
      label: "Null",
      cell: (column) => <Nulls column={column} profiled={profiled.get(column.name.toLowerCase())} rows={profile === undefined ? 0 : rowsRead(profile)} />,
    },
    ...(inLake
      ? [
          { key: "distinct", label: "Distinct", wide: "table" as const, align: "right" as const, cell: (column: AssetColumn) => <Distinct profiled={profiled.get(column.name.toLowerCase())} /> },
          { key: "bins", label: "Distribution", wide: true, cell: (column: AssetColumn) => <Values column={column} profiled={profiled.get(column.name.toLowerCase())} /> },
        ]
      : []),
    { key: "about", label: "What it is", cell: (column) => <ColumnText asset={asset} column={column} /> },
    {
      key: "term",
      label: "Term and tags",
      wide: "table",
      cell: (column) => (
        <>
          <ColumnTerm asset={asset} column={column} />
          <ColumnTags asset={asset} column={column} />
        </>
      ),
    },
    { key: "from", label: "Comes from", cell: (column) => <Sources column={column} at={at} /> },
  ];
  return (
    <div className="panel asset-schema">
      <DataTable caption={`Columns of ${asset.qualified_name}`} columns={columns} rows={asset.schema} rowKey={(column) => column.name} />
      {inLake && at !== undefined && (
        <p className="asset-unprofiled">
          How its values were spread then is in its{" "}
          <Link to="/assets/$assetId" params={{ assetId: asset.id }} search={{ at, tab: "profile" }} className="link" resetScroll={false}>
            profile
          </Link>
          .
        </p>
      )}
      {missing && (
        <p className="asset-unprofiled">
          Nobody looked at its values yet:{" "}
          <Link to="/assets/$assetId" params={{ assetId: asset.id }} search={{ at, tab: "profile" }} className="link" resetScroll={false}>
            profile it
          </Link>{" "}
          to see NULLs, distinct values and how they are spread.
        </p>
      )}
    </div>
  );
}

interface ProfiledProps {
  profiled: ProfiledColumnView | undefined;
}

/** The share that is NULL, where it was counted. */
function Nulls({ column, profiled, rows }: ProfiledProps & { column: AssetColumn; rows: number }) {
  if (!column.nullable) return "never";
  if (profiled === undefined) return <span className="quiet">allowed</span>;
  return (
    <span className="numbers" title="The share of rows where it is NULL">
      {share(profiled.nulls, rows)}
    </span>
  );
}

function Distinct({ profiled }: ProfiledProps) {
  return profiled === undefined ? <span className="quiet">{NONE}</span> : distinctInWords(profiled);
}

/** Of personal data nothing of the values is told. */
function Values({ column, profiled }: ProfiledProps & { column: AssetColumn }) {
  if (profiled === undefined) return <span className="quiet">{NONE}</span>;
  if (profiled.masked || column.pii) return <span className="quiet">hidden</span>;
  return <Distribution column={profiled} />;
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

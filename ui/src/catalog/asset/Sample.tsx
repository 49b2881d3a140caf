import { Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { IconListDetails, IconLock } from "@tabler/icons-react";

import { rowsQuery, systemQuery, type AssetDetail, type RowsView } from "../../api";
import { CopyCommand, EmptyState, QueryResult, type Column, DataTable } from "../../components";
import { plural } from "../../format/numbers";
import { isNumber, showValue } from "../../format/values";
import { RowBlame } from "../../versioning/history/RowBlame";
import { maskedInWords, queryCommand } from "./words";

const LIMIT = 50;

interface Props {
  asset: AssetDetail;
  at: string | undefined;
}

/** A few rows. Asked for only when this part is opened: of a view they cost a Spark job. */
export function AssetSample({ asset, at }: Props) {
  const query = useQuery(rowsQuery(asset.id, asset.commit, LIMIT));
  return (
    <QueryResult query={query} skeleton={<Waiting isView={asset.type === "view"} />}>
      {(sample) => <Rows asset={asset} at={at} sample={sample} />}
    </QueryResult>
  );
}

function Waiting({ isView }: { isView: boolean }) {
  const { data: system } = useQuery(systemQuery());
  const starts = system !== undefined && system.spark.state !== "ready";
  return (
    <Stack gap="sm">
      {isView && (
        <Text size="sm" role="status">
          {starts ? "Starting Spark, this takes some seconds. A view is computed when it is read." : "Spark computes the view…"}
        </Text>
      )}
      <Skeleton h={420} radius="md" />
    </Stack>
  );
}

function Rows({ asset, at, sample }: Props & { sample: RowsView }) {
  const masked = maskedInWords(sample.columns);
  const rows = sample.rows.map((values, number) => ({ number, values }));
  if (rows.length === 0) {
    return (
      <div className="panel">
        <EmptyState icon={IconListDetails} title={`${asset.qualified_name} has no rows at this version`} />
      </div>
    );
  }
  return (
    <Stack gap="sm">
      {masked !== null && (
        <div className="masked-note">
          <IconLock size={16} aria-hidden />
          <span className="name">{masked}. Their values are not shown here, and for tables not even read.</span>
        </div>
      )}
      <div className="panel sample">
        <DataTable caption={`Rows of ${asset.qualified_name}`} columns={columnsOf(asset, sample)} rows={rows} rowKey={(row) => String(row.number)} narrow="scroll" />
      </div>
      <Text size="sm" c="dimmed">
        {sample.truncated ? `The first ${plural(rows.length, "row")} in no certain order. More, and with conditions, in the terminal:` : `All ${plural(rows.length, "row")}. The same in the terminal:`}
      </Text>
      <CopyCommand command={queryCommand(asset.qualified_name, at)} />
    </Stack>
  );
}

interface Row {
  number: number;
  values: unknown[];
}

function columnsOf(asset: AssetDetail, sample: RowsView): Column<Row>[] {
  const shown = (row: Row): Record<string, unknown> =>
    Object.fromEntries(sample.columns.flatMap((column, index) => (column.masked ? [] : [[column.name, row.values[index]]])));
  const columns = sample.columns.map((column, index) => ({
    key: column.name,
    label: column.masked ? `${column.name} (hidden)` : column.name,
    align: isNumber(column.type) && !column.masked ? ("right" as const) : ("left" as const),
    cell: (row: Row) => <Value value={row.values[index]} masked={column.masked} />,
  }));
  // A view has no rows of its own that someone wrote.
  if (asset.type === "view") return columns;
  return [...columns, { key: " who", label: "Written by", cell: (row) => <RowBlame table={asset.qualified_name} commit={asset.commit} row={shown(row)} /> }];
}

function Value({ value, masked }: { value: unknown; masked: boolean }) {
  if (masked) {
    return (
      <span className="quiet" title="Personal data, not shown">
        <span aria-hidden>•••</span>
        <span className="only-readers">hidden</span>
      </span>
    );
  }
  const shown = showValue(value);
  return shown === null ? <span className="quiet null">NULL</span> : <span className="sample-value" title={shown.length > 40 ? shown : undefined}>{shown}</span>;
}

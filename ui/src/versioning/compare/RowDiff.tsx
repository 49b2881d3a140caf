import { Skeleton, Text } from "@mantine/core";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { IconEqual } from "@tabler/icons-react";

import type { RowChangeView, TableDiffView } from "../../api";
import { diffQuery } from "../../api/versioning";
import { EmptyState, QueryResult } from "../../components";
import { Pager } from "../../components/Pager";
import { plural } from "../../format/numbers";
import { isNumber, showValue } from "../../format/values";
import { SIGNS } from "../merge/words";

const SIZE = 25;

interface Props {
  base: string;
  compare: string;
  table: string;
  page: number;
  onPage: (page: number) => void;
}

/** The rows that came, went or changed, by key. */
export function RowDiff({ base, compare, table, page, onPage }: Props) {
  const wanted = { base, compare, table, limit: SIZE, offset: (page - 1) * SIZE };
  const query = useQuery({ ...diffQuery(wanted), placeholderData: keepPreviousData });
  return (
    <QueryResult query={query} skeleton={<Skeleton h={360} radius="md" />}>
      {({ tables }) => {
        const diff = tables.find((one) => one.table === table);
        if (diff === undefined || diff.rows.length === 0) return <NoRows schema={diff?.schema_changes.length ?? 0} />;
        return (
          <div aria-busy={query.isPlaceholderData} style={{ opacity: query.isPlaceholderData ? 0.6 : 1 }}>
            <ChangedRows diff={diff} />
            <Pager page={page} size={SIZE} total={diff.inserted + diff.updated + diff.deleted} hasMore={diff.has_more} what="changed rows" onPage={onPage} />
          </div>
        );
      }}
    </QueryResult>
  );
}

function NoRows({ schema }: { schema: number }) {
  return (
    <EmptyState icon={IconEqual} title="No row differs">
      {schema > 0 ? `${plural(schema, "column change")}: see schema.` : "The files were written anew; their rows are the same."}
    </EmptyState>
  );
}

export function ChangedRows({ diff }: { diff: TableDiffView }) {
  const keyed = diff.key.length > 0;
  const columns = [...diff.columns].sort((one, other) => Number(diff.key.includes(other.name)) - Number(diff.key.includes(one.name)));
  return (
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex -- what scrolls must be reachable by keyboard
    <div className="table-region" role="region" aria-label={`Changed rows of ${diff.table}`} tabIndex={0}>
      <table className="table row-diff">
        <caption className="only-readers">Changed rows of {diff.table}</caption>
        <thead>
          <tr>
            <th scope="col">
              <span className="only-readers">Change</span>
            </th>
            {!keyed && <th scope="col">Times</th>}
            {columns.map((column) => (
              <th key={column.name} scope="col" data-align={isNumber(column.type) && !column.masked ? "right" : undefined}>
                {column.name}
                {diff.key.includes(column.name) && <span className="key-mark"> key</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {diff.rows.map((row, index) => (
            <tr key={index} data-kind={row.kind}>
              <th scope="row" className="row-sign" data-tone={SIGNS[row.kind].tone}>
                <span aria-hidden title={row.kind}>
                  {SIGNS[row.kind].sign}
                </span>
                <span className="only-readers">{row.kind}</span>
              </th>
              {!keyed && <td>{row.count > 1 ? `× ${row.count}` : ""}</td>}
              {columns.map((column) => (
                <td key={column.name} data-align={isNumber(column.type) && !column.masked ? "right" : undefined}>
                  <Cell row={row} name={column.name} masked={column.masked} isKey={diff.key.includes(column.name)} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface CellProps {
  row: RowChangeView;
  name: string;
  masked: boolean;
  isKey: boolean;
}

function Cell({ row, name, masked, isKey }: CellProps) {
  if (row.kind === "updated" && row.columns.includes(name)) {
    return (
      <span className="cell-change">
        <del>
          <Value value={row.before?.[name]} masked={masked} />
        </del>
        <span className="cell-new">
          <span aria-hidden>→</span>
          <ins>
            <Value value={row.after?.[name]} masked={masked} />
          </ins>
        </span>
      </span>
    );
  }
  const value = isKey ? row.key[name] : (row.after ?? row.before ?? row.key)[name];
  const shown = <Value value={value ?? row.key[name]} masked={masked} />;
  if (isKey) return <strong>{shown}</strong>;
  if (row.kind === "updated") return <span className="cell-same">{shown}</span>;
  return row.kind === "deleted" ? <del className="cell-gone">{shown}</del> : shown;
}

export function Value({ value, masked }: { value: unknown; masked: boolean }) {
  if (masked) {
    return (
      <span title="Personal data, not shown">
        <span aria-hidden>•••</span>
        <span className="only-readers">hidden</span>
      </span>
    );
  }
  const shown = showValue(value);
  if (shown === null)
    return (
      <Text span inherit c="dimmed" fs="italic">
        NULL
      </Text>
    );
  return <span title={shown.length > 40 ? shown : undefined}>{shown.length > 60 ? `${shown.slice(0, 59)}…` : shown}</span>;
}

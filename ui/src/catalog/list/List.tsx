import { Text } from "@mantine/core";
import { IconColumns3, IconEye, IconTable, type Icon } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";

import type { AssetView, SearchHit } from "../../api";
import { DataTable, RelativeTime, StatusBadge, TableLink, type Column } from "../../components";
import { bytes, count, NONE } from "../../format/numbers";
import { plainLine } from "../markdown/parse";
import { checksInWords, markWords, whyFound } from "./words";

const SIGNS: Partial<Record<SearchHit["type"], Icon>> = { table: IconTable, view: IconEye, column: IconColumns3 };

interface Props {
  hits: readonly SearchHit[];
  words: readonly string[];
}

export function AssetList({ hits, words }: Props) {
  return <DataTable caption="Tables and views" columns={assetColumns(words)} rows={hits} rowKey={(hit) => hit.id} />;
}

export function ColumnList({ hits, words }: Props) {
  return <DataTable caption="Columns" columns={columnColumns(words)} rows={hits} rowKey={(hit) => hit.id} />;
}

function assetColumns(words: readonly string[]): Column<SearchHit>[] {
  return [
    { key: "name", label: "Asset", cell: (hit) => <Named hit={hit} words={words} /> },
    { key: "state", label: "State", cell: (hit) => <State asset={hit.asset} /> },
    { key: "rows", label: "Rows", align: "right", cell: ({ asset }) => count(asset?.row_count) },
    { key: "size", label: "Size", align: "right", wide: true, cell: ({ asset }) => bytes(asset?.size_bytes) },
    { key: "fresh", label: "Changed", cell: ({ asset }) => <RelativeTime time={asset?.updated_at} /> },
    { key: "owner", label: "Owner", wide: true, cell: ({ owner }) => <Owner owner={owner} /> },
  ];
}

function columnColumns(words: readonly string[]): Column<SearchHit>[] {
  return [
    { key: "name", label: "Column", cell: (hit) => <Named hit={hit} words={words} /> },
    { key: "table", label: "Of", cell: (hit) => <TableLink table={hit.table} /> },
    { key: "owner", label: "Owner", wide: true, cell: ({ owner }) => <Owner owner={owner} /> },
  ];
}

function Named({ hit, words }: { hit: SearchHit; words: readonly string[] }) {
  const Sign = SIGNS[hit.type] ?? IconTable;
  const why = whyFound(hit, words);
  const isColumn = hit.type === "column";
  return (
    <div className="assets-named">
      <Sign size={18} stroke={1.7} aria-hidden className="assets-sign" />
      <div style={{ minWidth: 0 }}>
        <div className="assets-title">
          <Link
            to="/assets/$assetId"
            params={{ assetId: hit.table }}
            search={isColumn ? { tab: "lineage", col: hit.name } : {}}
            className="link name assets-name"
          >
            <Marked text={hit.qualified_name} words={words} />
          </Link>
          {hit.type === "view" && <span className="assets-kind">view</span>}
          {!isColumn && <Tags tags={hit.tags} />}
          {why !== null && <span className="assets-why">{why}</span>}
        </div>
        {hit.description !== "" && (
          <Text size="sm" c="dimmed" lineClamp={2} className="assets-about">
            <Marked text={plainLine(hit.description)} words={words} />
          </Text>
        )}
      </div>
    </div>
  );
}

function Marked({ text, words }: { text: string; words: readonly string[] }) {
  return markWords(text, words).map((piece, index) => (piece.marked ? <mark key={index}>{piece.text}</mark> : piece.text));
}

function State({ asset }: { asset: AssetView | null | undefined }) {
  if (asset == null) return NONE;
  return (
    <div>
      <StatusBadge word={asset.state} />
      <Text size="xs" c="dimmed" mt={3} className="assets-checks">
        {checksInWords(asset)}
      </Text>
    </div>
  );
}

function Owner({ owner }: { owner: string | null | undefined }) {
  if (owner == null) return <Text span size="sm" c="dimmed">nobody</Text>;
  return (
    <Link from="/assets" to="/assets" search={(before) => ({ ...before, owners: [owner] })} className="quiet-link assets-owner">
      {owner}
    </Link>
  );
}

function Tags({ tags }: { tags: readonly string[] }) {
  if (tags.length === 0) return null;
  return (
    <span className="assets-tags">
      <span className="only-readers">Tags: </span>
      {tags.map((tag) => (
        <Link key={tag} from="/assets" to="/assets" search={(before) => ({ ...before, tags: [tag] })} className="tag">
          {tag}
        </Link>
      ))}
    </span>
  );
}

import { Link } from "@tanstack/react-router";
import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import {
  IconBox,
  IconCircleX,
  IconEyeOff,
  IconLayoutDashboard,
  IconLogin2,
  IconMinus,
  IconReportAnalytics,
  IconSettingsAutomation,
  IconShieldCheck,
  type Icon,
} from "@tabler/icons-react";
import { memo } from "react";

import type { Columns, Way } from "./choice";
import { feetOf, HEAD_HEIGHT, type Card, type PictureColumn } from "./layout";
import { cardSubtitle, footWord } from "./words";

interface CardData extends Record<string, unknown> {
  card: Card;
  root: string;
  bad: ReadonlySet<string>;
  origin: string | undefined;
  spared: ReadonlySet<string>;
  at: string | undefined;
  onColumn: (id: string) => void;
  onColumns: (table: string, columns: Columns) => void;
  onNear: (way: Way, table: string, steps: number | undefined) => void;
}

export type CardNodeType = Node<CardData, "card">;

const ICONS: Record<string, Icon> = {
  dashboard: IconLayoutDashboard,
  report: IconReportAnalytics,
  model: IconBox,
  transform: IconSettingsAutomation,
  pipeline: IconSettingsAutomation,
  process: IconSettingsAutomation,
};

export const CardNode = memo(function CardNode({ data }: NodeProps<CardNodeType>) {
  const { card } = data;
  return (
    <>
      <Handle type="target" position={Position.Left} id="in" />
      <Handle type="source" position={Position.Right} id="out" />
      <div className="card" data-table={card.id} data-external={card.external || undefined} data-inside={card.inside || undefined} data-root={data.root === card.table || undefined}>
        <div className="card-head" data-only={card.height <= HEAD_HEIGHT || undefined}>
          <CardName data={data} />
          <span className="card-owner" title={cardSubtitle(card)}>
            {cardSubtitle(card)}
          </span>
        </div>
        {card.columns.map((column) => (
          <ColumnRow key={column.id} column={column} data={data} />
        ))}
        {feetOf(card).map((foot) => (
          <Foot key={foot} foot={foot} data={data} />
        ))}
      </div>
      <Fold card={card} way="up" onNear={data.onNear} />
      <Fold card={card} way="down" onNear={data.onNear} />
    </>
  );
});

function CardName({ data }: { data: CardData }) {
  const { card } = data;
  const Sign = ICONS[card.kind];
  if (card.isData && card.inCatalog) {
    return (
      <Link
        to="/assets/$assetId"
        params={{ assetId: card.table }}
        search={data.at === undefined ? {} : { at: data.at }}
        className="card-name quiet-link nodrag"
        title={card.table}
        aria-label={card.table}
        data-failing={card.failing || undefined}
      >
        {card.name}
      </Link>
    );
  }
  // What is shown may be cut; what is read aloud is whole, and begins with what is shown.
  const label = [Sign && card.kind, card.table.endsWith(card.name) ? card.table : `${card.name}, ${card.table}`].filter(Boolean).join(" ");
  return (
    <button
      type="button"
      className="card-name card-plain nodrag"
      title={card.table}
      aria-label={label}
      data-column={card.isData ? undefined : card.id}
      onClick={() => data.onColumn(card.id)}
    >
      {Sign !== undefined && <Sign size={14} stroke={1.8} aria-hidden />}
      <span className="card-plain-name">{card.name}</span>
    </button>
  );
}

/** Hides the neighbours that are shown because of this card. */
function Fold({ card, way, onNear }: { card: Card; way: Way; onNear: CardData["onNear"] }) {
  if (card[way].shown === 0) return null;
  const label = way === "up" ? `Hide what ${card.table} comes from` : `Hide what ${card.table} goes to`;
  return (
    <button type="button" className="card-fold nodrag" data-way={way} aria-label={label} title={label} onClick={() => onNear(way, card.table, 0)}>
      <IconMinus size={11} stroke={2.4} aria-hidden />
    </button>
  );
}

function ColumnRow({ column, data }: { column: PictureColumn; data: CardData }) {
  const { state, word } = stateOf(column, data);
  return (
    <div className="card-row">
      <button
        type="button"
        className="card-column nodrag"
        data-column={column.id}
        data-state={state}
        data-root={data.root === column.id || undefined}
        data-untouched={!column.touched || undefined}
        title={[column.id, column.dataType, word].filter(Boolean).join(" · ")}
        onClick={() => data.onColumn(column.id)}
      >
        <span className="card-label">
          <StateSign state={state} />
          <span className="only-readers">{data.card.table}.</span>
          <span className="card-column-name">{column.name}</span>
          {column.pii && <IconEyeOff size={13} aria-label="personal data" />}
        </span>
        <span className="card-type">{word === "" ? column.dataType : word}</span>
      </button>
    </div>
  );
}

type State = "failing" | "origin" | "passing" | "spared" | undefined;

function stateOf(column: PictureColumn, data: CardData): { state: State; word: string } {
  const bad = data.bad.has(column.id);
  if (column.id === data.origin) return { state: "origin", word: "came in here" };
  if (column.failing || (bad && data.root === column.id)) return { state: "failing", word: "check failed" };
  if (data.spared.has(column.id)) return { state: "spared", word: "spared" };
  return bad ? { state: "passing", word: "passed on" } : { state: undefined, word: "" };
}

function StateSign({ state }: { state: State }) {
  if (state === "failing") return <IconCircleX size={14} aria-hidden />;
  if (state === "origin") return <IconLogin2 size={14} aria-hidden />;
  if (state === "spared") return <IconShieldCheck size={14} aria-hidden />;
  return null;
}

const NEXT: Record<Columns, Columns> = { all: "few", few: "all", none: "few" };

function Foot({ foot, data }: { foot: "columns" | "up" | "down"; data: CardData }) {
  const { card } = data;
  const text = footWord(card, foot);
  if (foot === "columns") {
    return (
      <button type="button" className="card-more nodrag" title={text} aria-label={`${text}: columns of ${card.table}`} onClick={() => data.onColumns(card.table, NEXT[card.state])}>
        {text}
      </button>
    );
  }
  const { steps } = card[foot];
  // Hidden by hand: they come back as they were.
  const next = steps === 0 ? undefined : (steps ?? 0) + 1;
  return (
    <button type="button" className="card-more nodrag" title={text} aria-label={`Show ${text.slice(2)} of ${card.table}`} onClick={() => data.onNear(foot, card.table, next)}>
      {text}
    </button>
  );
}

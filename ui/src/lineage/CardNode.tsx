import { Link } from "@tanstack/react-router";
import { Handle, Position, type Node, type NodeProps } from "@xyflow/react";
import { IconCircleX, IconEyeOff, IconLogin2, IconShieldCheck } from "@tabler/icons-react";
import { memo } from "react";

import type { Card, PictureColumn } from "./layout";

interface CardData extends Record<string, unknown> {
  card: Card;
  root: string;
  bad: ReadonlySet<string>;
  origin: string | undefined;
  spared: ReadonlySet<string>;
  vertical: boolean;
  onColumn: (qualifiedName: string) => void;
  onToggle: (table: string) => void;
}

export type CardNodeType = Node<CardData, "card">;

export const CardNode = memo(function CardNode({ data }: NodeProps<CardNodeType>) {
  const { card } = data;
  return (
    <div className="card" data-external={card.external || undefined} data-root={data.root === card.table || undefined}>
      <div className="card-head">
        <Handle type="target" position={Position.Left} id={`${card.table}:left`} />
        <div className="card-names">
          {card.external ? (
            <span className="card-name" title={card.table}>
              {card.name}
            </span>
          ) : (
            <Link
              to="/assets/$assetId"
              params={{ assetId: card.table }}
              className="card-name quiet-link nodrag"
              title={card.table}
              aria-label={card.table}
            >
              {card.name}
            </Link>
          )}
          <span className="card-owner" title={card.owner ?? undefined}>
            {subtitle(card)}
          </span>
        </div>
        <Handle type="source" position={Position.Right} id={`${card.table}:right`} />
      </div>
      {card.columns.map((column) => (
        <ColumnRow key={column.id} column={column} data={data} />
      ))}
      <More card={card} onToggle={data.onToggle} />
    </div>
  );
});

/** The schema and whose it is: "marts · sven". */
function subtitle(card: Card): string {
  if (card.external) return `outside · ${card.place}`;
  const place = card.kind === "view" ? `${card.place} view` : card.place;
  return card.owner === null ? place : `${place} · ${card.owner.split("@")[0] ?? ""}`;
}

function ColumnRow({ column, data }: { column: PictureColumn; data: CardData }) {
  const { state, word } = stateOf(column, data);
  return (
    <div className="card-row">
      <Handle type="target" position={Position.Left} id={`${column.id}:left`} />
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
      <Handle
        type="source"
        position={data.vertical ? Position.Left : Position.Right}
        id={`${column.id}:${data.vertical ? "left" : "right"}`}
      />
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

function More({ card, onToggle }: { card: Card; onToggle: (table: string) => void }) {
  if (card.external || (card.more === 0 && !card.opened)) return null;
  const text = card.opened ? "show fewer" : card.more === null ? "all columns" : `+ ${card.more} more`;
  return (
    <button
      type="button"
      className="card-more nodrag"
      aria-label={`${text}: columns of ${card.table}`}
      onClick={() => onToggle(card.table)}
    >
      {text}
    </button>
  );
}

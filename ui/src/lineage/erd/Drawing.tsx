import { useElementSize } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { IconKey, IconLink } from "@tabler/icons-react";

import type { ErdView } from "../../api";
import { Name } from "../../components";
import { isLakeTable } from "../../format/names";
import { layOutErd, type ErdCard, type ErdLine } from "./layout";
import { keysOf, relationInWords, type Relation } from "./words";

interface Props {
  erd: ErdView;
  relations: readonly Relation[];
  label: string;
  at: string | undefined;
  open: readonly string[];
  chosen: string | undefined;
  onOpen: (table: string) => void;
  onChoose: (relation: string) => void;
}

const UNMEASURED = 1000;

/** Tables as cards, and lines between what belongs together. What does not fit is scrolled to. */
export function Drawing({ erd, relations, label, at, open, chosen, onOpen, onChoose }: Props) {
  const { ref, width } = useElementSize();
  const picture = layOutErd(erd.tables, relations, width === 0 ? UNMEASURED : width, open);
  return (
    // What scrolls must be reachable by keyboard.
    // eslint-disable-next-line jsx-a11y-x/no-noninteractive-tabindex
    <div className="erd-frame" ref={ref} role="region" aria-label={label} tabIndex={0}>
      <div className="erd-ground" style={{ width: picture.width, height: picture.height }}>
        <svg className="erd-lines" width={picture.width} height={picture.height} role="group" aria-label="Relations">
          {picture.lines.map((line) => (
            <Line key={line.id} line={line} chosen={line.id === chosen} onChoose={onChoose} />
          ))}
        </svg>
        {picture.cards.map((card) => (
          <Card key={card.table.name} card={card} at={at} open={open.includes(card.table.name)} onOpen={onOpen} />
        ))}
      </div>
    </div>
  );
}

function Line({ line, chosen, onChoose }: { line: ErdLine; chosen: boolean; onChoose: Props["onChoose"] }) {
  return (
    <g
      className="erd-relation"
      role="button"
      tabIndex={0}
      aria-label={relationInWords(line.relation)}
      aria-pressed={chosen}
      onClick={() => onChoose(line.id)}
      onKeyDown={(event) => {
        if (event.key !== "Enter" && event.key !== " ") return;
        event.preventDefault();
        onChoose(line.id);
      }}
    >
      <title>{relationInWords(line.relation)}</title>
      <path className="erd-reach" d={line.path} />
      <path className="erd-line" data-look={line.look} d={line.path} />
    </g>
  );
}

function Card({ card, at, open, onOpen }: { card: ErdCard; at: string | undefined; open: boolean; onOpen: Props["onOpen"] }) {
  const { table } = card;
  return (
    <section className="erd-card" aria-label={table.name} data-outside={table.outside || undefined} style={{ left: card.x, top: card.y, width: card.width, height: card.height }}>
      <h3 className="erd-head">
        <TableName name={table.name} at={at} />
        {table.outside && <span className="only-readers">, of another schema</span>}
      </h3>
      <ul className="erd-columns">
        {card.columns.map((column) => (
          <li key={column.name} data-key={column.primary_key || undefined}>
            <span className="erd-column">
              {column.primary_key && <IconKey size={13} aria-label="primary key" />}
              {column.foreign_key && <IconLink size={13} aria-label="foreign key" />}
              <span className="erd-column-name" title={[column.name, keysOf(column)].filter(Boolean).join(" · ")}>
                {column.name}
              </span>
            </span>
            <span className="erd-column-type">{column.data_type ?? ""}</span>
          </li>
        ))}
      </ul>
      {card.foot && (
        <button type="button" className="erd-more" aria-expanded={open} onClick={() => onOpen(table.name)}>
          {open ? "Fewer columns" : `+ ${card.more} more`}
          <span className="only-readers"> of {table.name}</span>
        </button>
      )}
    </section>
  );
}

/** A table of the lake has a page of its own; what only lineage knows has its lineage. */
export function TableName({ name, at }: { name: string; at: string | undefined }) {
  if (!isLakeTable(name)) {
    return (
      <Link to="/lineage" search={{ focus: name, at }} className="quiet-link name">
        <Name text={name} />
      </Link>
    );
  }
  return (
    <Link to="/assets/$assetId" params={{ assetId: name }} search={{ at }} className="quiet-link name">
      <Name text={name} />
    </Link>
  );
}

"""An ERD as SVG: connected tables side by side, isolated tables in rows below."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from forge.lineage.erd.text import keys_of
from forge.lineage.graph.layout import arrange
from forge.lineage.svg import Card, CardRow, Curve, card_height, drawn

if TYPE_CHECKING:
    from forge.lineage.erd.diagram import Erd, ErdTable

MOST_COLUMNS = 30
MOST_TABLES = 300
ABREAST = 5  # isolated tables per row
_CARDINALITY = {"one_to_one": "1 : 1", "many_to_one": "n : 1", "unknown": ""}


def svg_of(erd: Erd) -> str:
    """Both themes, no script, nothing loaded. Above `MOST_TABLES` it says how many are not drawn: those without a
    relation first."""
    joined = {name for key in erd.foreign_keys for name in (key.table, key.to_table)}
    joined |= {name for join in erd.joins for name in (join.table, join.to_table)}
    joined |= {name for flow in erd.flows for name in (flow.source, flow.target)}
    tables = sorted(erd.tables, key=lambda table: (table.name not in joined, table.name))[:MOST_TABLES]
    missing = len(erd.tables) - len(tables)
    cards = {table.name: _card(table) for table in tables}
    curves = [curve for curve in _curves(erd, cards) if curve.source[0] in cards and curve.target[0] in cards]
    pairs = {(curve.source[0], curve.target[0]) for curve in curves}
    layers: dict[int, list[Card]] = defaultdict(list)
    for name, layer, _ in arrange(cards.keys() & joined, pairs):
        layers[layer].append(cards[name])
    alone = [cards[table.name] for table in tables if table.name not in joined]
    columns = [layers[layer] for layer in sorted(layers)]
    notes = ["dashed: data comes from there"] if erd.flows else []
    if erd.joins:
        notes.append("dotted: a join inferred from code; no key is declared")
    if missing:
        notes.append(f"{missing} more tables are not drawn.")
    where = f"the schema {erd.schema}" if erd.schema else "all schemas"
    return drawn(
        _with(columns, alone),
        curves,
        label=f"Tables of {where}: {len(erd.tables)}, with {len(erd.foreign_keys)} foreign keys"
        + (f" and {len(erd.joins)} inferred joins" if erd.joins else ""),
        width=250,
        notes=notes,
    )


def _with(columns: list[list[Card]], alone: list[Card]) -> list[list[Card]]:
    """Each isolated table goes to the end of the shortest column."""
    count = max(len(columns), min(ABREAST, len(alone)))
    found = [*columns, *([] for _ in range(count - len(columns)))]
    heights = [sum(card_height(card) for card in column) for column in found]
    for card in alone:
        shortest = heights.index(min(heights))
        found[shortest].append(card)
        heights[shortest] += card_height(card)
    return found


def _card(table: ErdTable) -> Card:
    rows = [
        CardRow(
            column.name,
            f"{keys_of(column)} {column.name}".strip(),
            column.data_type + ("?" if column.nullable and column.data_type else ""),
            bold=column.primary_key,
        )
        for column in table.columns[:MOST_COLUMNS]
    ]
    more = len(table.columns) - MOST_COLUMNS
    if more > 0:
        rows.append(CardRow("", "", f"+{more} more"))
    note = table.type if table.type != "table" else ""
    return Card(table.name, table.name, note, tuple(rows), "outside" if table.outside else "")


def _curves(erd: Erd, cards: dict[str, Card]) -> list[Curve]:
    def row(table: str, columns: tuple[str, ...]) -> str:
        rows = {one.key for one in cards[table].rows} if table in cards else set()
        return columns[0] if columns and columns[0] in rows else ""

    keys = [
        Curve(
            (key.table, row(key.table, key.columns)),
            (key.to_table, row(key.to_table, key.to_columns)),
            "1 : 1" if key.one else "n : 1",
            "\n".join(
                (
                    f"{key.table} ({', '.join(key.columns)}) → {key.to_table} ({', '.join(key.to_columns)})",
                    *(one.text for one in key.evidence),
                )
            ),
        )
        for key in erd.foreign_keys
    ]
    flows = [
        Curve(
            (flow.source, ""),
            (flow.target, ""),
            title=f"{flow.source} → {flow.target}\n{flow.edges} edges · confidence {flow.confidence:.2f}",
            tones=("dashed", "thin") if flow.confidence < 0.8 else ("dashed",),
        )
        for flow in erd.flows
    ]
    joins = [
        Curve(
            (join.table, row(join.table, join.columns)),
            (join.to_table, row(join.to_table, join.to_columns)),
            f"inferred {_CARDINALITY[join.cardinality]}".rstrip(),
            f"inferred: {join.table} ({', '.join(join.columns)}) – {join.to_table} ({', '.join(join.to_columns)})\n"
            + "\n".join(one.text for one in join.evidence),
            tones=("dotted",),
        )
        for join in erd.joins
    ]
    return [*keys, *joins, *flows]

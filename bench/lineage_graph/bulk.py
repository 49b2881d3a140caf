"""Bulk load of a large generated graph into an empty store, as many small writes would: no lookups, and indexes are
built last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, Table, select, update

from forge.lineage.edge import Transformation
from forge.lineage.facts.claim import WriteCounts
from forge.lineage.facts.moment import to_micros
from forge.lineage.node import Entity
from forge.stores.sql.database import writing
from forge.stores.sql.lineage.rows import node_row
from forge.stores.sql.tables import lineage_facts, lineage_nodes, lineage_producers, lineage_state

_ROWS = 10_000  # in one revision, so that those who keep a copy can follow in steps
T = TypeVar("T")
# source, target (places among the nodes, from 1), code of the kind, confidence, valid_from, valid_to (microseconds,
# `OPEN` for no end)
NumberedEdge = tuple[int, int, int, float, int, int]


def bulk_load(
    engine: Engine, nodes: Iterable[Entity], edges: Iterable[NumberedEdge], *, producer: str, at: datetime
) -> WriteCounts:
    with writing(engine) as connection:
        connection.execute(select(lineage_state).with_for_update())
        return _load(connection, nodes, edges, producer, at)


def _load(
    connection: Connection, nodes: Iterable[Entity], edges: Iterable[NumberedEdge], producer: str, at: datetime
) -> WriteCounts:
    """Each node comes after its parent, no edge and no node twice."""
    if connection.execute(select(lineage_producers.c.number).limit(1)).first() is not None:
        raise ValueError("only an empty store can be filled at once")
    started = to_micros(at)
    connection.execute(lineage_producers.insert(), [{"number": 1, "name": producer, "newest": started}])
    indexes = [*lineage_nodes.indexes, *lineage_facts.indexes]
    for index in indexes:
        index.drop(connection)
    revision, numbers = 0, _Numbers()
    for part in _parts(nodes):
        revision += 1
        rows = [node_row(numbers.give(entity), entity, numbers.parent(entity), started, revision) for entity in part]
        _add(connection, lineage_nodes, [tuple(row.values()) for row in rows])
    bare, added = tuple(_bare_claim(started).values()), 0
    for some in _parts(edges):
        revision += 1
        added += len(some)
        _add(connection, lineage_facts, [(*edge, 1, revision, *bare) for edge in some])
    for index in indexes:
        index.create(connection)
    connection.execute(update(lineage_state).values(revision=revision))
    return WriteCounts(revision, added=added, nodes=len(numbers.of))


def _add(connection: Connection, table: Table, rows: list[tuple[Any, ...]]) -> None:
    """By the driver itself: the values are what it takes, in the order of the columns but those it numbers itself."""
    names = [column.name for column in table.c if column is not table.autoincrement_column]
    statement = str(table.insert().compile(dialect=connection.dialect, column_keys=names))
    if connection.dialect.positional:
        connection.exec_driver_sql(statement, rows)
    else:
        connection.exec_driver_sql(statement, [dict(zip(names, row, strict=True)) for row in rows])


class _Numbers:
    def __init__(self) -> None:
        self.of: dict[str, int] = {}

    def give(self, entity: Entity) -> int:
        return self.of.setdefault(entity.id, len(self.of) + 1)

    def parent(self, entity: Entity) -> int:
        return self.of[entity.owner] if entity.owner else 0


def _bare_claim(started: int) -> dict[str, Any]:
    """A claim without evidence or expression, as it is stored and in the order of the columns."""
    return {
        "created_at": started,
        "masking": False,
        "transformation": str(Transformation.UNKNOWN),
        "expression": "",
        "actor": "",
        "metadata": "{}",
        "evidence": "[]",
    }


def _parts(values: Iterable[T]) -> Iterator[list[T]]:
    given = iter(values)
    while part := list(islice(given, _ROWS)):
        yield part

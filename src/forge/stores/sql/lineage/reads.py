"""Reads of the graph tables: as arrays for the index, as nodes and edges for results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import ColumnElement, Connection, Engine, and_, literal, or_, select, union

from forge.lineage.facts.fact import EdgeFact, EdgeKey, EdgeVersion, NodeFact, versions_of
from forge.lineage.facts.moment import time_of, to_micros
from forge.lineage.graph.store import GraphArrays, StoreChanges
from forge.lineage.kind import kind_of
from forge.lineage.node import NODE_TYPES, Node, NodeType
from forge.stores.lineage_rules import StoredNode, entity_of, nearest_first, node_of, words_of
from forge.stores.sql.database import reading
from forge.stores.sql.lineage.rows import (
    NODE_CODE,
    Pair,
    Row,
    fact_of,
    find_entities,
    find_facts,
    find_node_facts,
    find_producers,
    node_fact_of,
    tail_of,
)
from forge.stores.sql.statements import batches
from forge.stores.sql.tables import (
    lineage_facts,
    lineage_gone,
    lineage_node_facts,
    lineage_nodes,
    lineage_producers,
    lineage_state,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ROWS = 50_000  # read at once
_CONTAINERS = 20  # that a name may mean
_LAST = "\U0010ffff"  # after every other character
_NODE_COLUMNS = lineage_nodes.c.number, lineage_nodes.c.type, lineage_nodes.c.parent
_FACT_COLUMNS = tuple(
    lineage_facts.c[name] for name in ("source", "target", "kind", "confidence", "valid_from", "valid_to")
)
_NODE_TYPES = ("i4", "u1", "i4")
_FACT_TYPES = ("i4", "i4", "u2", "f8", "i8", "i8")


@contextmanager
def steadily(engine: Engine) -> Iterator[Connection]:
    """All that is read is of one moment. SQLite does so by itself."""
    with reading(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.execution_options(isolation_level="REPEATABLE READ")
        yield connection


def read_revision(connection: Connection) -> int:
    return int(connection.execute(select(lineage_state.c.revision)).scalar_one())


def read_arrays(connection: Connection) -> GraphArrays:
    revision = read_revision(connection)
    nodes = _columns(connection, select(*_NODE_COLUMNS), _NODE_TYPES)
    return GraphArrays.of(revision, nodes, _columns(connection, select(*_FACT_COLUMNS), _FACT_TYPES))


def read_changes(connection: Connection, since: int) -> GraphArrays:
    revision = read_revision(connection)
    new = select(*_NODE_COLUMNS).where(lineage_nodes.c.revision > since)
    f, edge = lineage_facts, _touched_edges(since, revision).subquery("edge")
    same = and_(f.c.source == edge.c.source, f.c.target == edge.c.target, f.c.kind == edge.c.kind)
    found = select(*_FACT_COLUMNS).join_from(edge, f, same)
    over = select(edge.c.source, edge.c.target, edge.c.kind, literal(0.0), literal(0), literal(0))
    over = over.join_from(edge, f, same, isouter=True).where(f.c.id.is_(None))
    facts, ended = (_columns(connection, query, _FACT_TYPES) for query in (found, over))
    import numpy as np

    both = (np.concatenate(pair) for pair in zip(facts, ended, strict=True))
    return GraphArrays.of(revision, _columns(connection, new, _NODE_TYPES), both)


def read_declared(connection: Connection, at: datetime | None) -> NDArray:  # type: ignore[type-arg]
    f = lineage_node_facts.c
    moment = to_micros(at)
    held = f.valid_to == moment if at is None else and_(f.valid_from <= moment, f.valid_to > moment)
    (found,) = _columns(connection, select(f.node).where(held).distinct(), ("i4",))
    return found


def read_redeclared(connection: Connection, after: int, until: int) -> NDArray:  # type: ignore[type-arg]
    f = lineage_node_facts.c
    moved = or_(*(and_(time > after, time <= until) for time in (f.valid_from, f.valid_to)))
    (found,) = _columns(connection, select(f.node).where(moved).distinct(), ("i4",))
    return found


def _touched_edges(since: int, until: int) -> Any:
    parts = []
    for table in (lineage_facts, lineage_gone):
        after = table.c.revision > since, table.c.revision <= until
        parts.append(select(table.c.source, table.c.target, table.c.kind).where(*after))
    return union(*parts)


def _columns(connection: Connection, query: Any, types: Sequence[str]) -> list[NDArray]:  # type: ignore[type-arg]
    """The columns of many rows of numbers. The driver's own rows are read: dressing them up would double the time."""
    import numpy as np

    row = np.dtype([(f"c{place}", kind) for place, kind in enumerate(types)])
    parts = [np.empty(0, row)]
    cursor = _raw_cursor(connection, query)
    while rows := cursor.fetchmany(_ROWS):
        parts.append(np.array(rows, row))
    cursor.close()
    return [np.concatenate([part[name] for part in parts]) for name in row.names or ()]


def _raw_cursor(connection: Connection, query: Any) -> Any:
    """In the connection's transaction. On PostgreSQL the rows stay with the server until they are fetched."""
    if not connection.in_transaction():
        connection.begin()
    asked = query.compile(dialect=connection.dialect)
    driver: Any = connection.connection.driver_connection
    if connection.dialect.name == "postgresql":
        cursor = driver.cursor(name="forge_lineage")
        cursor.execute(asked.string, asked.params)
        return cursor
    return driver.execute(asked.string, [asked.params[name] for name in asked.positiontup or ()])


def read_touched(connection: Connection, since: int, limit: int) -> StoreChanges:
    """Whole writes: as many as reach the limit, and the last one to its end."""
    now = read_revision(connection)
    end = now
    for table in (lineage_nodes, lineage_facts, lineage_gone):
        after = select(table.c.revision).where(table.c.revision > since).order_by(table.c.revision)
        last = connection.execute(after.offset(limit - 1).limit(1)).scalar()
        end = end if last is None else min(end, last)
    n = lineage_nodes
    rows = connection.execute(
        select(n.c.number).where(n.c.revision > since, n.c.revision <= end).order_by(n.c.revision)
    )
    numbers = [number for (number,) in rows]
    nodes = read_nodes(connection, numbers, None)
    edges = [tuple(row) for row in connection.execute(_touched_edges(since, end))]
    lives = _lives(connection, [(source, target) for source, target, _ in edges])
    entities = find_entities(connection, [number for edge in edges for number in edge[:2] if edge not in lives])
    versions: list[EdgeVersion] = []
    gone: list[str] = []
    for edge in edges:
        versions += versions_of(lives.get(edge, ()))
        if edge not in lives:
            gone.append(_edge_id(entities[edge[0]].id, entities[edge[1]].id, edge[2]))
    return StoreChanges(end, tuple(nodes[number] for number in numbers), tuple(versions), tuple(gone), end < now)


def _edge_id(source: str, target: str, kind: int) -> str:
    return EdgeKey(source, target, kind_of(kind)).id


def _lives(connection: Connection, pairs: Iterable[Pair]) -> dict[tuple[int, int, int], list[EdgeFact]]:
    """The facts of each edge between these ends."""
    rows = find_facts(connection, pairs)
    entities = find_entities(connection, {number for row in rows for number in (row["source"], row["target"])})
    producers = find_producers(connection, rows)
    found: dict[tuple[int, int, int], list[EdgeFact]] = {}
    for row in rows:
        fact = fact_of(row, entities, producers[row["producer"]])
        found.setdefault((row["source"], row["target"], row["kind"]), []).append(fact)
    return found


def read_versions(connection: Connection, ends: Sequence[Pair]) -> dict[Pair, tuple[EdgeVersion, ...]]:
    found: dict[Pair, tuple[EdgeVersion, ...]] = {}
    for (source, target, _), facts in sorted(_lives(connection, ends).items(), key=lambda life: life[0]):
        found[source, target] = (*found.get((source, target), ()), *versions_of(facts))
    return found


def read_numbers(connection: Connection, ids: Sequence[str]) -> dict[str, int]:
    n = lineage_nodes
    found: dict[str, int] = {}
    for some in batches(list(dict.fromkeys(ids))):
        rows = connection.execute(select(n.c.id, n.c.number).where(n.c.id.in_(some)))
        found.update((node_id, number) for node_id, number in rows)
    return found


def read_nodes(connection: Connection, numbers: Sequence[int], at: datetime | None) -> dict[int, Node]:
    n, parent, above = lineage_nodes, lineage_nodes.alias("parent"), lineage_nodes.alias("above")
    columns = n.c.number, n.c.id, n.c.mentioned, n.c.created_at, parent.c.id, above.c.id
    query = select(*columns).join_from(n, parent, n.c.parent == parent.c.number, isouter=True)
    query = query.join(above, parent.c.parent == above.c.number, isouter=True)
    found: dict[int, Node] = {}
    for some in batches(list(dict.fromkeys(numbers))):
        facts: dict[int, list[Row]] = {}
        rows = find_node_facts(connection, some)
        producers = find_producers(connection, rows)
        for row in rows:
            facts.setdefault(row["node"], []).append(row)
        for number, node_id, code, created, owner, table in connection.execute(query.where(n.c.number.in_(some))):
            known = StoredNode(node_id, NODE_TYPES[code], owner or "", table or owner or "", time_of(created))
            found[number] = node_of(known, _node_facts(known, facts.get(number, ()), producers), at)
    return {number: found[number] for number in dict.fromkeys(numbers) if number in found}


def _node_facts(known: StoredNode, rows: Iterable[Row], producers: dict[int, str]) -> list[NodeFact]:
    entity = entity_of(known.id, known.mentioned, known.parent)
    return [node_fact_of(row, entity, producers[row["producer"]]) for row in rows]


def find_ending(connection: Connection, name: str, limit: int) -> list[str]:
    if not name:
        return []
    tail, longer = tail_of(name), tail_of(f".{name}")
    n = lineage_nodes
    same = or_(n.c.tail == tail, and_(n.c.tail >= longer, n.c.tail < longer + _LAST))
    return list(connection.execute(select(n.c.id).where(same).order_by(n.c.tail).limit(limit)).scalars())


def find_near(connection: Connection, name: str, limit: int) -> list[str]:
    """The same end, the same container, the same last part; where there is none of these, the beginning of a part, for
    which all names are read."""
    n, parts = lineage_nodes, list(nearest_first(name))
    found = dict.fromkeys(find_ending(connection, name, limit))
    above = name.rpartition(".")[0]
    for container in {above: None, **dict.fromkeys(find_ending(connection, above, _CONTAINERS))} if above else ():
        inside = and_(n.c.id > f"{container}.", n.c.id < f"{container}.{_LAST}")
        found |= dict.fromkeys(connection.execute(select(n.c.id).where(inside).limit(limit)).scalars())
    for part in parts:
        found |= dict.fromkeys(find_ending(connection, part, limit))
    if not found and parts:
        begins = or_(*(_holds(part[:2]) for part in parts))
        found |= dict.fromkeys(connection.execute(select(n.c.id).where(begins).order_by(n.c.id).limit(limit)).scalars())
    return list(found)[:limit]


def find_nodes(connection: Connection, text: str, types: Sequence[NodeType], limit: int, after: str) -> list[int]:
    n = lineage_nodes
    query = select(n.c.number).where(n.c.id > after, *(_holds(word) for word in words_of(text)))
    if types:
        query = query.where(n.c.type.in_([NODE_CODE[kind] for kind in types]))
    return list(connection.execute(query.order_by(n.c.id).limit(limit)).scalars())


def _holds(word: str) -> ColumnElement[bool]:
    return lineage_nodes.c.tail.contains(tail_of(word), autoescape=True)


def stream_edge_facts(connection: Connection, producer: str | None) -> Iterator[EdgeFact]:
    for rows in _stream(connection, lineage_facts, producer):
        entities = find_entities(connection, {number for row in rows for number in (row["source"], row["target"])})
        names = find_producers(connection, rows)
        yield from (fact_of(row, entities, names[row["producer"]]) for row in rows)


def stream_node_facts(connection: Connection, producer: str | None) -> Iterator[NodeFact]:
    for rows in _stream(connection, lineage_node_facts, producer):
        entities = find_entities(connection, {row["node"] for row in rows})
        names = find_producers(connection, rows)
        yield from (node_fact_of(row, entities[row["node"]], names[row["producer"]]) for row in rows)


def _stream(connection: Connection, table: Any, producer: str | None) -> Iterator[list[Row]]:
    p, query = lineage_producers, select(table)
    if producer is not None:
        query = query.where(table.c.producer == select(p.c.number).where(p.c.name == producer).scalar_subquery())
    result = connection.execute(query.execution_options(yield_per=5000))
    for part in result.mappings().partitions():
        yield [dict(row) for row in part]

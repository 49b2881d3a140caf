"""Writes batches to the graph tables: one transaction that locks the state row, so writers are serialized. The cost
follows the batch, not the graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, bindparam, delete, func, select, update

from forge.lineage.facts.claim import ClaimBatch, WriteCounts
from forge.lineage.facts.fact import EdgeFact, EdgeKey, NodeFact
from forge.lineage.facts.moment import time_of, to_micros
from forge.lineage.facts.record import check_order, plan_edges, plan_nodes
from forge.lineage.node import NODE_TYPES, Entity, NodeType
from forge.stores.lineage_rules import check_free, check_strict, entity_of, more_specific_type, named_by, type_of
from forge.stores.sql.lineage.rows import (
    NODE_CODE,
    Pair,
    Row,
    fact_of,
    fact_row,
    find_facts,
    find_node_facts,
    find_producers,
    node_fact_of,
    node_fact_row,
    node_row,
)
from forge.stores.sql.statements import add, batches, find_rows, put
from forge.stores.sql.tables import (
    lineage_facts,
    lineage_gone,
    lineage_node_facts,
    lineage_nodes,
    lineage_producers,
)

Near = Callable[[Connection, str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class _Node:
    number: int
    entity: Entity  # with the type according to edges
    created_at: int


@dataclass(frozen=True, slots=True)
class _Producer:
    name: str
    number: int
    newest: datetime | None  # None: not known before


class LineageWrite:
    """`revision`: of the write, if there is any."""

    def __init__(self, connection: Connection, revision: int, near: Near) -> None:
        self._connection = connection
        self._revision = revision
        self._near = near
        self._nodes: dict[str, _Node] = {}  # those that were asked for
        self._names: dict[int, str] = {}
        self._next = 1 + (connection.execute(select(func.max(lineage_nodes.c.number))).scalar() or 0)
        self._new: dict[str, dict[str, Any]] = {}  # rows to add
        self._retyped: set[str] = set()  # of these the type may change
        self._touched: set[str] = set()
        self._counts = dict.fromkeys(("added", "extended", "changed", "closed"), 0)
        self._moved = False

    def batch(self, batch: ClaimBatch) -> None:
        producer = self._producer(batch)
        named = named_by(batch)
        ends = (end for key in batch.closes for end in (key.source, key.target))
        self._fetch([*named, *ends])
        for node_id, entity in named.items():
            if node_id in self._nodes:
                known = self._nodes[node_id].entity
                check_free(entity, known.type, known.owner)
        check_strict(batch, self._nodes, lambda name: self._near(self._connection, name))
        at = to_micros(batch.at)
        for node_id, entity in named.items():
            self._mention(node_id, entity, at)
        self._edges(batch, producer)
        self._node_facts(batch, producer)

    def finish(self) -> WriteCounts:
        """Writes the nodes, whose type is known only now."""
        types = self._types()
        changed = []
        for node_id in sorted(self._touched, key=lambda node_id: self._nodes[node_id].number):
            node = self._nodes[node_id]
            mentioned = NODE_CODE[node.entity.type]
            values = {
                "type": types.get(node_id, mentioned),
                "mentioned": mentioned,
                "created_at": node.created_at,
                "revision": self._revision,
            }
            if node_id in self._new:
                self._new[node_id] |= values
            else:
                changed.append({"of": node.number, **values})
        add(self._connection, lineage_nodes, list(self._new.values()))
        _change(self._connection, lineage_nodes, lineage_nodes.c.number, changed)
        moved = self._moved or bool(self._touched)
        return WriteCounts(self._revision if moved else self._revision - 1, **self._counts, nodes=len(self._touched))

    def _producer(self, batch: ClaimBatch) -> _Producer:
        p = lineage_producers
        row = self._connection.execute(select(p.c.number, p.c.newest).where(p.c.name == batch.producer)).first()
        if row is None:
            number = 1 + (self._connection.execute(select(func.max(p.c.number))).scalar() or 0)
            values = {"number": number, "name": batch.producer, "newest": to_micros(batch.at)}
            self._connection.execute(p.insert(), [values])
            return _Producer(batch.producer, number, None)
        newest = time_of(row.newest)
        check_order(batch, newest)
        if batch.at > newest:
            self._connection.execute(update(p).where(p.c.number == row.number).values(newest=to_micros(batch.at)))
        return _Producer(batch.producer, row.number, newest)

    def _fetch(self, ids: Iterable[str] = (), numbers: Iterable[int] = ()) -> None:
        n, owner = lineage_nodes, lineage_nodes.alias("owner")
        columns = n.c.number, n.c.id, n.c.mentioned, n.c.created_at, owner.c.id
        query = select(*columns).join_from(n, owner, n.c.parent == owner.c.number, isouter=True)
        missing = sorted({node_id for node_id in ids if node_id not in self._nodes})
        unknown = sorted({number for number in numbers if number not in self._names})
        wanted = [n.c.id.in_(some) for some in batches(missing)] + [n.c.number.in_(some) for some in batches(unknown)]
        for where in wanted:
            for number, node_id, code, created, owner_id in self._connection.execute(query.where(where)):
                entity = entity_of(node_id, NODE_TYPES[code], owner_id or "")
                self._keep(node_id, _Node(number, entity, created))

    def _keep(self, node_id: str, node: _Node) -> None:
        self._nodes[node_id] = node
        self._names[node.number] = node_id

    def _mention(self, node_id: str, entity: Entity, at: int) -> None:
        known = self._nodes.get(node_id)
        if known is None:
            parent = self._nodes[entity.owner].number if entity.owner else 0
            self._keep(node_id, _Node(self._next, entity, at))
            self._new[node_id] = node_row(self._next, entity, parent, at, self._revision)
            self._next += 1
            self._touched.add(node_id)
            return
        specific = more_specific_type(known.entity.type, entity.type)
        if specific is known.entity.type and known.created_at <= at:
            return
        self._nodes[node_id] = _Node(known.number, replace(known.entity, type=specific), min(known.created_at, at))
        self._retyped.add(node_id)
        self._touched.add(node_id)

    def _edges(self, batch: ClaimBatch, producer: _Producer) -> None:
        known = self._known_facts(batch, producer)
        work = plan_edges(batch, known.values())
        for name in self._counts:
            self._counts[name] += getattr(work, name)
        f, revision = lineage_facts, self._revision
        ids = {(fact.key, fact.valid_from): row_id for row_id, fact in known.items()}

        def row_of(fact: EdgeFact) -> dict[str, Any]:
            return fact_row(fact, self._ends(fact.key), producer.number, revision)

        gone = [ids[fact.key, fact.valid_from] for fact in work.gone]
        for some in batches(gone):
            self._connection.execute(delete(f).where(f.c.id.in_(some)))
        edges = sorted({(*self._ends(fact.key), fact.kind.code) for fact in work.gone})
        tombs = [{"source": s, "target": t, "kind": kind, "revision": revision} for s, t, kind in edges]
        put(self._connection, lineage_gone, tombs)
        changed = [{"of": ids[old.key, old.valid_from], **row_of(new)} for old, new in work.kept]
        _change(self._connection, f, f.c.id, changed)
        add(self._connection, f, [row_of(fact) for fact in work.new])
        self._moved = self._moved or bool(gone or changed or work.new)

    def _ends(self, key: EdgeKey) -> Pair:
        return self._nodes[key.source].number, self._nodes[key.target].number

    def _known_facts(self, batch: ClaimBatch, producer: _Producer) -> dict[int, EdgeFact]:
        """By the ids of their rows."""
        if producer.newest is None:
            return {}
        keys = [key for key in batch.keys if key.source in self._nodes and key.target in self._nodes]
        rows = find_facts(self._connection, map(self._ends, keys), producer.number)
        if batch.complete:
            f = lineage_facts
            after = select(f).where(f.c.producer == producer.number, f.c.valid_to > to_micros(batch.at))
            rows += find_rows(self._connection, after)
        entities = self._entities({number for row in rows for number in (row["source"], row["target"])})
        return {row["id"]: fact_of(row, entities, producer.name) for row in rows}

    def _entities(self, numbers: set[int]) -> Mapping[int, Entity]:
        self._fetch(numbers=numbers)
        return {number: self._nodes[self._names[number]].entity for number in numbers}

    def _node_facts(self, batch: ClaimBatch, producer: _Producer) -> None:
        f = lineage_node_facts
        rows: list[Row] = []
        if producer.newest is not None:
            claimed = (self._nodes[claim.entity.id].number for claim in batch.nodes)
            rows = find_node_facts(self._connection, claimed, producer.number)
            if batch.complete:
                after = select(f).where(f.c.producer == producer.number, f.c.valid_to > to_micros(batch.at))
                rows += find_rows(self._connection, after)
        entities = self._entities({row["node"] for row in rows})
        facts = {row["id"]: node_fact_of(row, entities[row["node"]], producer.name) for row in rows}
        ids = {(fact.entity.id, fact.valid_from): row_id for row_id, fact in facts.items()}
        work = plan_nodes(batch, facts.values())

        def row_of(fact: NodeFact) -> dict[str, Any]:
            return node_fact_row(fact, self._nodes[fact.entity.id].number, producer.number)

        for some in batches([ids[fact.entity.id, fact.valid_from] for fact in work.gone]):
            self._connection.execute(delete(f).where(f.c.id.in_(some)))
        changed = [{"of": ids[old.entity.id, old.valid_from], **row_of(new)} for old, new in work.kept]
        _change(self._connection, f, f.c.id, changed)
        add(self._connection, f, [row_of(fact) for fact in work.new])
        touched = {fact.entity.id for fact in (*work.gone, *work.new, *(new for _, new in work.kept))}
        self._retyped |= touched
        self._touched |= touched

    def _types(self) -> dict[str, int]:
        """Of the nodes whose type may change."""
        of = {self._nodes[node_id].number: self._nodes[node_id].entity for node_id in self._retyped}
        rows = find_node_facts(self._connection, of)
        names = find_producers(self._connection, rows)
        facts: dict[str, list[NodeFact]] = {entity.id: [] for entity in of.values()}
        for row in rows:
            entity = of[row["node"]]
            facts[entity.id].append(node_fact_of(row, entity, names[row["producer"]]))
        return {node_id: NODE_CODE[type_of(self._mentioned(node_id), held, None)] for node_id, held in facts.items()}

    def _mentioned(self, node_id: str) -> NodeType:
        return self._nodes[node_id].entity.type


def _change(connection: Connection, table: Any, key: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    """Sets each row's columns where `key` is its `of`."""
    if rows:
        names = [name for name in rows[0] if name != "of"]
        statement = update(table).where(key == bindparam("of")).values({n: bindparam(f"new_{n}") for n in names})
        connection.execute(statement, [{"of": row["of"], **{f"new_{n}": row[n] for n in names}} for row in rows])

"""Conversion between rows and domain types. Rows refer to nodes and producers by number, the domain by name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Integer, Select, and_, cast, func, select

from forge.lineage.edge import Transformation
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.facts.fact import EdgeFact, NodeFact
from forge.lineage.facts.moment import from_micros, time_of, to_micros
from forge.lineage.kind import kind_of
from forge.lineage.node import NODE_TYPES, Entity
from forge.stores.lineage_rules import entity_of
from forge.stores.sql.record_columns import columns_of, record_of
from forge.stores.sql.statements import batches, find_rows
from forge.stores.sql.tables import lineage_facts, lineage_node_facts, lineage_nodes, lineage_producers

PAIRS_AT_ONCE = 5000
NODE_CODE = {kind: code for code, kind in enumerate(NODE_TYPES)}

Row = Mapping[str, Any]
Pair = tuple[int, int]


def tail_of(node_id: str) -> str:
    """The id as it is found by its end and whatever its case."""
    return node_id.lower()[::-1]


def node_row(number: int, entity: Entity, parent: int, at: int, revision: int) -> dict[str, Any]:
    node_id, code = entity.id, NODE_CODE[entity.type]
    return {
        "number": number,
        "type": code,
        "parent": parent,
        "mentioned": code,
        "created_at": at,
        "revision": revision,
        "id": node_id,
        "tail": tail_of(node_id),
    }


def fact_row(fact: EdgeFact, ends: Pair, producer: int, revision: int) -> dict[str, Any]:
    return {
        **columns_of(fact),
        "source": ends[0],
        "target": ends[1],
        "kind": fact.kind.code,
        "valid_from": to_micros(fact.valid_from),
        "valid_to": to_micros(fact.valid_to),
        "producer": producer,
        "revision": revision,
        "created_at": to_micros(fact.created_at),
        "evidence": [_evidence_row(one) for one in fact.evidence],
    }


def fact_of(row: Row, entities: Mapping[int, Entity], producer: str) -> EdgeFact:
    return record_of(
        EdgeFact,
        row,
        source=entities[row["source"]],
        target=entities[row["target"]],
        kind=kind_of(row["kind"]),
        producer=producer,
        valid_from=time_of(row["valid_from"]),
        valid_to=from_micros(row["valid_to"]),
        transformation=Transformation(row["transformation"]),
        evidence=tuple(_evidence(one) for one in row["evidence"]),
        created_at=from_micros(row["created_at"]),
    )


def _evidence_row(one: Evidence) -> dict[str, object]:
    given = {**one.to_dict(), "times": one.times if one.times != 1 else None}
    return {key: value for key, value in given.items() if value}


def _evidence(row: Row) -> Evidence:
    seen = row.get("seen_at")
    seen_at = None if seen is None else datetime.fromisoformat(seen)
    return record_of(Evidence, row, basis=Basis(row["basis"]), seen_at=seen_at)


def node_fact_row(fact: NodeFact, node: int, producer: int) -> dict[str, Any]:
    return {
        "node": node,
        "producer": producer,
        "valid_from": to_micros(fact.valid_from),
        "valid_to": to_micros(fact.valid_to),
        "type": NODE_CODE[fact.entity.type],
        "details": dict(fact.details),
    }


def node_fact_of(row: Row, entity: Entity, producer: str) -> NodeFact:
    own = Entity(NODE_TYPES[row["type"]], entity.name, entity.owner)
    return NodeFact(own, producer, time_of(row["valid_from"]), from_micros(row["valid_to"]), row["details"])


def find_entities(connection: Connection, numbers: Iterable[int]) -> dict[int, Entity]:
    """With the type according to edges: declared types have their own facts and times."""
    n, owner = lineage_nodes, lineage_nodes.alias("owner")
    query = select(n.c.number, n.c.id, n.c.mentioned, owner.c.id)
    query = query.join_from(n, owner, n.c.parent == owner.c.number, isouter=True)
    found: dict[int, Entity] = {}
    for some in batches(sorted(set(numbers))):
        for number, node_id, code, owner_id in connection.execute(query.where(n.c.number.in_(some))):
            found[number] = entity_of(node_id, NODE_TYPES[code], owner_id or "")
    return found


def find_producers(connection: Connection, rows: Iterable[Row]) -> dict[int, str]:
    """The names of those who say these facts."""
    p = lineage_producers
    found: dict[int, str] = {}
    for some in batches(sorted({row["producer"] for row in rows})):
        for number, name in connection.execute(select(p.c.number, p.c.name).where(p.c.number.in_(some))):
            found[number] = name
    return found


def find_facts(connection: Connection, pairs: Iterable[Pair], producer: int | None = None) -> list[Row]:
    """All facts on the edges between these ends, of one producer or of all."""
    f = lineage_facts
    found: list[Row] = []
    for some in batches(sorted(set(pairs)), PAIRS_AT_ONCE):
        # a join: for `(source, target) IN (…)` SQLite reads the whole table
        ends = _pairs(connection, some)
        query = select(f).join_from(ends, f, and_(f.c.source == ends.c.source, f.c.target == ends.c.target))
        if producer is not None:
            query = query.where(f.c.producer + 0 == producer)  # not by its index: the pairs are fewer
        found += find_rows(connection, query)
    return found


def _pairs(connection: Connection, pairs: Sequence[Pair]) -> Any:
    """A table of two columns in one bound value, so that the statement is the same however many they are."""
    if connection.dialect.name == "postgresql":
        from sqlalchemy.dialects.postgresql import ARRAY

        sources, targets = (cast([pair[place] for pair in pairs], ARRAY(Integer)) for place in (0, 1))
        return func.unnest(sources, targets).table_valued("source", "target", name="ends").render_derived()
    each = func.json_each(json.dumps(pairs)).table_valued("value", name="each")
    one, other = (func.json_extract(each.c.value, f"$[{place}]") for place in (0, 1))
    return select(one.label("source"), other.label("target")).cte("ends")


def find_node_facts(connection: Connection, nodes: Iterable[int], producer: int | None = None) -> list[Row]:
    f = lineage_node_facts
    found: list[Row] = []
    for some in batches(sorted(set(nodes))):
        query: Select[Any] = select(f).where(f.c.node.in_(some))
        if producer is not None:
            query = query.where(f.c.producer == producer)
        found += find_rows(connection, query)
    return found

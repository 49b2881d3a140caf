"""Claims on a small graph, the records of lineage there are, and what is asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from migrated import open_migrated
from sqlalchemy import text

from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.graph.store import GraphArrays, LineageStore
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import Entity, column_of
from forge.model.errors import ForgeError
from forge.stores.sql.lineage.facts import SqlLineage

NewStore = Callable[[], LineageStore]
T0 = datetime(2026, 11, 1, tzinfo=UTC)
COPIED = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)
RAW, CORE, MART = (
    column_of("raw.orders", "amount"),
    column_of("core.orders", "amount"),
    column_of("mart.daily", "total"),
)
LINEAGE_TABLES = ("nodes", "node_facts", "facts", "gone", "producers", "snapshots")


def day(number: int) -> datetime:
    return T0 + timedelta(days=number)


def sqlite_stores(folder: Path) -> Iterator[NewStore]:
    numbers, engines = count(1), []

    def make() -> LineageStore:
        engines.append(open_migrated(f"sqlite:///{folder}/{next(numbers)}.db"))
        return SqlLineage(engines[-1])

    yield make
    for engine in engines:
        engine.dispose()


def postgres_stores(url: str) -> Iterator[NewStore]:
    engine = open_migrated(url)

    def make() -> LineageStore:
        with engine.begin() as connection:
            for name in LINEAGE_TABLES:
                connection.execute(text(f"DELETE FROM forge_lineage_{name}"))
            connection.execute(text("UPDATE forge_lineage_state SET revision = 0, cursor = NULL"))
        return SqlLineage(engine)

    yield make
    engine.dispose()


def seen(line: int = 1, **values: Any) -> Evidence:
    return Evidence(basis=Basis.RESOLVED, extractor="sql", file="jobs/a.sql", line=line, statement="select 1", **values)


def claim(source: Entity = RAW, target: Entity = CORE, **values: Any) -> EdgeClaim:
    return EdgeClaim(source=source, target=target, **{"kind": COPIED, "evidence": (seen(),), **values})


def batch(producer: str, at: int, *edges: EdgeClaim, nodes: Iterable[NodeClaim] = (), **values: Any) -> ClaimBatch:
    return ClaimBatch(producer=producer, at=day(at), edges=tuple(edges), nodes=tuple(nodes), **values)


def lives(store: LineageStore, source: Entity = RAW, target: Entity = CORE) -> tuple[EdgeVersion, ...]:
    numbers = store.numbers([source.id, target.id])
    ends = numbers[source.id], numbers[target.id]
    return store.versions([ends]).get(ends, ())


def intervals(store: LineageStore, source: Entity = RAW, target: Entity = CORE) -> list[tuple[int, int | None]]:
    def tick(time: datetime | None) -> int | None:
        return None if time is None else (time - T0).days

    return [(tick(v.valid_from) or 0, tick(v.valid_to)) for v in lives(store, source, target)]


def refused(store: LineageStore, *batches: ClaimBatch) -> ForgeError:
    """The error; and nothing changed."""
    before = state(store)
    with pytest.raises(ForgeError) as caught:
        store.record(batches, cursor="not kept")
    assert state(store) == before
    return caught.value


def state(store: LineageStore) -> tuple[Any, ...]:
    facts = sorted((f.producer, f.key.id, f.valid_from, repr(f)) for f in store.edge_facts())
    nodes = sorted((f.producer, f.entity.id, f.valid_from, repr(f)) for f in store.node_facts())
    ids = tuple(node.id for node in store.search("", limit=10_000))
    return store.revision(), store.cursor(), store.producers(), facts, nodes, ids


def graph(store: LineageStore) -> dict[str, list[tuple[Any, ...]]]:
    """Every edge and its life, without what tells of the order in which it was written."""
    facts = list(store.edge_facts())
    numbers = store.numbers(sorted({f.source.id for f in facts} | {f.target.id for f in facts}))
    pairs = [(numbers[f.source.id], numbers[f.target.id]) for f in facts]
    found: dict[str, list[tuple[Any, ...]]] = {}
    for versions in store.versions(pairs).values():
        for v in versions:
            told = v.valid_from, v.valid_to, v.confidence, v.transformation, v.expression, v.masking
            found.setdefault(v.id, []).append((*told, frozenset((f.producer, f.evidence) for f in v.facts)))
    return found


def nodes_of(store: LineageStore, at: datetime | None = None) -> dict[str, tuple[Any, ...]]:
    numbers = store.numbers([node.id for node in store.search("", limit=10_000)])
    return {
        node.id: (node.type, dict(node.details), node.unresolved, node.created_at, node.updated_at, node.table)
        for node in store.nodes(list(numbers.values()), at).values()
    }


def rows_of(arrays: GraphArrays) -> list[tuple[Any, ...]]:
    columns = (arrays.source, arrays.target, arrays.kind, arrays.confidence, arrays.valid_from, arrays.valid_to)
    return sorted(zip(*(column.tolist() for column in columns), strict=True))

"""The lineage store in memory, for tests: same behaviour as SQL. A write modifies a copy and swaps it in at the end, so
readers see whole writes only."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING

from forge.lineage.facts.claim import ClaimBatch, WriteCounts, check_batch
from forge.lineage.facts.fact import EdgeFact, EdgeKey, EdgeVersion, NodeFact, versions_of
from forge.lineage.facts.moment import to_micros
from forge.lineage.facts.record import EdgeWritePlan, NodeWritePlan, check_order, plan_edges, plan_nodes
from forge.lineage.graph.store import GraphArrays, Snapshot, StoreChanges
from forge.lineage.kind import EdgeKind
from forge.lineage.node import NODE_TYPES, TABLE_LIKE, Entity, Node, NodeType
from forge.stores.lineage_rules import (
    StoredNode,
    check_free,
    check_strict,
    entity_of,
    more_specific_type,
    named_by,
    nearest_first,
    node_of,
    settled,
    snapshot_exists,
    snapshot_order,
    type_of,
    words_of,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class _Row:
    known: StoredNode
    number: int
    revision: int


@dataclass(frozen=True, slots=True)
class _Life:
    """All facts on one edge; `revision`: of the last write to it."""

    facts: tuple[EdgeFact, ...]
    revision: int


@dataclass(slots=True, kw_only=True)
class _State:
    revision: int = 0
    cursor: str | None = None
    nodes: dict[str, _Row] = field(default_factory=dict)
    names: list[str] = field(default_factory=lambda: [""])  # by number
    lives: dict[EdgeKey, _Life] = field(default_factory=dict)
    between: dict[Pair, tuple[EdgeKey, ...]] = field(default_factory=dict)
    node_facts: dict[str, tuple[NodeFact, ...]] = field(default_factory=dict)
    newest: dict[str, datetime] = field(default_factory=dict)

    def copy(self) -> _State:
        return _State(
            revision=self.revision,
            cursor=self.cursor,
            nodes=dict(self.nodes),
            names=list(self.names),
            lives=dict(self.lives),
            between=dict(self.between),
            node_facts=dict(self.node_facts),
            newest=dict(self.newest),
        )


class MemoryLineage:
    def __init__(self) -> None:
        self._state = _State()
        self._snapshots: dict[str, Snapshot] = {}
        self._lock = threading.Lock()

    def record(self, batches: Sequence[ClaimBatch], *, cursor: str | None = None) -> WriteCounts:
        for batch in batches:
            check_batch(batch)
        with self._lock:
            write = _Write(self._state.copy(), self._state.revision + 1)
            for batch in batches:
                write.batch(settled(batch))
            if cursor is not None:
                write.state.cursor = cursor
            recorded = write.recorded()
            write.state.revision = recorded.revision
            self._state = write.state
            return recorded

    def cursor(self) -> str | None:
        return self._state.cursor

    def revision(self) -> int:
        return self._state.revision

    def arrays(self) -> GraphArrays:
        state = self._state
        return _arrays(state, state.nodes.values(), {key: life for key, life in state.lives.items() if life.facts})

    def changes(self, since: int) -> GraphArrays:
        state = self._state
        rows = [row for row in state.nodes.values() if row.revision > since]
        return _arrays(state, rows, {key: life for key, life in state.lives.items() if life.revision > since})

    def touched(self, since: int, limit: int = 10_000) -> StoreChanges:
        state = self._state
        rows = sorted((r for r in state.nodes.values() if r.revision > since), key=lambda r: (r.revision, r.number))
        lives = sorted((life.revision, key.id, key) for key, life in state.lives.items() if life.revision > since)
        ends = [row.revision for row in rows[limit - 1 : limit]] + [life[0] for life in lives[limit - 1 : limit]]
        end = min([*ends, state.revision])
        seen = [(key, _versions(state, key)) for revision, _, key in lives if revision <= end]
        return StoreChanges(
            end,
            tuple(_node(state, row, None) for row in rows if row.revision <= end),
            tuple(version for _, versions in seen for version in versions),
            tuple(key.id for key, versions in seen if not versions),
            end < state.revision,
        )

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        nodes = self._state.nodes
        return {node_id: nodes[node_id].number for node_id in ids if node_id in nodes}

    def nodes(self, numbers: Sequence[int], at: datetime | None = None) -> dict[int, Node]:
        state = self._state
        wanted = (number for number in dict.fromkeys(numbers) if 0 < number < len(state.names))
        return {number: _node(state, state.nodes[state.names[number]], at) for number in wanted}

    def declared(self, at: datetime | None) -> NDArray:  # type: ignore[type-arg]
        import numpy as np

        state = self._state
        facts = (f for some in state.node_facts.values() for f in some if at is None or f.valid_from <= at)
        held = {f.entity.id for f in facts if f.valid_to is None or (at is not None and at < f.valid_to)}
        return np.array(sorted(state.nodes[node_id].number for node_id in held), np.int32)

    def redeclared(self, after: int, until: int) -> NDArray:  # type: ignore[type-arg]
        import numpy as np

        state = self._state
        facts = (fact for some in state.node_facts.values() for fact in some)
        times = ((f.entity.id, to_micros(time)) for f in facts for time in (f.valid_from, f.valid_to))
        moved = {node_id for node_id, time in times if after < time <= until}
        return np.array(sorted(state.nodes[node_id].number for node_id in moved), np.int32)

    def versions(self, ends: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[EdgeVersion, ...]]:
        state, found = self._state, {}
        for source, target in dict.fromkeys(ends):
            if not (0 < source < len(state.names) and 0 < target < len(state.names)):
                continue
            keys = state.between.get((state.names[source], state.names[target]), ())
            versions = [v for key in sorted(keys, key=_code) for v in _versions(state, key)]
            if versions:
                found[source, target] = tuple(versions)
        return found

    def near(self, name: str, limit: int = 2000) -> tuple[str, ...]:
        parts = tuple(nearest_first(name))
        found = dict.fromkeys(self.ending(name))
        for part in parts:
            found |= dict.fromkeys(self.ending(part))
        found |= dict.fromkeys(i for i in sorted(self._state.nodes) if any(p[:2] in i.lower() for p in parts))
        return tuple(found)[:limit]

    def ending(self, name: str) -> tuple[str, ...]:
        wanted = name.lower()
        ids = self._state.nodes
        return (
            tuple(sorted(i for i in ids if i.lower() == wanted or i.lower().endswith(f".{wanted}"))) if wanted else ()
        )

    def search(
        self, text: str, types: Sequence[NodeType] = (), *, limit: int = 50, after: str = ""
    ) -> tuple[Node, ...]:
        state, words = self._state, words_of(text)
        ids = sorted(i for i in state.nodes if i > after and all(word in i.lower() for word in words))
        nodes = (_node(state, state.nodes[node_id], None) for node_id in ids)
        return tuple(node for node in nodes if not types or node.type in types)[:limit]

    def edge_facts(self, *, producer: str | None = None) -> Iterator[EdgeFact]:
        state = self._state
        facts = (fact for key in state.lives for fact in _facts(state, key))
        return (fact for fact in facts if producer in (None, fact.producer))

    def node_facts(self, *, producer: str | None = None) -> Iterator[NodeFact]:
        facts = (fact for facts in self._state.node_facts.values() for fact in facts)
        return (fact for fact in facts if producer in (None, fact.producer))

    def producers(self) -> tuple[str, ...]:
        return tuple(sorted(self._state.newest))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        with self._lock:
            if snapshot.name in self._snapshots:
                raise snapshot_exists(snapshot.name)
            self._snapshots[snapshot.name] = snapshot

    def snapshot(self, name: str) -> Snapshot | None:
        return self._snapshots.get(name)

    def snapshots(self) -> tuple[Snapshot, ...]:
        return tuple(sorted(self._snapshots.copy().values(), key=snapshot_order, reverse=True))

    def drop_snapshot(self, name: str) -> bool:
        with self._lock:
            return self._snapshots.pop(name, None) is not None


class _Write:
    """Applies batches to a copy of the state."""

    def __init__(self, state: _State, revision: int) -> None:
        self.state = state
        self._revision = revision
        self._counts = dict.fromkeys(("added", "extended", "changed", "closed"), 0)
        self._touched: set[str] = set()
        self._moved = False

    def batch(self, batch: ClaimBatch) -> None:
        state = self.state
        check_order(batch, state.newest.get(batch.producer))
        named = named_by(batch)
        for node_id, entity in named.items():
            if node_id in state.nodes:
                row = state.nodes[node_id]
                check_free(entity, row.known.mentioned, row.known.parent)
        check_strict(batch, state.nodes, lambda name: tuple(state.nodes))
        for node_id, entity in named.items():
            self._mention(node_id, entity, batch.at)
        self._edges(batch, plan_edges(batch, self._edge_facts(batch)))
        self._nodes(plan_nodes(batch, self._node_facts(batch)))
        state.newest[batch.producer] = max(batch.at, state.newest.get(batch.producer, batch.at))

    def recorded(self) -> WriteCounts:
        moved = self._moved or bool(self._touched)
        return WriteCounts(self._revision if moved else self._revision - 1, **self._counts, nodes=len(self._touched))

    def _mention(self, node_id: str, entity: Entity, at: datetime) -> None:
        state, row = self.state, self.state.nodes.get(node_id)
        if row is None:
            parent = state.nodes[entity.owner].known if entity.owner else None
            table = "" if parent is None else parent.id if parent.mentioned in TABLE_LIKE else parent.table
            known = StoredNode(node_id, entity.type, entity.owner, table, at)
            state.nodes[node_id] = _Row(known, len(state.names), self._revision)
            state.names.append(node_id)
        else:
            specific = more_specific_type(row.known.mentioned, entity.type)
            known = replace(row.known, mentioned=specific, created_at=min(row.known.created_at, at))
            if known == row.known:
                return
            state.nodes[node_id] = replace(row, known=known, revision=self._revision)
        self._touched.add(node_id)

    def _edge_facts(self, batch: ClaimBatch) -> list[EdgeFact]:
        keys: Iterable[EdgeKey] = self.state.lives if batch.complete else batch.keys
        lives = (self.state.lives[key] for key in keys if key in self.state.lives)
        return [fact for life in lives for fact in life.facts if fact.producer == batch.producer]

    def _node_facts(self, batch: ClaimBatch) -> list[NodeFact]:
        ids: Iterable[str] = self.state.node_facts if batch.complete else [claim.entity.id for claim in batch.nodes]
        lives = (self.state.node_facts.get(node_id, ()) for node_id in dict.fromkeys(ids))
        return [fact for facts in lives for fact in facts if fact.producer == batch.producer]

    def _edges(self, batch: ClaimBatch, work: EdgeWritePlan) -> None:
        state = self.state
        for name in self._counts:
            self._counts[name] += getattr(work, name)
        without = [*(old for old, _ in work.kept), *work.gone]
        for fact in without:
            facts = tuple(f for f in state.lives[fact.key].facts if f is not fact)
            state.lives[fact.key] = _Life(facts, self._revision)
        for fact in [*(new for _, new in work.kept), *work.new]:
            key = fact.key
            if key not in state.lives:
                pair = key.source, key.target
                state.between[pair] = (*state.between.get(pair, ()), key)
            facts = state.lives[key].facts if key in state.lives else ()
            state.lives[key] = _Life((*facts, fact), self._revision)
        self._moved = self._moved or bool(without or work.new)

    def _nodes(self, work: NodeWritePlan) -> None:
        facts = self.state.node_facts
        for fact in [*(old for old, _ in work.kept), *work.gone]:
            facts[fact.entity.id] = tuple(f for f in facts[fact.entity.id] if f is not fact)
            self._touch(fact.entity.id)
        for fact in [*(new for _, new in work.kept), *work.new]:
            facts[fact.entity.id] = (*facts.get(fact.entity.id, ()), fact)
            self._touch(fact.entity.id)

    def _touch(self, node_id: str) -> None:
        self.state.nodes[node_id] = replace(self.state.nodes[node_id], revision=self._revision)
        self._touched.add(node_id)


def _node(state: _State, row: _Row, at: datetime | None) -> Node:
    return node_of(row.known, state.node_facts.get(row.known.id, ()), at)


def _facts(state: _State, key: EdgeKey) -> tuple[EdgeFact, ...]:
    """Node types are those of edges: declared types have their own facts and times."""
    source, target = (_entity(state, node_id) for node_id in (key.source, key.target))
    return tuple(replace(fact, source=source, target=target) for fact in state.lives[key].facts)


def _versions(state: _State, key: EdgeKey) -> tuple[EdgeVersion, ...]:
    return versions_of(_facts(state, key))


def _entity(state: _State, node_id: str) -> Entity:
    known = state.nodes[node_id].known
    return entity_of(node_id, known.mentioned, known.parent)


def _code(key: EdgeKey) -> int:
    kind: EdgeKind = key.kind
    return kind.code


def _arrays(state: _State, rows: Iterable[_Row], lives: Mapping[EdgeKey, _Life]) -> GraphArrays:
    import numpy as np

    nodes, numbers = [], {node_id: row.number for node_id, row in state.nodes.items()}
    for row in rows:
        kind = type_of(row.known.mentioned, state.node_facts.get(row.known.id, ()), None)
        nodes.append((row.number, NODE_TYPES.index(kind), numbers.get(row.known.parent, 0)))
    edges: list[tuple[int, int, int, float, int, int]] = []
    for key, life in lives.items():
        ends = numbers[key.source], numbers[key.target], key.kind.code
        edges += [(*ends, f.confidence, to_micros(f.valid_from), to_micros(f.valid_to)) for f in life.facts]
        if not life.facts:
            edges.append((*ends, 0.0, 0, 0))
    of = list(zip(*nodes, strict=True)) or [()] * 3
    by = list(zip(*edges, strict=True)) or [()] * 6
    return GraphArrays.of(
        state.revision,
        (np.array(column, kind) for column, kind in zip(of, ("i4", "u1", "i4"), strict=True)),
        (np.array(column, kind) for column, kind in zip(by, ("i4", "i4", "u2", "f8", "i8", "i8"), strict=True)),
    )

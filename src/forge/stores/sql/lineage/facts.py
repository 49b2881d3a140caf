"""The lineage store in SQL. A write is one transaction and writers are serialized; readers see committed data. Thread
safe."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from sqlalchemy import delete, select, update

from forge.lineage.facts.claim import ClaimBatch, WriteCounts, check_batch
from forge.lineage.facts.fact import EdgeFact, EdgeVersion, NodeFact
from forge.lineage.graph.store import GraphArrays, Snapshot, StoreChanges
from forge.lineage.node import Node, NodeType
from forge.stores.lineage_rules import settled, snapshot_exists, snapshot_order
from forge.stores.sql.database import reading, writing
from forge.stores.sql.lineage import reads
from forge.stores.sql.lineage.writes import LineageWrite
from forge.stores.sql.record_columns import columns_of
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.statements import insert_into
from forge.stores.sql.tables import lineage_producers, lineage_snapshots, lineage_state

if TYPE_CHECKING:
    from numpy.typing import NDArray

_NEAR = 2000
_ENDING = 1000


class SqlLineage(SqlRecords):
    def record(self, batches: Sequence[ClaimBatch], *, cursor: str | None = None) -> WriteCounts:
        for batch in batches:
            check_batch(batch)
        s = lineage_state
        with writing(self._engine) as connection:
            # the lock that lets one writer in at a time; numbers are given under it
            before = connection.execute(select(s).with_for_update()).mappings().one()
            write = LineageWrite(
                connection, before["revision"] + 1, lambda given, name: reads.find_near(given, name, _NEAR)
            )
            for batch in batches:
                write.batch(settled(batch))
            recorded = write.finish()
            now = {"revision": recorded.revision, "cursor": before["cursor"] if cursor is None else cursor}
            if now != {key: before[key] for key in now}:
                connection.execute(update(s).values(now))
            return recorded

    def cursor(self) -> str | None:
        with reading(self._engine) as connection:
            found: str | None = connection.execute(select(lineage_state.c.cursor)).scalar_one()
        return found

    def revision(self) -> int:
        with reading(self._engine) as connection:
            return reads.read_revision(connection)

    def arrays(self) -> GraphArrays:
        with reads.steadily(self._engine) as connection:
            return reads.read_arrays(connection)

    def changes(self, since: int) -> GraphArrays:
        with reads.steadily(self._engine) as connection:
            return reads.read_changes(connection, since)

    def touched(self, since: int, limit: int = 10_000) -> StoreChanges:
        with reads.steadily(self._engine) as connection:
            return reads.read_touched(connection, since, limit)

    def numbers(self, ids: Sequence[str]) -> dict[str, int]:
        with reading(self._engine) as connection:
            return reads.read_numbers(connection, ids)

    def nodes(self, numbers: Sequence[int], at: datetime | None = None) -> dict[int, Node]:
        with reads.steadily(self._engine) as connection:
            return reads.read_nodes(connection, numbers, at)

    def declared(self, at: datetime | None) -> NDArray:  # type: ignore[type-arg]
        with reading(self._engine) as connection:
            return reads.read_declared(connection, at)

    def redeclared(self, after: int, until: int) -> NDArray:  # type: ignore[type-arg]
        with reading(self._engine) as connection:
            return reads.read_redeclared(connection, after, until)

    def versions(self, ends: Sequence[tuple[int, int]]) -> dict[tuple[int, int], tuple[EdgeVersion, ...]]:
        with reads.steadily(self._engine) as connection:
            return reads.read_versions(connection, ends)

    def near(self, name: str, limit: int = _NEAR) -> tuple[str, ...]:
        with reading(self._engine) as connection:
            return tuple(reads.find_near(connection, name, limit))

    def ending(self, name: str) -> tuple[str, ...]:
        with reading(self._engine) as connection:
            return tuple(sorted(reads.find_ending(connection, name, _ENDING)))

    def search(
        self, text: str, types: Sequence[NodeType] = (), *, limit: int = 50, after: str = ""
    ) -> tuple[Node, ...]:
        with reads.steadily(self._engine) as connection:
            numbers = reads.find_nodes(connection, text, types, limit, after)
            return tuple(reads.read_nodes(connection, numbers, None).values())

    def edge_facts(self, *, producer: str | None = None) -> Iterator[EdgeFact]:
        with reads.steadily(self._engine) as connection:
            yield from reads.stream_edge_facts(connection, producer)

    def node_facts(self, *, producer: str | None = None) -> Iterator[NodeFact]:
        with reads.steadily(self._engine) as connection:
            yield from reads.stream_node_facts(connection, producer)

    def producers(self) -> tuple[str, ...]:
        with reading(self._engine) as connection:
            return tuple(sorted(connection.execute(select(lineage_producers.c.name)).scalars()))

    def save_snapshot(self, snapshot: Snapshot) -> None:
        with writing(self._engine) as connection:
            insert = insert_into(connection, lineage_snapshots).values(columns_of(snapshot))
            written = insert.on_conflict_do_nothing().returning(lineage_snapshots.c.name)
            if connection.execute(written).first() is None:
                raise snapshot_exists(snapshot.name)

    def snapshot(self, name: str) -> Snapshot | None:
        s = lineage_snapshots
        row = self._first(select(s).where(s.c.name == name))
        return None if row is None else Snapshot(**row)

    def snapshots(self) -> tuple[Snapshot, ...]:
        found = [Snapshot(**row) for row in self._all(select(lineage_snapshots))]
        return tuple(sorted(found, key=snapshot_order, reverse=True))

    def drop_snapshot(self, name: str) -> bool:
        s = lineage_snapshots
        with writing(self._engine) as connection:
            return connection.execute(delete(s).where(s.c.name == name)).rowcount > 0

"""Stored readings of snapshots, in SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from sqlalchemy import BigInteger, Column, Connection, String, Table, Text, delete, select

from forge.model.names import SnapshotId, TableName
from forge.stores.sql.columns import UtcTime
from forge.stores.sql.database import reading, writing
from forge.stores.sql.records import SqlRecords
from forge.stores.sql.statements import batches
from forge.stores.sql.tables import metadata

HELD = 20  # snapshots of each table

states = Table(
    "forge_measured_states",
    metadata,
    Column("table_name", String(255), primary_key=True),
    Column("measure", String(64), primary_key=True),
    Column("snapshot_id", BigInteger, primary_key=True, autoincrement=False),
    Column("state", Text, nullable=False),
    Column("measured_at", UtcTime, nullable=False),
)


class SqlStates(SqlRecords):
    def kept(
        self, table: TableName, snapshots: Sequence[SnapshotId], keys: Sequence[str]
    ) -> Mapping[tuple[SnapshotId, str], str]:
        found: dict[tuple[SnapshotId, str], str] = {}
        with reading(self._engine) as connection:
            for some in batches(keys):
                query = select(states.c.snapshot_id, states.c.measure, states.c.state).where(
                    states.c.table_name == str(table),
                    states.c.measure.in_(some),
                    states.c.snapshot_id.in_(list(snapshots)),
                )
                found |= {(SnapshotId(row[0]), row[1]): row[2] for row in connection.execute(query)}
        return found

    def keep(self, table: TableName, snapshot: SnapshotId, states_: Mapping[str, str], at: datetime) -> None:
        with writing(self._engine) as connection:
            for some in batches(list(states_)):
                rows = [_row(table, snapshot, key, states_[key], at) for key in some]
                gone = delete(states).where(
                    states.c.table_name == str(table), states.c.snapshot_id == snapshot, states.c.measure.in_(some)
                )
                connection.execute(gone)
                connection.execute(states.insert(), rows)
            _forget_old(connection, table)


def _forget_old(connection: Connection, table: TableName) -> None:
    """Deletes all but the newest snapshots of the table, by time of measurement."""
    own = states.c.table_name == str(table)
    times = select(states.c.snapshot_id, states.c.measured_at).where(own).distinct()
    last: dict[int, datetime] = {}
    for snapshot, measured_at in connection.execute(times):
        last[snapshot] = max(measured_at, last.get(snapshot, measured_at))
    old = sorted(last, key=lambda snapshot: (last[snapshot], snapshot), reverse=True)[HELD:]
    if old:
        connection.execute(delete(states).where(own, states.c.snapshot_id.in_(old)))


def _row(table: TableName, snapshot: SnapshotId, key: str, state: str, at: datetime) -> dict[str, object]:
    return {"table_name": str(table), "measure": key, "snapshot_id": snapshot, "state": state, "measured_at": at}

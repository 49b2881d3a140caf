"""Descriptions and profiles of tables in SQL."""

from __future__ import annotations

from sqlalchemy import select

from forge.flows.runs.records import AssetRecord, ProfileRecord
from forge.model.names import SnapshotId, TableName
from forge.stores.sql import rows, tables
from forge.stores.sql.records import SqlRecords


class SqlAssets(SqlRecords):
    def assets(self) -> tuple[AssetRecord, ...]:
        return tuple(
            rows.asset_of(row) for row in self._all(select(tables.assets).order_by(tables.assets.c.table_name))
        )

    def profile(self, table: TableName, snapshot_id: SnapshotId) -> ProfileRecord | None:
        t = tables.profiles.c
        query = select(t.readings).where(t.table_name == str(table), t.snapshot_id == snapshot_id)
        found = self._all(query.order_by(t.id.desc()).limit(1))
        return ProfileRecord(table, snapshot_id, found[0]["readings"]) if found else None

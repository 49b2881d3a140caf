"""Descriptions and profiles of tables in memory."""

from __future__ import annotations

from collections.abc import Collection

from forge.flows.runs.records import AssetRecord, ProfileRecord
from forge.model.names import SnapshotId, TableName
from forge.stores.memory.records import MemoryRecords


class MemoryAssets(MemoryRecords):
    def assets(self, tables: Collection[TableName] | None = None) -> tuple[AssetRecord, ...]:
        with self._lock:
            wanted = self._assets if tables is None else self._assets.keys() & set(tables)
            return tuple(self._assets[table] for table in sorted(wanted, key=str))

    def recorded_assets(self) -> tuple[AssetRecord, ...]:
        """Nobody edits what is in memory."""
        return self.assets()

    def profile(self, table: TableName, snapshot_id: SnapshotId) -> ProfileRecord | None:
        return self._profiles.get((table, snapshot_id))

"""Descriptions and profiles of tables in memory."""

from __future__ import annotations

from forge.flows.runs.records import AssetRecord, ProfileRecord
from forge.model.names import SnapshotId, TableName
from forge.stores.memory.records import MemoryRecords


class MemoryAssets(MemoryRecords):
    def assets(self) -> tuple[AssetRecord, ...]:
        with self._lock:
            return tuple(self._assets[table] for table in sorted(self._assets, key=str))

    def recorded_assets(self) -> tuple[AssetRecord, ...]:
        """Nobody edits what is in memory."""
        return self.assets()

    def profile(self, table: TableName, snapshot_id: SnapshotId) -> ProfileRecord | None:
        return self._profiles.get((table, snapshot_id))

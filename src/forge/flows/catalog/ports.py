"""The port of asset records. Every method is one transaction."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection

    from forge.flows.runs.records import AssetRecord, ProfileRecord
    from forge.model.names import SnapshotId, TableName


class Assets(Protocol):
    """Descriptions and profiles of tables."""

    def assets(self, tables: Collection[TableName] | None = None) -> tuple[AssetRecord, ...]:
        """As their last publication wrote them, with what people say in the catalog before it. None: of all tables."""

    def recorded_assets(self) -> tuple[AssetRecord, ...]:
        """As their last publication wrote them: what the next one builds on."""

    def profile(self, table: TableName, snapshot_id: SnapshotId) -> ProfileRecord | None: ...

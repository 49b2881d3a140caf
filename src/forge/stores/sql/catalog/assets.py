"""Descriptions and profiles of tables in SQL."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from sqlalchemy import or_, select

from forge.flows.runs.records import AssetRecord, ProfileRecord
from forge.model.names import SnapshotId, TableName
from forge.stores.sql import rows, tables
from forge.stores.sql.records import SqlRecords

if TYPE_CHECKING:
    from forge.catalog.asset import Documentation


class SqlAssets(SqlRecords):
    def assets(self, tables: Collection[TableName] | None = None) -> tuple[AssetRecord, ...]:
        names = None if tables is None else sorted(map(str, tables))
        found = self._recorded(names)
        written = self._documentation(names)
        if not written:
            return found
        from forge.flows.catalog.documented_record import documented_record

        return tuple(
            documented_record(one, written[str(one.table)]) if str(one.table) in written else one for one in found
        )

    def _documentation(self, names: Sequence[str] | None) -> Mapping[str, Documentation]:
        """Of tables that somebody documented; what reads it is loaded only where there is one."""
        from forge.stores.sql.catalog.asset_tables import assets as t

        query = select(t.c.name, t.c.edited, t.c.filed).where(
            t.c.source == "lake", or_(t.c.version > 0, t.c.filed.is_not(None))
        )
        documented = self._all(query) if names is None else self._batched(query, t.c.name, names)
        if not documented:
            return {}
        from forge.catalog.asset import with_files
        from forge.catalog.asset_json import read_documentation, read_filed

        return {
            row["name"]: with_files(read_documentation(row["edited"]), read_filed(row["filed"])) for row in documented
        }

    def recorded_assets(self) -> tuple[AssetRecord, ...]:
        return self._recorded(None)

    def _recorded(self, names: Sequence[str] | None) -> tuple[AssetRecord, ...]:
        c = tables.assets.c
        query = select(tables.assets).order_by(c.table_name)
        found = self._all(query) if names is None else self._batched(query, c.table_name, names)
        return tuple(map(rows.asset_of, found))

    def profile(self, table: TableName, snapshot_id: SnapshotId) -> ProfileRecord | None:
        c = tables.profiles.c
        query = select(c.readings).where(c.table_name == str(table), c.snapshot_id == snapshot_id)
        found = self._all(query.order_by(c.id.desc()).limit(1))
        return ProfileRecord(table, snapshot_id, found[0]["readings"]) if found else None

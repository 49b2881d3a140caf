"""Snapshot expiration in memory: passes the suite of the Iceberg one."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from forge.flows.ports import TableSnapshots
from forge.model.names import CatalogName, SnapshotId
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.sql.tables import BRANCHES, STAGING

if TYPE_CHECKING:
    from forge.stores.memory.lake import MemoryLake


class MemoryExpiry:
    def __init__(self, catalog: MemoryCatalog, lake: MemoryLake) -> None:
        self._catalog = catalog
        self._lake = lake

    def tables(self) -> tuple[TableSnapshots, ...]:
        with self._catalog.lock:
            rows = [(name, row[0]) for name, row in sorted(self._catalog.rows.items()) if name.namespace != STAGING]
            found = [(name, location, self._lake.at(location)) for name, location in rows]
        return tuple(
            TableSnapshots(
                name,
                location,
                table.uuid,
                table.refs,
                {snapshot_id: state.parent_id for snapshot_id, state in table.snapshots.items()},
                name.namespace == BRANCHES,
            )
            for name, location, table in found
            if table is not None
        )

    def expire(self, catalog: CatalogName, gone: frozenset[SnapshotId], expected: str) -> bool:
        with self._catalog.lock:
            table = self._lake.at(expected)
            if table is None or self._catalog.location(catalog) != expected:
                return False
            kept = {number: state for number, state in table.snapshots.items() if number not in gone}
            self._lake.put(catalog, replace(table, snapshots=kept, log=(*table.log, expected)))
            return True

    def drop(self, catalog: CatalogName, expected: str) -> bool:
        with self._catalog.lock:
            if catalog.namespace != BRANCHES or self._catalog.location(catalog) != expected:
                return False
            del self._catalog.rows[catalog]
            return True

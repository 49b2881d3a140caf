"""Expiration of Iceberg snapshots by a new metadata file and a compare-and-set of the catalog row."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import Engine, delete, select

from forge.flows.ports import TableSnapshots
from forge.model.names import CatalogName, SnapshotId
from forge.stores.sql.database import reading, writing
from forge.stores.sql.tables import BRANCHES, CATALOG, STAGING, iceberg_tables

if TYPE_CHECKING:
    from pyiceberg.table.metadata import TableMetadataV2

    from forge.stores.lake.iceberg import IcebergLake


class IcebergExpiry:
    def __init__(self, engine: Engine, lake: IcebergLake) -> None:
        self._engine = engine
        self._lake = lake

    def tables(self) -> tuple[TableSnapshots, ...]:
        t = iceberg_tables.c
        query = select(t.table_namespace, t.table_name, t.metadata_location, t.iceberg_type).where(
            t.catalog_name == CATALOG, t.table_namespace != STAGING
        )
        with reading(self._engine) as connection:
            rows = [(CatalogName(row[0], row[1]), row[2]) for row in connection.execute(query) if row[3] != "VIEW"]
        return tuple(self._snapshots(name, location) for name, location in sorted(rows))

    def _snapshots(self, name: CatalogName, location: str) -> TableSnapshots:
        metadata = self._lake.files.read_any(location)
        return TableSnapshots(
            name,
            location,
            str(metadata.table_uuid),
            {ref: SnapshotId(value.snapshot_id) for ref, value in metadata.refs.items()},
            {SnapshotId(s.snapshot_id): _parent(s.parent_snapshot_id) for s in metadata.snapshots},
            name.namespace == BRANCHES,
        )

    def expire(self, catalog: CatalogName, gone: frozenset[SnapshotId], expected: str) -> bool:
        from pyiceberg.table.metadata import TableMetadataV2

        metadata = self._lake.files.read_any(expected)
        if not isinstance(metadata, TableMetadataV2):
            return False  # made by another engine; Forge writes version 2 only
        smaller = without(metadata, gone, expected, self._lake.now_ms())
        location = self._lake.write(smaller, after=expected)
        if self._lake.move(catalog, expected, location):
            return True
        self._lake.files.delete(location)
        return False

    def drop(self, catalog: CatalogName, expected: str) -> bool:
        t = iceberg_tables
        if catalog.namespace != BRANCHES:
            return False
        with writing(self._engine, durable=True) as connection:
            gone = connection.execute(
                delete(t)
                .where(t.c.catalog_name == CATALOG, t.c.metadata_location == expected)
                .where(t.c.table_namespace == catalog.namespace, t.c.table_name == catalog.name)
            )
            return gone.rowcount == 1


def _parent(snapshot_id: int | None) -> SnapshotId | None:
    return None if snapshot_id is None else SnapshotId(snapshot_id)


def without(metadata: TableMetadataV2, gone: frozenset[SnapshotId], location: str, now_ms: int) -> TableMetadataV2:
    """The next version of the metadata in file `location`, without these snapshots. The snapshot log before a
    removed one is cut, as Iceberg requires, so that no time resolves to the wrong snapshot."""
    from forge.stores.lake.table_metadata import with_ref

    log = list(metadata.snapshot_log)
    last = max((number for number, entry in enumerate(log) if entry.snapshot_id in gone), default=-1)
    following = with_ref(metadata, location, "", None, now_ms)  # no ref changes: time and log of files go on
    return following.model_copy(
        update={
            "snapshots": [s for s in metadata.snapshots if s.snapshot_id not in gone],
            "snapshot_log": log[last + 1 :],
            "statistics": [s for s in metadata.statistics if s.snapshot_id not in gone],
            "partition_statistics": [s for s in metadata.partition_statistics if s.snapshot_id not in gone],
        }
    )

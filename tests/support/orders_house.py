"""A table of orders on a lake in a temporary folder; PyIceberg writes in place of an engine."""

from __future__ import annotations

from itertools import count
from pathlib import Path
from typing import Any

import pyarrow as pa
from migrated import open_migrated
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import DoubleType, LongType, NestedField, StringType

from forge.flows.ports import Stage
from forge.flows.runs.records import Pointer, PointerConflict
from forge.flows.versioning.tables import DataFile, RowOperations
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.stores.lake.arrow.rows import ArrowRows
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.lake.tables import IcebergTables
from forge.versioning.commit import TableVersion
from forge.versioning.field import Fields, TableField

MAIN, DEV = BranchName("main"), BranchName("dev")
ORDERS, ROW = TableName("core", "orders"), CatalogName("core", "orders")
SCHEMA = Schema(
    NestedField(1, "id", LongType(), required=True),
    NestedField(2, "name", StringType(), required=False),
    NestedField(3, "amount", DoubleType(), required=False),
    identifier_field_ids=[1],
)
FIELDS: Fields = (
    TableField(1, "id", "bigint", True),
    TableField(2, "name", "string"),
    TableField(3, "amount", "double"),
)
RUNS = count(1)

TWO = (((1, "a", 1.0), (2, "b", 2.0)), ((11, "k", None), (12, "l", 4.0)))


def table_of(*rows: tuple[object, ...]) -> pa.Table:
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("name", pa.string()), ("amount", pa.float64())])
    return pa.Table.from_pylist([dict(zip(schema.names, row, strict=True)) for row in rows], schema=schema)


class House:
    """A lake, its tables, and the few things other engines do to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        url = f"sqlite:///{folder}/forge.db"
        self.engine = open_migrated(url)
        warehouse = f"{folder}/warehouse"
        self.lake = IcebergLake(self.engine, warehouse)
        self.tables = IcebergTables(self.lake)
        self.work: RowOperations = ArrowRows(self.tables)
        self.catalog = SqlCatalog("forge", uri=url, warehouse=warehouse)
        self.catalog.create_namespace("core")

    def close(self) -> None:
        self.catalog.engine.dispose()
        self.engine.dispose()

    def create(self, *parts: tuple[tuple[object, ...], ...], **options: Any) -> SnapshotId:
        """One data file for each part."""
        self.catalog.create_table("core.orders", SCHEMA, **{"location": f"{self.folder}/warehouse/orders", **options})
        for rows in parts:
            self.catalog.load_table("core.orders").append(table_of(*rows))
        return self.head()

    def head(self, name: CatalogName = ROW) -> SnapshotId:
        state = self.lake.snapshot(name)
        assert state is not None
        return state.snapshot_id

    def stage(self, base: SnapshotId | None = None) -> Stage:
        return self.lake.open_stage(RunId(f"r-{next(RUNS)}"), ORDERS, ROW, self.head() if base is None else base)

    def write(self, stage: Stage) -> Any:
        return self.catalog.load_table((stage.catalog.namespace, stage.catalog.name))

    def files(self, snapshot: SnapshotId, name: CatalogName = ROW) -> list[DataFile]:
        """In the order of their smallest id."""
        found = self.tables.files(name, snapshot).files
        return sorted(found, key=lambda file: file.bounds[1][0])  # type: ignore[return-value, arg-type]

    def rows(self, snapshot: SnapshotId, name: CatalogName = ROW) -> list[tuple[object, ...]]:
        """As PyIceberg's own scan reads them."""
        scan = self.catalog.load_table((name.namespace, name.name)).scan(snapshot_id=snapshot)
        return sorted((tuple(row.values()) for row in scan.to_arrow().to_pylist()), key=repr)

    def apply(self, pointer: Pointer | PointerConflict) -> None:
        assert isinstance(pointer, Pointer)
        if pointer.expected is None:
            self.lake.put_row(pointer.catalog, pointer.location)
        else:
            assert self.lake.move(pointer.catalog, pointer.expected, pointer.location)
        if pointer.home:
            self.catalog.drop_table((pointer.home.catalog.namespace, pointer.home.catalog.name))

    def publish(self, stage: Stage, branch: BranchName = MAIN, expected: SnapshotId | None = None) -> None:
        self.apply(self.lake.prepare(stage, branch, is_default=branch == MAIN, expected=expected))
        self.lake.drop_stages(stage.run_id)

    def branched(self, rows: tuple[tuple[object, ...], ...], branch: BranchName = DEV) -> SnapshotId:
        """A snapshot on the branch with these rows appended to the head of main."""
        base = self.head()
        stage = self.stage()
        self.write(stage).append(table_of(*rows))
        snapshot = self.head(stage.catalog)
        self.publish(stage, branch, expected=base)
        return snapshot

    def version(self, snapshot: SnapshotId, catalog: CatalogName = ROW) -> TableVersion:
        state = self.lake.state(catalog)
        found = self.lake.snapshot(catalog, snapshot)
        assert state is not None
        assert found is not None
        return TableVersion(catalog=catalog, uuid=state.uuid, snapshot_id=snapshot, schema_id=found.schema_id)

    def summary(self, snapshot: SnapshotId, name: CatalogName = ROW) -> dict[str, str]:
        found = self.lake.metadata(name).snapshot_by_id(snapshot)
        assert found is not None
        assert found.summary is not None
        return {"operation": found.summary.operation.value, **found.summary.additional_properties}

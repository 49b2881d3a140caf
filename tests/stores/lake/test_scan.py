"""Scans of pinned tables: the right columns and rows as an Arrow stream, at the snapshot that was pinned."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.table import Table
from pyiceberg.types import StringType

from forge.federation.plan import Scan, ScanFilter
from forge.federation.relation import RelationName
from forge.flows.runs.pin import Pin
from forge.flows.versioning.tables import NeedsEngine
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, SnapshotId, TableName
from forge.stores.lake.scan import LakeConnector

ORDERS = RelationName("lake", ("core", "orders"))
ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3, 4], pa.int64()),
        "name": pa.array(["ada", None, "Grace", "ada"], pa.string()),
        "amount": pa.array([Decimal("1.50"), Decimal("-2.00"), None, Decimal("99.99")], pa.decimal128(12, 2)),
        "day": pa.array([date(2026, 11, 14), date(1969, 12, 31), None, date(2026, 11, 15)], pa.date32()),
        "seen": pa.array([datetime(2026, 11, 14, 6, tzinfo=UTC), None, None, None], pa.timestamp("us", tz="UTC")),
    }
)


@pytest.fixture
def table(tmp_path: Path) -> Table:
    catalog = SqlCatalog("forge", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=str(tmp_path / "warehouse"))
    catalog.create_namespace("core")
    made = catalog.create_table(("core", "orders"), ROWS.schema)
    made.append(ROWS)
    return made


def opened(table: Table, snapshot: int | None = None) -> LakeConnector:
    current = table.current_snapshot()
    number = snapshot if snapshot is not None else (current.snapshot_id if current else None)
    catalog = CatalogName("core", "orders")
    pin = Pin(TableName("core", "orders"), catalog, None if number is None else SnapshotId(number))
    return LakeConnector(lambda _: (table.metadata, table.io), {ORDERS.path: pin})  # type: ignore[dict-item]


def read(table: Table, columns: tuple[str, ...], *filters: ScanFilter, **more: Any) -> list[tuple[object, ...]]:
    schema = pa.schema([ROWS.schema.field(name) for name in columns])
    snapshot = more.pop("snapshot", None)
    reader = opened(table, snapshot).read(Scan(ORDERS, columns, filters, **more), schema)
    assert reader.schema == schema
    return [tuple(row.values()) for row in reader.read_all().to_pylist()]


def test_a_table_is_described_with_types_of_spark_and_the_counts_of_its_snapshot(table: Table) -> None:
    found = opened(table).describe(ORDERS.path)
    assert found is not None
    assert [(one.name, str(one.type)) for one in found.columns] == [
        ("id", "bigint"),
        ("name", "string"),
        ("amount", "decimal(12,2)"),
        ("day", "date"),
        ("seen", "timestamp"),
    ]
    current = table.current_snapshot()
    assert current is not None
    assert (found.rows, found.version) == (4, str(current.snapshot_id))
    assert found.bytes is not None
    assert found.bytes > 0


def test_what_is_not_pinned_is_not_there(table: Table) -> None:
    assert opened(table).describe(("core", "secrets")) is None
    assert opened(table).relations() == (ORDERS,)


def test_columns_come_in_the_order_they_were_asked_for(table: Table) -> None:
    assert read(table, ("name", "id")) == [("ada", 1), (None, 2), ("Grace", 3), ("ada", 4)]


@pytest.mark.parametrize(
    ("filters", "ids"),
    [
        ((ScanFilter("name", "=", ("ada",)),), [1, 4]),
        ((ScanFilter("name", "<>", ("ada",)),), [3]),
        ((ScanFilter("name", "in", ("ada", "Grace")),), [1, 3, 4]),
        ((ScanFilter("name", "is null"),), [2]),
        ((ScanFilter("name", "is not null"),), [1, 3, 4]),
        ((ScanFilter("name", ">", ("H",)),), [1, 4]),
        ((ScanFilter("amount", ">=", (Decimal("1.50"),)),), [1, 4]),
        ((ScanFilter("amount", "<", (Decimal("0"),)),), [2]),
        ((ScanFilter("amount", "<", (Decimal("1.501"),)),), [1, 2]),
        ((ScanFilter("amount", "<=", (Decimal("1.499"),)),), [2]),
        ((ScanFilter("amount", ">", (Decimal("1.499"),)),), [1, 4]),
        ((ScanFilter("amount", ">=", (Decimal("-2.001"),)),), [1, 2, 4]),
        ((ScanFilter("amount", "=", (Decimal("1.501"),)),), []),
        ((ScanFilter("amount", "=", (Decimal("1.500"),)),), [1]),
        ((ScanFilter("amount", "<>", (Decimal("1.501"),)),), [1, 2, 4]),
        ((ScanFilter("amount", "in", (Decimal("1.501"), -2)),), [2]),
        ((ScanFilter("amount", "in", (Decimal("1.501"),)),), []),
        ((ScanFilter("amount", "<", (Decimal(10) ** 30,)),), [1, 2, 4]),
        ((ScanFilter("amount", "<", (-(Decimal(10) ** 30),)),), []),
        ((ScanFilter("amount", ">=", (-(Decimal(10) ** 30),)),), [1, 2, 4]),
        ((ScanFilter("amount", "=", (Decimal(10) ** 30,)),), []),
        ((ScanFilter("id", "<", (Decimal("2.5"),)),), [1, 2]),
        ((ScanFilter("id", ">=", (-(2**63),)),), [1, 2, 3, 4]),
        ((ScanFilter("id", ">", (2**70,)),), []),
        ((ScanFilter("day", "<=", (date(1970, 1, 1),)),), [2]),
        ((ScanFilter("seen", "=", (datetime(2026, 11, 14, 6, tzinfo=UTC),)),), [1]),
        ((ScanFilter("id", ">", (1,)), ScanFilter("name", "=", ("ada",))), [4]),
    ],
)
def test_filters_mean_what_they_mean_in_sql(table: Table, filters: tuple[ScanFilter, ...], ids: list[int]) -> None:
    assert [row[0] for row in read(table, ("id",), *filters)] == ids


def test_a_filter_by_a_column_that_is_not_asked_for(table: Table) -> None:
    assert read(table, ("name",), ScanFilter("id", "=", (3,))) == [("Grace",)]


def test_no_more_rows_than_the_limit(table: Table) -> None:
    table.append(ROWS)
    assert len(read(table, ("id",), limit=5)) == 5
    assert len(read(table, ("id",), limit=0)) == 0


def test_a_pinned_snapshot_has_its_rows_and_its_columns(table: Table) -> None:
    first = table.current_snapshot()
    assert first is not None
    with table.update_schema() as change:
        change.add_column("note", StringType())
        change.rename_column("name", "who")
    table.append(ROWS.rename_columns(["id", "who", "amount", "day", "seen"]))
    assert len(read(table, ("id", "name"), snapshot=first.snapshot_id)) == 4
    old, new = opened(table, first.snapshot_id).describe(ORDERS.path), opened(table).describe(ORDERS.path)
    assert old is not None
    assert new is not None
    assert "name" in [one.name for one in old.columns]
    assert [one.name for one in new.columns] == ["id", "who", "amount", "day", "seen", "note"]


def test_a_table_that_nothing_was_written_to_is_empty(tmp_path: Path) -> None:
    catalog = SqlCatalog("forge", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=str(tmp_path / "warehouse"))
    catalog.create_namespace("core")
    empty = catalog.create_table(("core", "orders"), ROWS.schema)
    assert read(empty, ("id",)) == []
    found = opened(empty).describe(ORDERS.path)
    assert found is not None
    assert found.rows == 0


def test_a_snapshot_that_is_gone_is_named(table: Table) -> None:
    with pytest.raises(ForgeError, match="is gone") as caught:
        opened(table, 12345).describe(ORDERS.path)
    assert caught.value.code == "E406"


def test_a_data_file_that_is_gone_is_named(table: Table) -> None:
    path = next(iter(table.scan().plan_files())).file.file_path
    Path(path.removeprefix("file://")).unlink()
    with pytest.raises(ForgeError) as caught:
        read(table, ("id",))
    assert caught.value.code == "E406"


def test_equality_deletes_are_left_to_an_engine(table: Table) -> None:
    current = table.current_snapshot()
    assert current is not None
    assert current.summary is not None
    current.summary.additional_properties["total-equality-deletes"] = "1"
    with pytest.raises(NeedsEngine):
        opened(table).describe(ORDERS.path)


def test_a_cancelled_scan_ends_with_an_error_and_not_with_fewer_rows(table: Table) -> None:
    for _ in range(4):
        table.append(ROWS)
    connector = opened(table)
    schema = pa.schema([ROWS.schema.field("id")])
    reader = connector.read(Scan(ORDERS, ("id",)), schema)
    reader.read_next_batch()
    connector.cancel()
    with pytest.raises(ForgeError, match="cancelled"):
        reader.read_all()

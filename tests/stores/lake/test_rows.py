"""A few rows of a snapshot without an engine: the right ones, and no more files than it takes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.parquet import ParquetFile
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.io.pyarrow import PyArrowFile, PyArrowFileIO
from pyiceberg.table import Table
from pyiceberg.types import StringType

from forge.model.errors import ForgeError
from forge.stores.lake.rows import first_rows

MakeTable = Callable[..., Table]


class CountingIO(PyArrowFileIO):
    """Knows which data files were opened."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: list[str] = []

    def new_input(self, location: str) -> PyArrowFile:
        if location.endswith(".parquet"):
            self.opened.append(location)
        return super().new_input(location)


@pytest.fixture
def make_table(tmp_path: Path) -> MakeTable:
    catalog = SqlCatalog("forge", uri=f"sqlite:///{tmp_path}/catalog.db", warehouse=str(tmp_path / "warehouse"))
    catalog.create_namespace("core")

    def make(*parts: pa.Table, **properties: str) -> Table:
        table = catalog.create_table(("core", "orders"), parts[0].schema, properties=properties)
        for part in parts:
            table.append(part)
        return table

    return make


def rows_of(table: Table, columns: list[str], limit: int, io: Any = None) -> tuple[tuple[object, ...], ...]:
    snapshot = table.current_snapshot()
    assert snapshot is not None
    found = first_rows(table.metadata, io or table.io, snapshot.snapshot_id, columns, limit)
    assert found is not None
    return found


def numbers(first: int, count: int) -> pa.Table:
    return pa.table({"id": pa.array(range(first, first + count), pa.int64())})


@pytest.mark.parametrize(("limit", "files"), [(1, 1), (10, 1), (11, 2), (25, 3), (50, 5), (1000, 5)])
def test_only_as_many_data_files_are_opened_as_the_rows_need(make_table: MakeTable, limit: int, files: int) -> None:
    table = make_table(*(numbers(10 * part, 10) for part in range(5)))
    io = CountingIO()
    found = rows_of(table, ["id"], limit, io)
    assert len(found) == min(limit, 50)
    assert len(set(found)) == len(found)
    assert len(set(io.opened)) == files


def test_files_of_small_row_groups_are_read_on_until_there_are_enough(make_table: MakeTable) -> None:
    table = make_table(numbers(0, 100), **{"write.parquet.row-group-limit": "10"})
    path = next(iter(table.scan().plan_files())).file.file_path
    assert ParquetFile(path).num_row_groups == 10
    assert rows_of(table, ["id"], 35) == tuple((number,) for number in range(35))


def test_every_type_comes_as_a_plain_value(make_table: MakeTable) -> None:
    whole = {
        "text": ["ä"],
        "big": [2**62],
        "price": pa.array([Decimal("12.50")], pa.decimal128(12, 2)),
        "day": pa.array([date(2026, 11, 15)]),
        "at": pa.array([datetime(2026, 11, 15, 6, 10, tzinfo=UTC)], pa.timestamp("us", "UTC")),
        "raw": [b"\x00\xff"],
        "nothing": pa.array([None], pa.float64()),
    }
    table = make_table(pa.table(whole))
    moment = datetime(2026, 11, 15, 6, 10, tzinfo=UTC)
    expected = ("ä", 2**62, Decimal("12.50"), date(2026, 11, 15), moment, b"\x00\xff", None)
    assert rows_of(table, list(whole), 5) == (expected,)


def test_nested_columns_are_read_too(make_table: MakeTable) -> None:
    kind = pa.struct([("a", pa.int64()), ("tags", pa.list_(pa.string()))])
    rows = pa.table({"id": [1], "parts": pa.array([{"a": 7, "tags": ["x", "y"]}], kind)})
    assert rows_of(make_table(rows), ["parts"], 5) == (({"a": 7, "tags": ["x", "y"]},),)


def test_columns_are_found_by_their_id_whatever_they_were_called_and_new_ones_are_empty(make_table: MakeTable) -> None:
    table = make_table(pa.table({"id": [1], "old": ["a"]}))
    first = table.current_snapshot()
    assert first is not None
    with table.update_schema() as change:
        change.rename_column("old", "new")
        change.add_column("later", StringType())
    table.append(pa.table({"id": [2], "new": ["b"], "later": ["c"]}))
    assert set(rows_of(table, ["new", "id"], 5)) == {("a", 1), ("b", 2)}
    assert set(rows_of(table, ["later", "new"], 5)) == {(None, "a"), ("c", "b")}
    assert first_rows(table.metadata, table.io, first.snapshot_id, ["old"], 5) == (("a",),)


def test_a_data_file_that_is_gone_is_named(make_table: MakeTable) -> None:
    table = make_table(numbers(0, 3))
    path = next(iter(table.scan().plan_files())).file.file_path
    Path(path).unlink()
    with pytest.raises(ForgeError) as gone:
        rows_of(table, ["id"], 1)
    assert (gone.value.code, gone.value.where) == ("E406", path)

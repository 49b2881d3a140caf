"""Commits of data on Spark: rows from a DataFrame, a SELECT or a Parquet file, into a stage."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from orders_house import ORDERS, ROW, TWO, House, table_of

from forge.flows.runs.engine import ChangeFile, ChangeQuery, Pin
from forge.model.errors import ForgeError
from forge.model.names import RunId, TableName
from forge.stores.lake.files import local_path

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from forge.engines.spark.engine import SparkEngine

pytestmark = pytest.mark.spark
Row = tuple[object, ...]
OLD = [(1, "a", 1.0), (2, "b", 2.0), (11, "k", None), (12, "l", 4.0)]


class Desk:
    """A house with an engine, and a stage of its orders."""

    def __init__(self, house: House, spark: SparkSession) -> None:
        from forge.engines.spark.engine import SparkEngine
        from forge.engines.spark.session.session import LazySession, SparkSettings

        self.house, self.spark = house, spark.newSession()
        catalog = {
            "type": "jdbc",
            "uri": f"jdbc:sqlite:file:{house.folder}/forge.db?busy_timeout=30000&journal_mode=WAL",
            "warehouse": f"{house.folder}/warehouse",
        }
        for key, value in catalog.items():
            self.spark.conf.set(f"spark.sql.catalog.forge.{key}", value)
        settings = SparkSettings("local[2]", {}, catalog, house.folder / "spark.log")
        self.engine: SparkEngine = SparkEngine(LazySession(settings=settings, _session=self.spark), house.folder)
        self.base = house.create(*TWO)
        self.stage = house.stage(self.base)

    def frame(self, rows: list[Row], columns: str = "id BIGINT, name STRING, amount DOUBLE") -> DataFrame:
        return self.spark.createDataFrame(rows, columns)

    def rows(self) -> list[Row]:
        found = self.house.rows(self.house.head(self.stage.catalog), self.stage.catalog)
        return sorted(found, key=lambda row: str(row[0]).zfill(6))


@pytest.fixture
def desk(tmp_path: Path, spark: SparkSession) -> Iterator[Desk]:
    house = House(tmp_path)
    yield Desk(house, spark)
    house.close()


def test_appended_columns_go_by_name_and_missing_ones_are_null(desk: Desk) -> None:
    desk.engine.change(desk.frame([("new", 20)], "NAME STRING, id INT"), desk.stage, "append", ())
    assert desk.rows() == [*OLD, (20, "new", None)]
    assert sorted(desk.house.rows(desk.base)) == sorted(OLD)


def test_an_overwrite_leaves_only_the_new_rows(desk: Desk) -> None:
    desk.engine.change(desk.frame([(1, "x", 1.0)]), desk.stage, "overwrite", ())
    assert desk.rows() == [(1, "x", 1.0)]


def test_a_merge_updates_the_cells_it_brings_and_inserts_the_rest(desk: Desk) -> None:
    desk.engine.change(desk.frame([(2, "B"), (30, "new")], "id BIGINT, name STRING"), desk.stage, "merge", ("id",))
    assert desk.rows() == [(1, "a", 1.0), (2, "B", 2.0), (11, "k", None), (12, "l", 4.0), (30, "new", None)]


def test_a_delete_takes_the_rows_whose_key_is_given(desk: Desk) -> None:
    desk.engine.change(desk.frame([(2,), (11,), (2,), (99,)], "id BIGINT"), desk.stage, "delete", ("id",))
    assert desk.rows() == [(1, "a", 1.0), (12, "l", 4.0)]


def test_a_select_reads_pinned_tables_and_binds_its_parameters(desk: Desk) -> None:
    query = ChangeQuery(
        "SELECT id + 100 AS id, name, amount FROM core.orders WHERE name = :name",
        {ORDERS: Pin(ORDERS, ROW, desk.base)},
        {"name": "k"},
    )
    desk.engine.change(query, desk.stage, "append", ())
    assert desk.rows() == [*OLD, (111, "k", None)]


def test_a_parquet_file_is_committed(desk: Desk) -> None:
    path = desk.house.folder / "some rows.parquet"
    parquet.write_table(table_of((40, "file", 4.0)), path)
    desk.engine.change(ChangeFile(path), desk.stage, "append", ())
    assert desk.rows() == [*OLD, (40, "file", 4.0)]


def test_a_new_column_is_added_only_where_that_is_wanted(desk: Desk) -> None:
    rows = desk.frame([(50, "x")], "id BIGINT, colour STRING")
    with pytest.raises(ForgeError) as raised:
        desk.engine.change(rows, desk.stage, "append", ())
    assert raised.value.code == "E621"
    assert "colour" in str(raised.value.why)
    desk.engine.change(rows, desk.stage, "append", (), evolve=True)
    assert desk.rows()[-1] == (50, None, None, "x")


def test_a_value_of_another_type_is_refused(desk: Desk) -> None:
    with pytest.raises(ForgeError) as raised:
        desk.engine.change(desk.frame([(True,)], "id BOOLEAN"), desk.stage, "append", ())
    assert raised.value.code == "E621"
    assert desk.rows() == OLD


@pytest.mark.parametrize(
    ("rows", "mode", "key", "code"),
    [
        ([(1, "x", 1.0), (1, "y", 1.0)], "merge", ("id",), "E611"),
        ([(1, None, 1.0)], "merge", ("name",), "E612"),
        ([(1, None, 1.0)], "delete", ("name",), "E612"),
        ([(1, "x", 1.0)], "merge", (), "E613"),
        ([(1, "x", 1.0)], "delete", ("nope",), "E613"),
    ],
    ids=["a key twice", "a NULL key", "a NULL key to delete", "no key", "a key that is not there"],
)
def test_keys_that_tell_no_row_are_refused(
    desk: Desk, rows: list[Row], mode: str, key: tuple[str, ...], code: str
) -> None:
    with pytest.raises(ForgeError) as raised:
        desk.engine.change(desk.frame(rows), desk.stage, mode, key)  # type: ignore[arg-type]
    assert raised.value.code == code
    assert desk.rows() == OLD


@pytest.mark.parametrize("mode", ["append", "overwrite", "merge"])
def test_a_table_that_does_not_exist_is_created_with_its_key(desk: Desk, mode: str) -> None:
    stage = desk.house.lake.open_stage(RunId("r-new"), TableName("core", "fresh"), None, None)
    stage = replace(stage, location=f"{stage.location} with a blank")
    desk.engine.change(desk.frame([(1, "x", 1.0)]), stage, mode, ("id",))  # type: ignore[arg-type]
    snapshot = desk.house.head(stage.catalog)
    made = desk.house.tables.files(stage.catalog, snapshot)
    assert made.identifier == ("id",)
    assert [(field.name, field.type, field.required) for field in made.fields] == [
        ("id", "bigint", True),
        ("name", "string", False),
        ("amount", "double", False),
    ]
    assert desk.house.rows(snapshot, stage.catalog) == [(1, "x", 1.0)]
    metadata = desk.house.lake.metadata(stage.catalog)
    assert (local_path(metadata.location), metadata.format_version) == (stage.location, 2)
    assert all(Path(local_path(file.path)).is_file() for file in made.files)


def test_nothing_is_deleted_from_a_table_that_does_not_exist(desk: Desk) -> None:
    stage = desk.house.lake.open_stage(RunId("r-new"), TableName("core", "fresh"), None, None)
    with pytest.raises(ForgeError) as raised:
        desk.engine.change(desk.frame([(1, "x", 1.0)]), stage, "delete", ("id",))
    assert raised.value.code == "E627"


def test_what_is_no_frame_is_refused(desk: Desk) -> None:
    with pytest.raises(ForgeError) as raised:
        desk.engine.change(pa.table({"id": [1]}), desk.stage, "append", ())
    assert raised.value.code == "E207"
    with pytest.raises(ForgeError) as raised:
        desk.engine.change(ChangeFile(desk.house.folder / "none.parquet"), desk.stage, "append", ())
    assert raised.value.code == "E629"

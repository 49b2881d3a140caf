"""What is seen in a metadata file at a glance is what PyIceberg reads in it, or nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from orders_house import DEV, ROW, TWO, House

from forge.model.names import TableName
from forge.model.schema import Column, Schema
from forge.stores.lake.files import Files
from forge.stores.lake.metadata_reader import TableInfo, read_table_info, read_view_info
from forge.stores.lake.view import sql_of

Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def location(sql_lake: House) -> str:
    """Of a table with two snapshots and a branch."""
    base = sql_lake.create(*TWO)
    sql_lake.lake.set_ref(ROW, str(DEV), base)
    row = sql_lake.lake.row(ROW)
    assert row is not None
    return row[0]


def test_a_glance_at_a_table_is_what_pyiceberg_reads(sql_lake: House, location: str) -> None:
    whole = Files.at(str(Path(location).parent)).read(location)
    refs = {name: ref.snapshot_id for name, ref in whole.refs.items()}
    assert read_table_info(location) == TableInfo(str(whole.table_uuid), refs, whole.current_schema_id)
    assert {"main", str(DEV)} <= set(refs)


def test_a_file_without_refs_has_its_current_snapshot_as_main(location: str) -> None:
    data = json.loads(Path(location).read_text())
    del data["refs"]
    Path(location).write_text(json.dumps(data))
    whole = Files.at(str(Path(location).parent)).read(location)
    seen = read_table_info(location)
    assert seen is not None
    assert seen.refs == {name: ref.snapshot_id for name, ref in whole.refs.items()}


DAMAGE: dict[str, Change] = {
    "another version of the format": lambda data: data.update({"format-version": 1}),
    "no uuid": lambda data: data.pop("table-uuid"),
    "no partitions": lambda data: data.pop("partition-specs"),
    "a number as text": lambda data: data.update({"last-column-id": "three"}),
    "a schema that is not there": lambda data: data.update({"current-schema-id": 99}),
    "a branch at a snapshot that is not there": lambda data: data["refs"].update({"x": {"snapshot-id": 1}}),
}


@pytest.mark.parametrize("change", DAMAGE.values(), ids=DAMAGE)
def test_what_is_not_as_iceberg_writes_it_is_left_to_pyiceberg(location: str, change: Change) -> None:
    data = json.loads(Path(location).read_text())
    change(data)
    Path(location).write_text(json.dumps(data))
    assert read_table_info(location) is None


@pytest.mark.parametrize("text", ["", "[]", '{"format-version": 2', "\x00" * 40])
def test_a_torn_file_is_left_to_pyiceberg(location: str, text: str) -> None:
    Path(location).write_text(text)
    assert read_table_info(location) is None
    assert read_view_info(location) is None


def test_only_files_of_this_machine_are_looked_at() -> None:
    assert read_table_info("s3://bucket/t/metadata/1.metadata.json") is None
    assert read_table_info("/nowhere/1.metadata.json") is None


def test_a_glance_at_a_view_is_what_pyiceberg_reads(sql_lake: House) -> None:
    schema = Schema((Column("id", "bigint"),))
    first = sql_lake.lake.write_view(TableName("core", "v"), "SELECT 1 AS id", schema, None)
    second = sql_lake.lake.write_view(TableName("core", "v"), "SELECT 2 AS id", schema, first)
    for location in (first, second):
        whole = sql_lake.lake.files.read_view(location)
        seen = read_view_info(location)
        assert seen is not None
        assert (seen.uuid, seen.sql) == (whole.view_uuid, sql_of(whole))

"""Commits of data on lists of rows."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from forge.flows.ports import Stage
from forge.flows.runs.engine import ChangeFile, ChangeMode, ChangeQuery
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, RunId, SnapshotId, TableName
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.changes import changed_rows
from forge.stores.memory.engine import MemoryEngine
from forge.stores.memory.lake import MemoryLake

TABLE = TableName("core", "orders")
BEFORE: list[dict[str, object]] = [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]


def stage(*, exists: bool = True) -> Stage:
    return Stage(
        run_id=RunId("r-1"),
        table=TABLE,
        catalog=CatalogName("s", "t"),
        location="place",
        base=SnapshotId(1) if exists else None,
        origin=CatalogName("core", "orders") if exists else None,
    )


def change(given: list[dict[str, object]], mode: ChangeMode, *, evolve: bool = False) -> list[dict[str, object]]:
    return changed_rows(BEFORE, given, stage(), mode, ("id",), evolve=evolve)


def test_appended_rows_follow_and_lack_what_they_do_not_bring() -> None:
    assert change([{"id": 3}], "append") == [*BEFORE, {"id": 3, "name": None}]


def test_an_overwrite_leaves_only_the_new_rows() -> None:
    assert change([{"id": 3, "name": "c"}], "overwrite") == [{"id": 3, "name": "c"}]


def test_a_merge_updates_the_cells_it_brings_and_inserts_the_rest() -> None:
    rows = change([{"id": 2, "size": 5}, {"id": 3, "size": 6}], "merge", evolve=True)
    assert rows == [
        {"id": 1, "name": "a", "size": None},
        {"id": 2, "name": "b", "size": 5},
        {"id": 3, "name": None, "size": 6},
    ]


def test_a_delete_needs_only_the_key() -> None:
    assert change([{"id": 1}, {"id": 9}], "delete") == [BEFORE[1]]


@pytest.mark.parametrize(
    ("given", "mode", "code"),
    [
        ([{"id": 3, "nope": 1}], "append", "E621"),
        ([{"id": 3}, {"id": 3}], "merge", "E611"),
        ([{"name": "x"}], "merge", "E612"),
    ],
    ids=["unknown column", "key twice", "no key"],
)
def test_rows_that_do_not_fit_are_refused(given: list[dict[str, object]], mode: ChangeMode, code: str) -> None:
    with pytest.raises(ForgeError) as raised:
        change(given, mode)
    assert raised.value.code == code


def test_there_is_nothing_to_delete_from_a_table_that_does_not_exist() -> None:
    with pytest.raises(ForgeError) as raised:
        changed_rows([], [{"id": 1}], stage(exists=False), "delete", ("id",), evolve=False)
    assert raised.value.code == "E627"


def test_the_engine_commits_lists_and_parquet_files(tmp_path: Path) -> None:
    lake = MemoryLake(MemoryCatalog())
    engine = MemoryEngine(lake)
    parquet.write_table(pa.table({"id": [1, 2], "name": ["a", "b"]}), tmp_path / "rows.parquet")
    new = lake.open_stage(RunId("r-1"), TABLE, None, None)
    engine.change(ChangeFile(tmp_path / "rows.parquet"), new, "append", ("id",))
    first = lake.snapshot(new.catalog)
    assert first is not None
    assert (first.statistics.record_count, first.schema.names) == (2, ("id", "name"))
    with pytest.raises(ForgeError) as raised:
        engine.change(ChangeQuery("SELECT 1"), new, "append", ())
    assert raised.value.code == "E211"

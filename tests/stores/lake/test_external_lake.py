"""The lake in an external catalog does what every lake does, but for the one transaction."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from forge.flows.runs.records import Pointer, PointerConflict
from forge.flows.upkeep.maintenance import collect_garbage
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId, TableName
from forge.model.schema import Column, Schema
from forge.quality.measure import Measure
from forge.stores.lake.catalogs import pyiceberg_properties, spark_properties
from forge.stores.lake.external_lake import ExternalLake
from forge.versioning.commit import Author

NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
MAIN, DEV = BranchName("main"), BranchName("dev")
ROW = CatalogName("core", "orders")
ADA = Author("Ada", "ada@example.com")
Rows = list[dict[str, object]]


def test_a_new_table_is_out_of_sight_until_it_lands_under_its_name(external_world: Any) -> None:
    stage = external_world.stage(run_id="r-new")
    assert (stage.exists, stage.origin) == (False, None)
    snapshot = external_world.append(stage, 3)
    assert external_world.lake.tables() == ()
    assert external_world.lake.stages() == ((RunId("r-new"), stage.catalog),)
    pointer = external_world.prepare(stage, MAIN, None)
    assert isinstance(pointer, Pointer)
    assert (pointer.catalog, pointer.expected, pointer.staged) == (ROW, None, stage.catalog)
    assert external_world.lake.state(ROW) is None, "to prepare is only to look"
    assert external_world.land(stage)
    assert external_world.lake.tables() == (ROW,)
    assert external_world.refs() == {"main": snapshot}
    assert external_world.land(stage), "again is the same"
    assert external_world.lake.drop_stages(RunId("r-new")) == 1
    assert external_world.lake.stages() == ()
    state = external_world.lake.snapshot(ROW)
    assert state is not None
    assert (state.run_id, state.schema, state.statistics.record_count) == (
        "r-new",
        Schema((Column("id", "bigint"),)),
        3,
    )


def test_a_few_rows_of_any_snapshot_can_be_looked_at(external_world: Any) -> None:
    first = external_world.new(3)
    assert external_world.lake.rows(ROW, first, ["id"], 2) == ((0,), (1,))
    assert len(external_world.lake.rows(ROW, first, ["id"], 10)) == 3
    with pytest.raises(ForgeError) as gone:
        external_world.lake.rows(ROW, SnapshotId(12345), ["id"], 1)
    assert gone.value.code == "E406"


def test_staging_on_a_table_moves_nothing_of_it_until_it_lands(external_world: Any) -> None:
    first = external_world.new(2)
    before = external_world.lake.state(ROW)
    stage = external_world.stage(ROW, first, "r-two")
    middle, last = external_world.append(stage, 5), external_world.append(stage, 1)
    assert isinstance(external_world.prepare(stage, MAIN, first), Pointer)
    assert external_world.lake.state(ROW) == before
    assert external_world.land(stage, expected=first)
    assert external_world.land(stage, expected=first), "again is the same"
    assert external_world.refs() == {"main": last}
    assert [external_world.count(s) for s in (first, middle, last)] == [2, 7, 8]
    after = external_world.lake.state(ROW)
    assert before is not None
    assert after is not None
    assert after.uuid == before.uuid
    made = [external_world.lake.snapshot(ROW, snapshot) for snapshot in (first, middle, last)]
    assert [state.run_id if state else None for state in made] == ["r-1", "r-two", "r-two"]


def test_a_branch_has_its_own_ref_and_main_stays(external_world: Any) -> None:
    first = external_world.new(2)
    stage = external_world.stage(ROW, first)
    second = external_world.append(stage, 1, "note")
    assert external_world.land(stage, DEV, None)
    assert external_world.refs() == {"main": first, "dev": second}
    on_main, on_dev = external_world.lake.snapshot(ROW), external_world.lake.snapshot(ROW, second)
    assert on_main is not None
    assert on_dev is not None
    assert (on_main.schema.names, on_dev.schema.names) == (("id",), ("id", "note"))
    state = external_world.lake.state(ROW)
    assert state is not None
    assert state.current_schema_id == on_main.schema_id


def test_a_column_added_on_main_is_the_tables(external_world: Any) -> None:
    first = external_world.new(2)
    stage = external_world.stage(ROW, first)
    external_world.append(stage, 1, "note")
    assert external_world.land(stage, expected=first)
    on_main = external_world.lake.snapshot(ROW)
    assert on_main is not None
    assert on_main.schema.names == ("id", "note")
    state = external_world.lake.state(ROW)
    assert state is not None
    assert state.current_schema_id == on_main.schema_id


@pytest.mark.slow
def test_the_second_of_two_on_one_branch_is_refused(external_world: Any) -> None:
    first = external_world.new(2)
    one, two = external_world.stage(ROW, first), external_world.stage(ROW, first)
    landed = external_world.append(one, 1)
    external_world.append(two, 1)
    assert external_world.land(one, expected=first)
    assert not external_world.land(two, expected=first)
    assert external_world.prepare(two, MAIN, first) == PointerConflict((ROW,), False)
    assert external_world.refs() == {"main": landed}


@pytest.mark.slow
def test_a_sibling_branch_landing_first_takes_the_sequence_number(external_world: Any) -> None:
    first = external_world.new(2)
    one, two = external_world.stage(ROW, first), external_world.stage(ROW, first)
    landed = external_world.append(one, 1)
    external_world.append(two, 1)
    assert external_world.land(one, expected=first)
    assert external_world.prepare(two, DEV, None) == PointerConflict((ROW,), False)
    assert not external_world.land(two, DEV, None)
    again = external_world.stage(ROW, first)
    on_dev = external_world.append(again, 1)
    assert external_world.land(again, DEV, None)
    assert external_world.refs() == {"main": landed, "dev": on_dev}


def test_a_move_of_another_ref_meanwhile_is_no_obstacle(external_world: Any) -> None:
    first = external_world.new(2)
    stage = external_world.stage(ROW, first)
    second = external_world.append(stage, 1)
    external_world.lake.set_ref(ROW, "kept", first)
    assert external_world.land(stage, expected=first)
    assert external_world.refs() == {"main": second, "kept": first}


def test_logs_of_the_table_run_forwards_though_the_stage_is_older_than_the_last_change(external_world: Any) -> None:
    first = external_world.new(2)
    stage = external_world.stage(ROW, first)
    external_world.append(stage, 1)
    external_world.lake._clock = lambda: datetime.now(UTC) + timedelta(minutes=10)
    external_world.lake.set_ref(ROW, "kept", first)
    assert external_world.land(stage, expected=first)
    external_world.lake.set_ref(ROW, "kept", None)
    metadata = external_world.catalog.load_table("core.orders").metadata
    times = [entry.timestamp_ms for entry in metadata.metadata_log]
    assert times == sorted(times)
    times = [entry.timestamp_ms for entry in metadata.snapshot_log]
    assert times == sorted(times)


def test_a_table_new_on_a_branch_stays_hidden_and_grows_there(external_world: Any) -> None:
    stage = external_world.stage()
    first = external_world.append(stage, 2)
    pointer = external_world.prepare(stage, DEV, None)
    assert isinstance(pointer, Pointer)
    assert pointer.catalog.namespace == "forge_branches"
    assert external_world.land(stage, DEV, None)
    assert external_world.lake.tables() == ()
    assert external_world.refs(pointer.catalog) == {"dev": first}
    assert external_world.lake.snapshot(pointer.catalog) is None, "it has no current snapshot"
    again = external_world.stage(pointer.catalog, first)
    second = external_world.append(again, 1)
    assert external_world.land(again, DEV, first)
    assert external_world.refs(pointer.catalog) == {"dev": second}
    external_world.new(7)
    assert external_world.refs(pointer.catalog) == {"dev": second}


def test_two_runs_that_create_one_table_do_not_both_succeed(external_world: Any) -> None:
    one, two = external_world.stage(), external_world.stage()
    first = external_world.append(one, 1)
    external_world.append(two, 1)
    assert one.location != two.location
    assert external_world.land(one)
    assert not external_world.land(two)
    assert external_world.prepare(two, MAIN, None) == PointerConflict((ROW,), False)
    assert external_world.refs() == {"main": first}


def test_stages_are_dropped_by_run_and_opened_again(external_world: Any) -> None:
    first = external_world.new(1)
    external_world.stage(ROW, first, "r-a")
    again = external_world.stage(ROW, first, "r-a")
    external_world.stage(ROW, first, "r-b")
    assert [run_id for run_id, _ in external_world.lake.stages()] == ["r-a", "r-b"]
    assert external_world.lake.drop_stages(RunId("r-a")) == 1
    assert external_world.lake.drop_stages(RunId("r-a")) == 0
    assert external_world.lake.state(again.catalog) is None
    assert external_world.refs() == {"main": first}
    assert len(external_world.rows("core.orders")) == 1, "the files of the table stay"


@pytest.mark.slow
def test_a_ref_is_made_moved_and_removed(external_world: Any) -> None:
    first = external_world.new(1)
    stage = external_world.stage(ROW, first)
    second = external_world.append(stage, 1)
    assert external_world.land(stage, expected=first)
    external_world.lake.set_ref(ROW, "dev", first)
    external_world.lake.set_ref(ROW, "dev", second)
    external_world.lake.set_ref(ROW, "main", first)
    assert external_world.refs() == {"main": first, "dev": second}
    external_world.lake.set_ref(ROW, "dev", None)
    external_world.lake.set_ref(ROW, "dev", None)
    assert external_world.refs() == {"main": first}
    for catalog, snapshot, code in ((ROW, SnapshotId(1), "E406"), (CatalogName("core", "nope"), first, "E108")):
        with pytest.raises(ForgeError) as refused:
            external_world.lake.set_ref(catalog, "dev", snapshot)
        assert refused.value.code == code


def test_the_number_of_rows_is_known_without_a_job(external_world: Any) -> None:
    first = external_world.new(4)
    rows = Measure(kind="rows")
    assert external_world.lake.measure(
        ROW, first, [rows, Measure(kind="false", columns=("id",), arguments=("id > 0",))]
    ) == {rows: 4}


def test_a_view_is_a_file_and_not_an_entry_of_the_catalog(external_world: Any) -> None:
    schema = Schema((Column("id", "bigint"),))
    first = external_world.lake.write_view(TableName("core", "v"), "SELECT 1", schema, None)
    second = external_world.lake.write_view(TableName("core", "v"), "SELECT 2", schema, first)
    assert [external_world.lake.read_view(location) for location in (first, second)] == ["SELECT 1", "SELECT 2"]
    assert external_world.lake.view_schema(first) == schema
    assert external_world.lake.state(CatalogName("core", "v")) is None
    assert external_world.lake.schema(CatalogName("core", "v")) is None


def test_files_of_someone_elses_warehouse_are_never_deleted(external_world: Any) -> None:
    with pytest.raises(ForgeError) as refused:
        collect_garbage(
            external_world.metadata, external_world.lake, author=ADA, now=NOW, older_than=timedelta(0), dry_run=False
        )
    assert refused.value.code == "E407"
    assert "remove_orphan_files" in str(refused.value.fix)


@pytest.mark.slow
def test_a_catalog_that_cannot_be_reached_is_named(tmp_path: Path) -> None:
    nowhere = ExternalLake("sql", {"uri": f"sqlite:///{tmp_path}/no/such/folder.db"}, str(tmp_path))
    closed = ExternalLake("rest", {"uri": "http://127.0.0.1:9"}, str(tmp_path))
    for lake, place in ((nowhere, "folder.db"), (closed, "127.0.0.1:9")):
        with pytest.raises(ForgeError) as refused:
            lake.tables()
        assert refused.value.code == "E405"
        assert place in str(refused.value.where)


@pytest.mark.slow
def test_an_error_shows_no_password(tmp_path: Path) -> None:
    uri = "postgresql+psycopg://127.0.0.1:9/lake"
    known = pyiceberg_properties("sql", uri, {"user": "ada", "password": "hunter2"}, "/wh", tmp_path)
    with pytest.raises(ForgeError) as refused:
        ExternalLake("sql", known, "/wh").tables()
    assert refused.value.code == "E405"
    assert "hunter2" not in str(refused.value.to_dict())


def test_both_clients_are_told_the_same_catalog(tmp_path: Path) -> None:
    def both(kind: str, uri: str | None, **properties: str) -> tuple[dict[str, str], dict[str, str]]:
        properties = {key.replace("__", "."): value for key, value in properties.items()}
        arguments = (kind, uri, properties, "/wh", tmp_path)
        return pyiceberg_properties(*arguments), spark_properties(*arguments)

    python, spark = both("sql", "sqlite:///theirs.db")
    assert python == {"uri": f"sqlite:///{tmp_path}/theirs.db", "warehouse": "/wh"}
    assert spark["uri"].startswith(f"jdbc:sqlite:file:{tmp_path}/theirs.db?")
    assert (spark["type"], spark["jdbc.schema-version"], spark["warehouse"]) == ("jdbc", "V1", "/wh")
    python, spark = both("sql", "postgresql+psycopg://db:5433/lake", user="ada", password="p@ss")
    assert python["uri"] == "postgresql+psycopg://ada:p%40ss@db:5433/lake"
    assert (spark["uri"], spark["jdbc.user"], spark["jdbc.password"]) == (
        "jdbc:postgresql://db:5433/lake",
        "ada",
        "p@ss",
    )
    assert "password" not in {*python, *spark}
    python, spark = both("rest", "https://catalog/api", token="secret", warehouse="prod")
    assert python == {"uri": "https://catalog/api", "token": "secret", "warehouse": "prod"}
    assert spark == {**python, "type": "rest", "cache-enabled": "false"}
    assert "warehouse" not in both("rest", "https://catalog/api")[0]
    assert both("glue", None)[1] == {"type": "glue", "warehouse": "/wh", "cache-enabled": "false"}
    assert both("hive", "thrift://meta:9083")[0] == {"uri": "thrift://meta:9083", "warehouse": "/wh"}
    with pytest.raises(ForgeError) as refused:
        both("sql", "mysql://db/lake")
    assert refused.value.code == "E105"

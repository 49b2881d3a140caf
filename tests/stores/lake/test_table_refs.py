"""Hidden rows for an engine, and where a branch of a table points. PyIceberg writes, no engine."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa
import pytest
from orders_house import DEV, FIELDS, MAIN, ORDERS, ROW, RUNS, TWO, House, table_of

from forge.flows.runs.records import Pointer, PointerConflict
from forge.flows.versioning.tables import FileSlice
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, RunId, SnapshotId
from forge.versioning.commit import TableVersion
from forge.versioning.field import TableField

# hidden rows for an engine


def test_expose_shows_exactly_these_files(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    sql_lake.catalog.load_table("core.orders").append(table_of((50, "later", 5.0)))
    name = sql_lake.tables.expose(RunId("r-e"), FileSlice(ROW, base, tuple(sql_lake.files(base)[1:])), "ours")
    assert name == CatalogName("forge_staging", "r-e__slice__ours")
    assert sql_lake.rows(sql_lake.head(name), name) == [(11, "k", None), (12, "l", 4.0)]
    assert sql_lake.summary(sql_lake.head(name), name)["total-records"] == "2"
    assert sql_lake.tables.files(name, sql_lake.head(name)).files == set(sql_lake.files(base)[1:])
    assert sql_lake.lake.drop_stages(RunId("r-e")) == 1


def test_expose_of_no_files_is_an_empty_table(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    name = sql_lake.tables.expose(RunId("r-e"), FileSlice(ROW, base, ()), "none")
    assert sql_lake.rows(sql_lake.head(name), name) == []


def test_what_is_written_to_a_scratch_row_is_taken_over(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    wanted = (*FIELDS, TableField(4, "extra", "string"))
    name = sql_lake.tables.scratch(stage, wanted, "rows")
    assert sql_lake.lake.snapshot(name) is None
    schema = pa.schema([*table_of().schema, ("extra", pa.string())])
    rows = pa.Table.from_pylist([{"id": 5, "name": "e", "amount": 5.0, "extra": "x"}], schema=schema)
    sql_lake.catalog.load_table((name.namespace, name.name)).append(rows)
    written = sql_lake.tables.files(name, sql_lake.head(name))
    part = FileSlice(name, sql_lake.head(name), tuple(written.files))
    made = sql_lake.tables.swap(stage, sql_lake.files(base)[:1], part, wanted)
    sql_lake.publish(stage, expected=base)
    assert sql_lake.rows(made) == [(11, "k", None, None), (12, "l", 4.0, None), (5, "e", 5.0, "x")]
    sql_lake.lake.drop_stages(stage.run_id)
    assert sql_lake.lake.stages() == ()


def test_drop_stages_drops_all_rows_of_a_run(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    sql_lake.tables.scratch(stage, FIELDS, "a")
    sql_lake.tables.expose(stage.run_id, FileSlice(ROW, base, ()), "b")
    assert sql_lake.lake.drop_stages(stage.run_id) == 3


# advance


def test_a_stage_is_advanced_to_a_snapshot_that_came_later(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    theirs = sql_lake.branched(((21, "u", 1.0),))
    sql_lake.tables.advance(stage, theirs)
    assert sql_lake.head(stage.catalog) == theirs
    made = sql_lake.tables.rewrite(stage, [], table_of((31, "v", 1.0)), FIELDS)
    sql_lake.publish(stage, expected=base)
    assert sql_lake.head() == made
    assert [row[0] for row in sql_lake.rows(made)] == [1, 11, 12, 2, 21, 31]


def test_advance_alone_publishes_the_snapshot_as_it_is(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    theirs = sql_lake.branched(((21, "u", 1.0),))
    sql_lake.tables.advance(stage, theirs)
    sql_lake.publish(stage, expected=base)
    assert sql_lake.head() == theirs
    with pytest.raises(ForgeError, match="no snapshot"):
        sql_lake.tables.advance(sql_lake.stage(), SnapshotId(7))


# where a branch stands


def point(
    sql_lake: House, version: TableVersion, branch: BranchName, expected: SnapshotId | None
) -> Pointer | PointerConflict:
    return sql_lake.tables.point(ORDERS, version, branch, is_default=branch == MAIN, expected=expected)


def test_point_moves_a_branch_without_writing_data(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    theirs = sql_lake.branched(((21, "u", 1.0),))
    before = {path for path in sql_lake.folder.rglob("*") if path.suffix in (".avro", ".parquet")}
    sql_lake.apply(point(sql_lake, sql_lake.version(theirs), MAIN, base))
    assert sql_lake.head() == theirs
    assert {path for path in sql_lake.folder.rglob("*") if path.suffix in (".avro", ".parquet")} == before


def test_point_on_the_default_branch_takes_the_snapshots_columns_along(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    stage = sql_lake.stage(base)
    theirs = sql_lake.tables.swap(stage, [], None, (*FIELDS, TableField(4, "more", "int")))
    sql_lake.publish(stage, DEV, expected=base)
    assert len(sql_lake.catalog.load_table("core.orders").schema().fields) == 3
    sql_lake.apply(point(sql_lake, sql_lake.version(theirs), MAIN, base))
    assert len(sql_lake.catalog.load_table("core.orders").schema().fields) == 4
    sql_lake.apply(point(sql_lake, sql_lake.version(base), MAIN, theirs))
    assert len(sql_lake.catalog.load_table("core.orders").schema().fields) == 3
    sql_lake.apply(point(sql_lake, sql_lake.version(base), DEV, theirs))
    assert sql_lake.lake.state(ROW).refs == {"main": base, "dev": base}  # type: ignore[union-attr]


def test_point_to_where_the_branch_is_writes_nothing(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    before = set(sql_lake.folder.rglob("*.json"))
    pointer = point(sql_lake, sql_lake.version(base), MAIN, base)
    assert isinstance(pointer, Pointer)
    assert pointer.location == pointer.expected
    assert set(sql_lake.folder.rglob("*.json")) == before


def test_point_says_that_a_branch_has_moved(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    theirs = sql_lake.branched(((21, "u", 1.0),))
    assert point(sql_lake, sql_lake.version(base), MAIN, theirs) == PointerConflict((ROW,), branch_moved=False)
    assert point(sql_lake, sql_lake.version(base), DEV, base) == PointerConflict((ROW,), branch_moved=False)


def test_point_makes_the_ref_of_a_branch_that_has_none(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    sql_lake.apply(point(sql_lake, sql_lake.version(base), DEV, base))
    assert sql_lake.lake.state(ROW).refs == {"main": base, "dev": base}  # type: ignore[union-attr]


def branch_only(sql_lake: House) -> tuple[CatalogName, SnapshotId]:
    """A table that is new on a branch stands under a hidden name."""
    stage = sql_lake.lake.open_stage(RunId(f"r-{next(RUNS)}"), ORDERS, None, None)
    made = sql_lake.tables.rewrite(stage, [], table_of(*TWO[0]), FIELDS, key=["id"])
    pointer = sql_lake.lake.prepare(stage, DEV, is_default=False, expected=None)
    sql_lake.apply(pointer)
    assert isinstance(pointer, Pointer)
    sql_lake.lake.drop_stages(stage.run_id)
    return pointer.catalog, made


def test_a_table_of_a_branch_gets_its_name_on_the_default_branch(sql_lake: House) -> None:
    hidden, made = branch_only(sql_lake)
    assert sql_lake.lake.tables() == ()
    version = sql_lake.version(made, hidden)
    pointer = point(sql_lake, version, MAIN, None)
    assert isinstance(pointer, Pointer)
    assert pointer.home is not None
    assert (pointer.catalog, pointer.expected) == (ROW, None)
    assert (pointer.home.uuid, pointer.home.catalog) == (version.uuid, hidden)
    sql_lake.apply(pointer)
    assert sql_lake.lake.tables() == (ROW,)
    assert sql_lake.lake.state(ROW).refs == {"main": made, "dev": made}  # type: ignore[union-attr]
    assert sql_lake.rows(made) == [(1, "a", 1.0), (2, "b", 2.0)]


def test_a_name_that_is_taken_is_not_given(sql_lake: House) -> None:
    hidden, made = branch_only(sql_lake)
    sql_lake.create(*TWO)
    assert point(sql_lake, sql_lake.version(made, hidden), MAIN, None) == PointerConflict((ROW,), branch_moved=False)


def test_a_hidden_table_keeps_its_snapshots_and_comes_back(sql_lake: House) -> None:
    base = sql_lake.create(*TWO)
    theirs = sql_lake.branched(((21, "u", 1.0),))
    version = sql_lake.version(base)
    assert sql_lake.tables.hide(ORDERS, version, theirs) == PointerConflict((ROW,), branch_moved=False)
    pointer = sql_lake.tables.hide(ORDERS, version, base)
    sql_lake.apply(pointer)
    assert isinstance(pointer, Pointer)
    assert sql_lake.lake.tables() == ()
    state = sql_lake.lake.state(pointer.catalog)
    assert state is not None
    assert state.refs == {"dev": theirs}
    assert sql_lake.lake.snapshot(pointer.catalog) is None
    assert len(sql_lake.rows(base, pointer.catalog)) == 4
    sql_lake.apply(point(sql_lake, replace(version, catalog=pointer.catalog), MAIN, None))
    assert sql_lake.head() == base
    assert sql_lake.lake.state(ROW).refs == {"main": base, "dev": theirs}  # type: ignore[union-attr]

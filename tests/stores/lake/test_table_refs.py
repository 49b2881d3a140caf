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


def test_expose_shows_exactly_these_files(house: House) -> None:
    base = house.create(*TWO)
    house.catalog.load_table("core.orders").append(table_of((50, "later", 5.0)))
    name = house.tables.expose(RunId("r-e"), FileSlice(ROW, base, tuple(house.files(base)[1:])), "ours")
    assert name == CatalogName("forge_staging", "r-e__slice__ours")
    assert house.rows(house.head(name), name) == [(11, "k", None), (12, "l", 4.0)]
    assert house.summary(house.head(name), name)["total-records"] == "2"
    assert house.tables.files(name, house.head(name)).files == set(house.files(base)[1:])
    assert house.lake.drop_stages(RunId("r-e")) == 1


def test_expose_of_no_files_is_an_empty_table(house: House) -> None:
    base = house.create(*TWO)
    name = house.tables.expose(RunId("r-e"), FileSlice(ROW, base, ()), "none")
    assert house.rows(house.head(name), name) == []


def test_what_is_written_to_a_scratch_row_is_taken_over(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    wanted = (*FIELDS, TableField(4, "extra", "string"))
    name = house.tables.scratch(stage, wanted, "rows")
    assert house.lake.snapshot(name) is None
    schema = pa.schema([*table_of().schema, ("extra", pa.string())])
    rows = pa.Table.from_pylist([{"id": 5, "name": "e", "amount": 5.0, "extra": "x"}], schema=schema)
    house.catalog.load_table((name.namespace, name.name)).append(rows)
    written = house.tables.files(name, house.head(name))
    part = FileSlice(name, house.head(name), tuple(written.files))
    made = house.tables.swap(stage, house.files(base)[:1], part, wanted)
    house.publish(stage, expected=base)
    assert house.rows(made) == [(11, "k", None, None), (12, "l", 4.0, None), (5, "e", 5.0, "x")]
    house.lake.drop_stages(stage.run_id)
    assert house.lake.stages() == ()


def test_drop_stages_drops_all_rows_of_a_run(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    house.tables.scratch(stage, FIELDS, "a")
    house.tables.expose(stage.run_id, FileSlice(ROW, base, ()), "b")
    assert house.lake.drop_stages(stage.run_id) == 3


# advance


def test_a_stage_is_advanced_to_a_snapshot_that_came_later(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    theirs = house.branched(((21, "u", 1.0),))
    house.tables.advance(stage, theirs)
    assert house.head(stage.catalog) == theirs
    made = house.tables.rewrite(stage, [], table_of((31, "v", 1.0)), FIELDS)
    house.publish(stage, expected=base)
    assert house.head() == made
    assert [row[0] for row in house.rows(made)] == [1, 11, 12, 2, 21, 31]


def test_advance_alone_publishes_the_snapshot_as_it_is(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    theirs = house.branched(((21, "u", 1.0),))
    house.tables.advance(stage, theirs)
    house.publish(stage, expected=base)
    assert house.head() == theirs
    with pytest.raises(ForgeError, match="no snapshot"):
        house.tables.advance(house.stage(), SnapshotId(7))


# where a branch stands


def point(
    house: House, version: TableVersion, branch: BranchName, expected: SnapshotId | None
) -> Pointer | PointerConflict:
    return house.tables.point(ORDERS, version, branch, is_default=branch == MAIN, expected=expected)


def test_point_moves_a_branch_without_writing_data(house: House) -> None:
    base = house.create(*TWO)
    theirs = house.branched(((21, "u", 1.0),))
    before = {path for path in house.folder.rglob("*") if path.suffix in (".avro", ".parquet")}
    house.apply(point(house, house.version(theirs), MAIN, base))
    assert house.head() == theirs
    assert {path for path in house.folder.rglob("*") if path.suffix in (".avro", ".parquet")} == before


def test_point_on_the_default_branch_takes_the_snapshots_columns_along(house: House) -> None:
    base = house.create(*TWO)
    stage = house.stage(base)
    theirs = house.tables.swap(stage, [], None, (*FIELDS, TableField(4, "more", "int")))
    house.publish(stage, DEV, expected=base)
    assert len(house.catalog.load_table("core.orders").schema().fields) == 3
    house.apply(point(house, house.version(theirs), MAIN, base))
    assert len(house.catalog.load_table("core.orders").schema().fields) == 4
    house.apply(point(house, house.version(base), MAIN, theirs))
    assert len(house.catalog.load_table("core.orders").schema().fields) == 3
    house.apply(point(house, house.version(base), DEV, theirs))
    assert house.lake.state(ROW).refs == {"main": base, "dev": base}  # type: ignore[union-attr]


def test_point_to_where_the_branch_is_writes_nothing(house: House) -> None:
    base = house.create(*TWO)
    before = set(house.folder.rglob("*.json"))
    pointer = point(house, house.version(base), MAIN, base)
    assert isinstance(pointer, Pointer)
    assert pointer.location == pointer.expected
    assert set(house.folder.rglob("*.json")) == before


def test_point_says_that_a_branch_has_moved(house: House) -> None:
    base = house.create(*TWO)
    theirs = house.branched(((21, "u", 1.0),))
    assert point(house, house.version(base), MAIN, theirs) == PointerConflict((ROW,), branch_moved=False)
    assert point(house, house.version(base), DEV, base) == PointerConflict((ROW,), branch_moved=False)


def test_point_makes_the_ref_of_a_branch_that_has_none(house: House) -> None:
    base = house.create(*TWO)
    house.apply(point(house, house.version(base), DEV, base))
    assert house.lake.state(ROW).refs == {"main": base, "dev": base}  # type: ignore[union-attr]


def branch_only(house: House) -> tuple[CatalogName, SnapshotId]:
    """A table that is new on a branch stands under a hidden name."""
    stage = house.lake.open_stage(RunId(f"r-{next(RUNS)}"), ORDERS, None, None)
    made = house.tables.rewrite(stage, [], table_of(*TWO[0]), FIELDS, key=["id"])
    pointer = house.lake.prepare(stage, DEV, is_default=False, expected=None)
    house.apply(pointer)
    assert isinstance(pointer, Pointer)
    house.lake.drop_stages(stage.run_id)
    return pointer.catalog, made


def test_a_table_of_a_branch_gets_its_name_on_the_default_branch(house: House) -> None:
    hidden, made = branch_only(house)
    assert house.lake.tables() == ()
    version = house.version(made, hidden)
    pointer = point(house, version, MAIN, None)
    assert isinstance(pointer, Pointer)
    assert pointer.home is not None
    assert (pointer.catalog, pointer.expected) == (ROW, None)
    assert (pointer.home.uuid, pointer.home.catalog) == (version.uuid, hidden)
    house.apply(pointer)
    assert house.lake.tables() == (ROW,)
    assert house.lake.state(ROW).refs == {"main": made, "dev": made}  # type: ignore[union-attr]
    assert house.rows(made) == [(1, "a", 1.0), (2, "b", 2.0)]


def test_a_name_that_is_taken_is_not_given(house: House) -> None:
    hidden, made = branch_only(house)
    house.create(*TWO)
    assert point(house, house.version(made, hidden), MAIN, None) == PointerConflict((ROW,), branch_moved=False)


def test_a_hidden_table_keeps_its_snapshots_and_comes_back(house: House) -> None:
    base = house.create(*TWO)
    theirs = house.branched(((21, "u", 1.0),))
    version = house.version(base)
    assert house.tables.hide(ORDERS, version, theirs) == PointerConflict((ROW,), branch_moved=False)
    pointer = house.tables.hide(ORDERS, version, base)
    house.apply(pointer)
    assert isinstance(pointer, Pointer)
    assert house.lake.tables() == ()
    state = house.lake.state(pointer.catalog)
    assert state is not None
    assert state.refs == {"dev": theirs}
    assert house.lake.snapshot(pointer.catalog) is None
    assert len(house.rows(base, pointer.catalog)) == 4
    house.apply(point(house, replace(version, catalog=pointer.catalog), MAIN, None))
    assert house.head() == base
    assert house.lake.state(ROW).refs == {"main": base, "dev": theirs}  # type: ignore[union-attr]

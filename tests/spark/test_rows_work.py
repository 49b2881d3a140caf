"""Row work on Spark over parts of real Iceberg tables: only the named files are read, and the result is taken over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from orders_house import DEV, FIELDS, ORDERS, ROW, TWO, table_of
from spark_house import SparkHouse

from forge.flows.ports import Stage
from forge.flows.versioning.tables import DataFile, FileSlice, MergedRows, RowOperations, TableMerge
from forge.model.errors import ForgeError
from forge.model.names import RunId, SnapshotId
from forge.stores.lake.arrow.rows import ArrowRows
from forge.versioning.checksum import NOTHING, add_checksums, subtract_checksums
from forge.versioning.conflict import Answers, ResolutionChoice, ResolutionRule
from forge.versioning.field import Fields, TableField
from forge.versioning.schema.merge import align_for_diff, merge_schemas

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


pytestmark = pytest.mark.spark
Row = tuple[object, ...]


class Orders(SparkHouse):
    def overwritten(self, base: SnapshotId, branch: str, *parts: tuple[Row, ...], key: tuple[int, ...]) -> SnapshotId:
        """A branch on which the file with the first of these ids holds other rows."""
        stage = self.stage(base)
        held = [
            (file, self.tables.read(FileSlice(ROW, base, (file,))).column("id").to_pylist())
            for file in self.files(base)
        ]
        removed = [file for file, ids in held if set(ids) & set(key)]
        rows = table_of(*(row for part in parts for row in part))
        snapshot = self.tables.rewrite(stage, removed, rows, FIELDS)
        self.publish(stage, DEV.__class__(branch), expected=base)
        return snapshot

    def merge_of(self, base: SnapshotId, ours: SnapshotId, theirs: SnapshotId, **more: object) -> TableMerge:
        """As the flow makes it: what each side replaced and what came instead."""
        b, o, t = (self.tables.files(ROW, one).files for one in (base, ours, theirs))
        layout, _ = merge_schemas(FIELDS, FIELDS, FIELDS, ("id",))
        rewritten = (o - b) | ((b - t) - (b - o))

        def part(snapshot: SnapshotId, files: frozenset[DataFile]) -> FileSlice | None:
            found = tuple(sorted(files, key=lambda file: file.path))
            return FileSlice(ROW, snapshot, found) if found else None

        work = TableMerge(
            table=ORDERS,
            layout=layout,
            base_ours=part(base, b - o),
            ours=part(ours, o - b),
            base_theirs=part(base, b - t),
            theirs=part(theirs, t - b),
            rewritten=part(ours, rewritten),
        )
        return replace(work, **more)  # type: ignore[arg-type]

    def written(self, merge: MergedRows, ours: SnapshotId, stage: Stage | None = None) -> list[Row]:
        stage = stage or self.stage(ours)
        snapshot = merge.write(stage)
        return sorted(self.rows(snapshot, stage.catalog), key=lambda row: str(row[0]).zfill(6))


@pytest.fixture
def orders_house(tmp_path: Path, spark: SparkSession) -> Iterator[Orders]:
    made = Orders(tmp_path, spark)
    yield made
    made.close()


RUN = RunId("r-merge")
OTHER_CELLS = (((1, "A", 1.0), (2, "b", 2.0)), ((1, "a", 9.0), (2, "b", 2.0), (3, "new", 3.0)))


def diverged(
    orders_house: Orders, ours: tuple[Row, ...], theirs: tuple[Row, ...]
) -> tuple[SnapshotId, SnapshotId, SnapshotId]:
    base = orders_house.create(*TWO)
    return (
        base,
        orders_house.overwritten(base, "ours", ours, key=(1,)),
        orders_house.overwritten(base, "theirs", theirs, key=(1,)),
    )


def test_both_adapters_give_the_same_answers(orders_house: Orders) -> None:
    rows = ((1, "o", 5.0), (2, "b", None)), ((1, "t", 6.0), (4, "x", 1.0))
    base, ours, theirs = diverged(orders_house, *rows)
    work = orders_house.merge_of(base, ours, theirs)
    on_spark, on_driver = orders_house.work.merge(work, RUN), ArrowRows(orders_house.tables).merge(work, RUN)
    assert on_spark.conflicts == on_driver.conflicts
    assert [one.id for one in on_spark.conflicts] == [one.id for one in on_driver.conflicts]
    for name in ("conflict_count", "resolved_count", "inserted", "updated", "deleted", "is_separate"):
        assert getattr(on_spark, name) == getattr(on_driver, name), name
    answers = Answers(
        (ResolutionRule(ResolutionChoice.THEIRS),),
        {on_spark.conflicts[0].id: ResolutionRule(ResolutionChoice.MANUAL, value=7.5)},
    )
    work = replace(work, answers=answers)
    found = [
        orders_house.written(rows.merge(work, RUN), ours)
        for rows in (orders_house.work, ArrowRows(orders_house.tables))
    ]
    assert found[0] == found[1] == [(1, "t", 7.5), (4, "x", 1.0), (11, "k", None), (12, "l", 4.0)]


def test_only_some_conflicts_are_given_back_but_all_are_counted(orders_house: Orders) -> None:
    rows = ((1, "o", 5.0), (2, "o", 5.0)), ((1, "t", 6.0), (2, "t", 6.0))
    base, ours, theirs = diverged(orders_house, *rows)
    merge = orders_house.work.merge(orders_house.merge_of(base, ours, theirs, limit=3), RUN)
    assert merge.conflict_count == 4
    assert [(one.key, one.column) for one in merge.conflicts] == [
        ({"id": 1}, "amount"),
        ({"id": 1}, "name"),
        ({"id": 2}, "amount"),
    ]
    with pytest.raises(ForgeError) as raised:
        merge.write(orders_house.stage(ours))
    assert raised.value.code == "E617"


@pytest.mark.parametrize("key", [["id"], ["name"], ["name", "id"]], ids=["one", "with NULL", "two"])
def test_keys_that_are_there_twice_are_the_same_on_spark_and_on_the_driver(
    orders_house: Orders, key: list[str]
) -> None:
    base = orders_house.create(*TWO)
    rows = ((1, "a", 1.0), (11, "t", 1.0), (12, "t", 1.0), (13, None, 1.0))
    theirs = orders_house.overwritten(base, "theirs", rows, key=(1,))
    files = {file.path: file for file in orders_house.files(theirs)}
    old = {file.path for file in orders_house.files(base)}
    new, rest = (
        FileSlice(ROW, theirs, tuple(files[path] for path in sorted(files) if (path in old) is was))
        for was in (False, True)
    )
    for part in (rest, None):
        found = [work.find_twins(new, part, key, 2) for work in (orders_house.work, ArrowRows(orders_house.tables))]
        assert found[0] == found[1]
        assert bool(found[0].count) == (key == ["name"] or (part is not None and key == ["id"]))


def count_jobs(orders_house: Orders, run_id: RunId) -> int:
    tracker = orders_house.spark.sparkContext.statusTracker()
    return len(tracker.getJobIdsForGroup(f"{run_id}:{ORDERS}"))


def test_a_clean_merge_with_its_write_takes_few_jobs_of_the_run(orders_house: Orders) -> None:
    base, ours, theirs = diverged(orders_house, *OTHER_CELLS)
    orders_house.spark.conf.set("spark.sql.adaptive.enabled", "false")  # which makes a job of every shuffle
    work = orders_house.merge_of(base, ours, theirs)
    run_id = RunId("r-counted")
    merge = orders_house.work.merge(work, run_id)
    merge.write(orders_house.stage(ours))
    assert 0 < count_jobs(orders_house, run_id) <= 6
    assert orders_house.spark_engine.progress(run_id, ORDERS).jobs == count_jobs(orders_house, run_id)


def test_a_cancelled_run_merges_nothing(orders_house: Orders) -> None:
    base, ours, theirs = diverged(orders_house, *OTHER_CELLS)
    run_id = RunId("r-cancelled")
    orders_house.spark_engine.cancel(run_id)
    with pytest.raises(ForgeError) as raised:
        orders_house.work.merge(orders_house.merge_of(base, ours, theirs), run_id)
    assert raised.value.code == "E901"


@pytest.mark.parametrize("key", [("id",), ()], ids=["keyed", "keyless"])
def test_the_diff_is_that_of_the_driver(orders_house: Orders, key: tuple[str, ...]) -> None:
    base = orders_house.create(*TWO)
    after = orders_house.overwritten(base, "dev", ((1, "A", None), (4, "n", 4.0), (5, "n", 5.0)), key=(1,))
    old, new = (orders_house.tables.files(ROW, one).files for one in (base, after))
    parts = FileSlice(ROW, base, tuple(old - new)), FileSlice(ROW, after, tuple(new - old))
    layout = align_for_diff(FIELDS, FIELDS, key)
    adapters: tuple[RowOperations, ...] = (orders_house.work, ArrowRows(orders_house.tables))
    whole = [rows.diff(*parts, layout) for rows in adapters]
    assert whole[0] == whole[1]
    assert len(whole[0].rows) > 3
    pages = [rows.diff(*parts, layout, limit=2, offset=1) for rows in adapters]
    assert pages[0] == pages[1]
    assert pages[0].rows == whole[0].rows[1:3]


def test_the_diff_of_a_new_table_and_of_renamed_columns(orders_house: Orders) -> None:
    base = orders_house.create(*TWO)
    part = FileSlice(ROW, base, tuple(orders_house.files(base)))
    renamed: Fields = (FIELDS[0], replace(FIELDS[2], name="price"), TableField(4, "added", "string"))
    layout = align_for_diff(renamed, FIELDS, ("id",))
    for rows in (orders_house.work, ArrowRows(orders_house.tables)):
        found = rows.diff(None, part, layout)
        assert (found.inserted, found.updated, found.deleted) == (4, 0, 0)
        assert found.rows[0].after == {"id": 1, "name": "a", "amount": 1.0}


def test_hidden_rows_of_a_diff_are_gone_afterwards(orders_house: Orders) -> None:
    base = orders_house.create(*TWO)
    first, second = orders_house.files(base)
    orders_house.work.diff(
        FileSlice(ROW, base, (first,)), FileSlice(ROW, base, (second,)), align_for_diff(FIELDS, FIELDS, ("id",))
    )
    assert orders_house.lake.stages() == ()
    assert len(orders_house.rows(base)) == 4


def test_duplicate_keys_of_a_side_are_refused(orders_house: Orders) -> None:
    base, ours, theirs = diverged(orders_house, ((1, "A", 1.0), (2, "b", 2.0), (2, "c", 2.0)), OTHER_CELLS[1])
    with pytest.raises(ForgeError) as raised:
        orders_house.work.merge(orders_house.merge_of(base, ours, theirs), RUN)
    assert raised.value.code == "E611"
    assert "ours" in raised.value.what
    assert "id = 2" in raised.value.what


def test_an_expression_that_does_not_fit_is_told_as_such(orders_house: Orders) -> None:
    base, ours, theirs = diverged(orders_house, ((1, "o", 1.0), (2, "b", 2.0)), ((1, "t", 1.0), (2, "b", 2.0)))
    answers = Answers((ResolutionRule(ResolutionChoice.EXPRESSION, column="name", value="ours + theirs"),))
    with pytest.raises(ForgeError) as raised:
        orders_house.work.merge(orders_house.merge_of(base, ours, theirs, answers=answers), RUN)
    assert raised.value.code == "E625"


def test_checksums_of_parts_add_up_and_follow_the_rows_not_the_files(orders_house: Orders) -> None:
    base = orders_house.create(*TWO)
    first, second = (
        orders_house.work.checksum(FileSlice(ROW, base, (file,)), FIELDS) for file in orders_house.files(base)
    )
    whole = orders_house.work.checksum(FileSlice(ROW, base, tuple(orders_house.files(base))), FIELDS)
    assert whole == add_checksums(first, second) != NOTHING
    assert subtract_checksums(whole, first) == second
    stage = orders_house.stage(base)
    compacted = orders_house.tables.rewrite(
        stage, orders_house.files(base), table_of(*TWO[1], *reversed(TWO[0])), FIELDS
    )
    files = tuple(orders_house.tables.files(stage.catalog, compacted).files)
    assert len(files) == 1
    assert orders_house.work.checksum(FileSlice(stage.catalog, compacted, files), FIELDS) == whole

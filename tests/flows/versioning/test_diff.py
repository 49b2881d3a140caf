"""Differences between two revisions, row by row, from the files that only one of them has."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kept_folder import KeptFolder
from version_world import VersionWorld, kept_world

from forge.flows.versioning.diff import diff
from forge.flows.versioning.merge.compare import compare, preview_merge
from forge.flows.versioning.merge.merge import MergeRequest
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.versioning.changes import TableDiff
from forge.versioning.field import TableField

ORDERS = "core.orders"
NAME = TableName.parse(ORDERS)


@pytest.fixture
def diff_world(world_folder: KeptFolder) -> Iterator[VersionWorld]:
    yield from kept_world(world_folder, "two tables", add_two_tables)


def add_two_tables(world: VersionWorld) -> None:
    rows = [{"id": number, "amount": number * 10, "note": "n"} for number in range(1, 6)]
    world.commit_rows(ORDERS, rows, key=["id"])
    world.commit_rows("core.other", [{"x": 1}])


def one(diff_world: VersionWorld, left: str = "main~1", right: str = "main", **options: Any) -> TableDiff:
    (found,) = diff(diff_world.ports, left, right, **options)
    return found


def shown(found: TableDiff) -> list[tuple[str, Any, tuple[str, ...]]]:
    return [(str(row.kind), tuple(row.key.values()), row.columns) for row in found.rows.rows]


@pytest.mark.slow
def test_inserted_updated_and_deleted_rows_with_old_and_new_values(diff_world: VersionWorld) -> None:
    diff_world.branch("dev")
    diff_world.commit_rows(
        ORDERS, [{"id": 2, "amount": 99, "note": "n"}, {"id": 9, "amount": 1, "note": "new"}], "merge"
    )
    diff_world.commit_rows(ORDERS, [{"id": 4}], "delete")
    found = one(diff_world, "dev", "main")
    assert (found.table, found.change, found.key) == (ORDERS, "changed", ("id",))
    assert (found.rows.inserted, found.rows.updated, found.rows.deleted) == (1, 1, 1)
    assert shown(found) == [("updated", (2,), ("amount",)), ("deleted", (4,), ()), ("inserted", (9,), ())]
    update, delete, insert = found.rows.rows
    assert (update.before, update.after) == (
        {"id": 2, "amount": 20, "note": "n"},
        {"id": 2, "amount": 99, "note": "n"},
    )
    assert (delete.after, insert.before) == (None, None)
    assert found.rows.columns is not None
    assert {name: count for name, count in found.rows.columns.items() if count} == {"amount": 1}


def test_rows_that_copy_on_write_carried_over_are_no_changes(diff_world: VersionWorld) -> None:
    before = diff_world.paths(ORDERS)
    diff_world.commit_rows(ORDERS, [{"id": 1, "amount": 11, "note": "n"}], "merge")
    assert before.isdisjoint(diff_world.paths(ORDERS))
    assert one(diff_world).rows.updated == 1
    assert one(diff_world).rows.inserted + one(diff_world).rows.deleted == 0


def test_a_table_rewritten_as_it_was_has_no_changed_row(diff_world: VersionWorld) -> None:
    diff_world.commit_rows(ORDERS, diff_world.arrow(ORDERS), "overwrite")
    found = one(diff_world)
    assert found.rows.is_empty
    assert (found.files_added, found.files_removed) == (1, 1)


@pytest.mark.slow
def test_only_the_files_that_one_side_has_are_read(diff_world: VersionWorld) -> None:
    diff_world.commit_rows(ORDERS, [{"id": 50 + n, "amount": 1, "note": "m"} for n in range(1000)])
    big = diff_world.paths(ORDERS)
    diff_world.commit_rows(ORDERS, [{"id": 5000, "amount": 1, "note": "small"}])
    (new,) = diff_world.paths(ORDERS) - big
    found = one(diff_world)
    assert found.bytes_read == Path(new.removeprefix("file://")).stat().st_size
    assert (found.files_added, found.files_removed) == (1, 0)


def test_the_other_way_round(diff_world: VersionWorld) -> None:
    diff_world.commit_rows(ORDERS, [{"id": 9, "amount": 1, "note": "new"}])
    assert one(diff_world, "main", "main~1").rows.deleted == 1


def test_unchanged_tables_are_left_out(diff_world: VersionWorld) -> None:
    assert diff(diff_world.ports, "main", "main") == ()


def test_pages_are_by_key_and_counts_are_of_all(diff_world: VersionWorld) -> None:
    rows = [{"id": number, "amount": 0, "note": "n"} for number in range(1, 6)]
    diff_world.commit_rows(ORDERS, rows, "merge")
    page = one(diff_world, limit=2, offset=2)
    assert page.rows.updated == 5
    assert [row.key["id"] for row in page.rows.rows] == [3, 4]


def test_columns_that_were_not_asked_for_do_not_count(diff_world: VersionWorld) -> None:
    diff_world.commit_rows(ORDERS, [{"id": 1, "amount": 1}, {"id": 2, "note": "x"}], "merge")
    found = one(diff_world, columns=["note"])
    assert {row.key["id"]: set(row.after or ()) for row in found.rows.rows} == {
        1: {"id", "note"},
        2: {"id", "note"},
    }
    with pytest.raises(ForgeError) as caught:
        one(diff_world, columns=["nte"])
    assert (caught.value.code, caught.value.why) == ("E108", "Did you mean note?")


def test_a_table_without_a_key_is_counted_as_a_bag(diff_world: VersionWorld) -> None:
    diff_world.commit_rows("core.other", [{"x": 1}, {"x": 1}, {"x": 2}])
    found = one(diff_world)
    assert (found.key, found.rows.inserted) == ((), 3)
    assert [(dict(row.key), row.count) for row in found.rows.rows] == [({"x": 1}, 2), ({"x": 2}, 1)]


def test_the_key_may_be_said(diff_world: VersionWorld) -> None:
    diff_world.commit_rows("core.other", [{"x": 2}])
    assert one(diff_world, keys={TableName.parse("core.other"): ("x",)}).key == ("x",)


def test_changes_of_columns_are_told_by_field_id(diff_world: VersionWorld) -> None:
    ident, amount, note = diff_world.fields(ORDERS)
    diff_world.set_fields(ORDERS, (ident, replace(note, name="remark"), TableField("city", "city", "string")))
    found = one(diff_world)
    assert [(c.change, c.column, c.before, c.after) for c in found.schema] == [
        ("dropped", "amount", "amount bigint", None),
        ("renamed", "remark", "note", "remark"),
        ("added", "city", None, "city string"),
    ]
    assert found.rows.is_empty
    assert found.bytes_read == 0
    assert amount.name == "amount"


def test_a_renamed_column_is_no_change_of_its_rows(diff_world: VersionWorld) -> None:
    diff_world.branch("dev")
    ident, amount, note = diff_world.fields(ORDERS)
    diff_world.set_fields(ORDERS, (ident, amount, replace(note, name="remark")))
    diff_world.commit_rows(ORDERS, [{"id": 1, "amount": 11}], "merge")
    found = one(diff_world, "dev", "main")
    assert shown(found) == [("updated", (1,), ("amount",))]


def test_a_new_table_is_all_inserted_and_only_a_page_is_read(diff_world: VersionWorld) -> None:
    diff_world.commit_rows("core.fresh", [{"id": n} for n in range(10)], key=["id"])
    found = one(diff_world, limit=3)
    assert (found.table, found.change, found.rows.inserted, len(found.rows.rows)) == ("core.fresh", "added", 10, 3)
    assert found.rows.rows[0].before is None
    back = one(diff_world, "main", "main~1", limit=0)
    assert (back.change, back.rows.deleted, back.rows.rows, back.bytes_read) == ("removed", 10, (), 0)


def test_a_table_of_that_name_that_was_made_anew_is_matched_by_names(diff_world: VersionWorld) -> None:
    diff_world.branch("dev", "main")
    diff_world.branch("left")
    diff_world.branch("right")
    diff_world.commit_rows("core.twin", [{"id": 1, "a": "x", "b": "y"}], key=["id"], branch="left")
    diff_world.commit_rows("core.twin", pa.table({"b": ["z"], "id": [1]}), key=["id"], branch="right")
    found = one(diff_world, "left", "right", tables=[TableName.parse("core.twin")])
    assert found.change == "changed"
    assert shown(found) == [("updated", (1,), ("b",))]


def test_an_unknown_table_is_refused_with_the_nearest(diff_world: VersionWorld) -> None:
    with pytest.raises(ForgeError) as caught:
        diff(diff_world.ports, "main~1", "main", tables=[TableName.parse("core.order")])
    assert (caught.value.code, caught.value.why) == ("E108", "Did you mean core.orders or core.other?")


# two lines beside each other


def test_a_comparison_tells_what_the_other_side_did_since_they_parted(diff_world: VersionWorld) -> None:
    diff_world.branch("dev")
    diff_world.commit_rows(ORDERS, [{"id": 9, "amount": 9, "note": "dev"}], branch="dev")
    diff_world.commit_rows("core.other", [{"x": 5}])
    found = compare(diff_world.ports, "main", "dev")
    assert (found.lines.ahead, found.lines.behind, found.lines.can_fast_forward) == (1, 1, False)
    assert [(str(c.table), c.rows_after - c.rows_before) for c in found.changes] == [(ORDERS, 1)]
    assert [(str(f.table), f.added, f.removed) for f in found.files] == [(ORDERS, 1, 0)]


def test_a_preview_of_a_merge_records_nothing(diff_world: VersionWorld) -> None:
    diff_world.branch("dev")
    diff_world.commit_rows(ORDERS, [{"id": 1, "note": "dev"}], "merge", branch="dev")
    diff_world.commit_rows(ORDERS, [{"id": 2, "note": "main"}], "merge")
    before = (diff_world.head(), len(diff_world.metadata.runs(limit=100)), diff_world.metadata.audit(limit=1))
    found = preview_merge(MergeRequest(source="dev", target="main"), diff_world.ports)
    assert (found.can_merge, found.has_conflicts, found.conflict_count) == (True, False, 0)
    assert [(t.table, t.how, t.updated) for t in found.tables] == [(ORDERS, "rows", 1)]
    assert (diff_world.head(), len(diff_world.metadata.runs(limit=100)), diff_world.metadata.audit(limit=1)) == before
    assert diff_world.lake.stages() == ()
    assert diff_world.metadata.merges() == ()


@pytest.mark.slow
def test_a_preview_names_the_conflicts(diff_world: VersionWorld) -> None:
    diff_world.branch("dev")
    diff_world.commit_rows(ORDERS, [{"id": 1, "note": "dev"}], "merge", branch="dev")
    diff_world.commit_rows(ORDERS, [{"id": 1, "note": "main"}], "merge")
    found = preview_merge(MergeRequest(source="dev", target="main"), diff_world.ports)
    assert (found.can_merge, found.has_conflicts, found.reason) == (False, True, "1 conflicts")
    (conflict,) = found.conflicts
    assert (conflict.column, conflict.base, conflict.ours, conflict.theirs) == ("note", "n", "main", "dev")


def test_a_preview_of_nothing_says_so(diff_world: VersionWorld) -> None:
    diff_world.branch("dev")
    found = preview_merge(MergeRequest(source="dev", target="main"), diff_world.ports)
    assert (found.can_merge, found.reason) == (False, "already up to date")

"""Row changes between two versions of a table."""

from __future__ import annotations

import pyarrow as pa
import pytest

from forge.model.errors import ForgeError
from forge.versioning import diff_tables
from forge.versioning.changes import ChangeKind, RowChange
from forge.versioning.field import AlignedColumn, Layout, TableField
from forge.versioning.rows.diff import diff_rows

LEFT = pa.table({"id": [1, 2, 3], "v": ["a", "b", None], "w": [1.0, float("nan"), 0.0]})
RIGHT = pa.table({"w": [-0.0, float("nan"), 4.0], "id": [3, 2, 4], "v": [None, "x", "new"]})


def test_rows_come_by_key_with_what_they_were_and_are() -> None:
    rows = diff_tables(LEFT, RIGHT, ("id",)).rows
    assert (rows.inserted, rows.updated, rows.deleted) == (1, 1, 1)
    first, second, third = rows.rows
    assert first == RowChange(ChangeKind.DELETED, {"id": 1}, {"w": 1.0, "id": 1, "v": "a"}, None)
    assert (second.kind, second.key, second.columns) == (ChangeKind.UPDATED, {"id": 2}, ("v",))
    assert (second.before or {})["v"] == "b"
    assert (second.after or {})["v"] == "x"
    assert (third.kind, third.after) == (ChangeKind.INSERTED, {"w": 4.0, "id": 4, "v": "new"})
    assert rows.columns == {"v": 1}


def test_pages_are_parts_of_one_order_and_counts_are_of_all() -> None:
    whole = diff_tables(LEFT, RIGHT, ("id",)).rows
    pages = [diff_tables(LEFT, RIGHT, ("id",), limit=1, offset=offset).rows for offset in range(4)]
    assert [[row.key for row in page.rows] for page in pages] == [[row.key] for row in whole.rows] + [[]]
    assert {(page.inserted, page.updated, page.deleted) for page in pages} == {(1, 1, 1)}


def test_equal_tables_have_no_changes() -> None:
    diff = diff_tables(LEFT, LEFT.take([2, 1, 0]), ("id",))
    assert diff.rows.is_empty
    assert diff.schema == ()


def test_without_a_key_rows_come_and_go_and_are_counted() -> None:
    left, right = pa.table({"v": ["a", "a", "b", None]}), pa.table({"v": ["a", "c", "c", "c", None]})
    rows = diff_tables(left, right).rows
    assert (rows.inserted, rows.updated, rows.deleted) == (3, 0, 2)
    assert rows.rows == (
        RowChange(ChangeKind.DELETED, {"v": "a"}, {"v": "a"}, None),
        RowChange(ChangeKind.DELETED, {"v": "b"}, {"v": "b"}, None),
        RowChange(ChangeKind.INSERTED, {"v": "c"}, None, {"v": "c"}, count=3),
    )


def test_a_dropped_column_is_shown_and_is_no_change_of_rows() -> None:
    diff = diff_tables(LEFT, RIGHT.drop_columns(["w"]), ("id",))
    assert [change.change for change in diff.schema] == ["dropped"]
    assert diff.rows.updated == 1
    assert diff.rows.rows[0].before == {"id": 1, "v": "a", "w": 1.0}


def test_values_of_an_added_column_are_changes_of_rows() -> None:
    right = LEFT.append_column("day", pa.array([None, "mon", None]))
    diff = diff_tables(LEFT, right, ("id",))
    assert [(row.key, row.columns) for row in diff.rows.rows] == [({"id": 2}, ("day",))]


def test_a_widened_column_is_compared_by_value() -> None:
    left = pa.table({"id": pa.array([1, 2], pa.int32()), "v": pa.array([1, 2], pa.int32())})
    right = pa.table({"id": pa.array([1, 2], pa.int64()), "v": pa.array([1, 2**40], pa.int64())})
    for first, second in ((left, right), (right, left)):
        diff = diff_tables(first, second, ("id",))
        assert diff.rows.updated == 1
        assert [change.change for change in diff.schema] == ["retyped", "retyped"]


def test_a_renamed_column_is_followed_by_its_layout() -> None:
    layout = Layout(
        (
            AlignedColumn(TableField(1, "order_id", "bigint"), "id", None, "order_id"),
            AlignedColumn(TableField(2, "total", "bigint"), "amount", None, "total"),
        ),
        ("order_id",),
    )
    left, right = pa.table({"id": [1, 2], "amount": [1, 2]}), pa.table({"order_id": [1, 2], "total": [1, 5]})
    (change,) = diff_rows(layout, left, right).rows
    assert (change.key, change.before, change.after) == (
        {"order_id": 2},
        {"order_id": 2, "total": 2},
        {"order_id": 2, "total": 5},
    )


def test_tables_of_no_rows_differ_in_nothing_or_in_all() -> None:
    empty = LEFT.slice(0, 0)
    assert diff_tables(empty, empty, ("id",)).rows.is_empty
    assert diff_tables(empty, LEFT, ("id",)).rows.inserted == 3
    assert diff_tables(LEFT, empty).rows.deleted == 3


def test_a_key_twice_or_unknown_is_an_error() -> None:
    with pytest.raises(ForgeError, match="the right has several rows with the key id = 2") as error:
        diff_tables(LEFT, pa.concat_tables([RIGHT, RIGHT.slice(1, 1)]), ("id",))
    assert error.value.code == "E611"
    with pytest.raises(ForgeError) as error:
        diff_tables(LEFT, RIGHT, ("idd",))
    assert (error.value.code, error.value.fix) == ("E613", "Did you mean id?")

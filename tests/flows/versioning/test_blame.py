"""Blame: the commit and the run that last wrote a row and each of its cells."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kept_folder import KeptFolder
from version_world import BEN, VersionWorld, kept_world

from forge.flows.versioning.blame import Blame, blame
from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.versioning.field import TableField
from forge.versioning.merge import MergeType

ORDERS = "core.orders"
NAME = TableName.parse(ORDERS)


@pytest.fixture
def blame_world(world_folder: KeptFolder) -> Iterator[VersionWorld]:
    rows = [{"id": 1, "a": "x", "b": 1}, {"id": 2, "a": "y", "b": 2}]
    yield from kept_world(
        world_folder, "blamed orders", lambda world: world.commit_rows(ORDERS, rows, key=["id"], message="first")
    )


def words(found: Blame) -> dict[Any, dict[str, str]]:
    return {row.key["id"]: {name: cell.message for name, cell in row.cells.items()} for row in found.rows}


def newest(found: Blame) -> dict[Any, str]:
    return {row.key["id"]: row.row.message for row in found.rows}


@pytest.mark.slow
def test_each_cell_has_the_commit_that_last_changed_its_value(blame_world: VersionWorld) -> None:
    blame_world.commit_rows(ORDERS, [{"id": 1, "a": "changed"}], "merge", message="second")
    blame_world.commit_rows(ORDERS, [{"id": 3, "a": "z", "b": 3}], message="third")
    found = blame(blame_world.ports, NAME)
    assert words(found) == {
        1: {"id": "first", "a": "second", "b": "first"},
        2: {"id": "first", "a": "first", "b": "first"},
        3: {"id": "third", "a": "third", "b": "third"},
    }
    assert newest(found) == {1: "second", 2: "first", 3: "third"}


@pytest.mark.slow
def test_it_names_author_time_and_run(blame_world: VersionWorld) -> None:
    theirs = replace(blame_world, ports=replace(blame_world.ports, author=BEN))
    result = theirs.commit_rows(ORDERS, [{"id": 1, "a": "ben"}], "merge", message="by Ben")
    (row,) = blame(blame_world.ports, NAME, key={"id": 1}).rows
    assert result.commit is not None
    cell = row.cells["a"]
    assert (cell.author, cell.commit, cell.time, cell.run_id) == (
        BEN,
        result.commit.id,
        result.commit.time,
        result.run_id,
    )


def test_a_row_that_was_only_carried_over_is_not_written(blame_world: VersionWorld) -> None:
    blame_world.commit_rows(ORDERS, blame_world.arrow(ORDERS), "overwrite", message="rewritten as it was")
    assert newest(blame(blame_world.ports, NAME)) == {1: "first", 2: "first"}


def test_a_value_that_came_back_was_written_when_it_came_back(blame_world: VersionWorld) -> None:
    blame_world.commit_rows(ORDERS, [{"id": 1, "a": "other"}], "merge", message="away")
    blame_world.commit_rows(ORDERS, [{"id": 1, "a": "x"}], "merge", message="back")
    assert words(blame(blame_world.ports, NAME, key={"id": 1}))[1]["a"] == "back"


def test_a_row_that_was_deleted_and_came_again_is_of_the_commit_that_brought_it(blame_world: VersionWorld) -> None:
    blame_world.commit_rows(ORDERS, [{"id": 1}], "delete", message="gone")
    blame_world.commit_rows(ORDERS, [{"id": 1, "a": "x", "b": 1}], message="again")
    assert set(words(blame(blame_world.ports, NAME, key={"id": 1}))[1].values()) == {"again"}


def test_an_older_revision_knows_nothing_of_later_commits(blame_world: VersionWorld) -> None:
    blame_world.commit_rows(ORDERS, [{"id": 1, "a": "later"}], "merge", message="later")
    assert newest(blame(blame_world.ports, NAME, at="main~1")) == {1: "first", 2: "first"}


def test_commits_of_other_tables_are_passed_over(blame_world: VersionWorld) -> None:
    blame_world.commit_rows("core.other", [{"x": 1}], message="elsewhere")
    assert newest(blame(blame_world.ports, NAME)) == {1: "first", 2: "first"}


@pytest.mark.slow
@pytest.mark.parametrize("target", ["main", "dev"])
def test_at_a_merge_each_cell_follows_the_side_it_came_from(blame_world: VersionWorld, target: str) -> None:
    blame_world.branch("dev")
    blame_world.commit_rows(ORDERS, [{"id": 1, "a": "dev"}], "merge", branch="dev", message="on dev")
    blame_world.commit_rows(ORDERS, [{"id": 1, "b": 7}], "merge", message="on main")
    source = "dev" if target == "main" else "main"
    assert merge(MergeRequest(source=source, target=target), blame_world.ports).type is MergeType.THREE_WAY
    assert words(blame(blame_world.ports, NAME, at=target))[1] == {"id": "first", "a": "on dev", "b": "on main"}


def test_a_column_that_was_renamed_keeps_its_history(blame_world: VersionWorld) -> None:
    ident, a, b = blame_world.fields(ORDERS)
    blame_world.set_fields(ORDERS, (replace(ident, name="number"), replace(a, name="word"), b), message="renamed")
    found = blame(blame_world.ports, NAME)
    assert found.key == ("number",)
    assert {cell.message for row in found.rows for cell in row.cells.values()} == {"first"}


def test_a_cell_is_not_older_than_its_column(blame_world: VersionWorld) -> None:
    blame_world.set_fields(ORDERS, (*blame_world.fields(ORDERS), TableField("c", "c", "string")), message="new column")
    cells = words(blame(blame_world.ports, NAME, key={"id": 1}))[1]
    assert cells == {"id": "first", "a": "first", "b": "first", "c": "new column"}


def test_without_a_key_the_first_rows_by_key_are_told(blame_world: VersionWorld) -> None:
    blame_world.commit_rows(ORDERS, [{"id": n, "a": "n", "b": n} for n in (9, 0, 5)], message="more")
    found = blame(blame_world.ports, NAME, limit=2)
    assert [row.key["id"] for row in found.rows] == [0, 1]
    assert found.truncated


def test_columns_may_be_chosen(blame_world: VersionWorld) -> None:
    assert words(blame(blame_world.ports, NAME, key={"id": "2"}, columns=["b"])) == {2: {"b": "first"}}


def test_only_files_that_may_hold_the_key_are_opened(blame_world: VersionWorld) -> None:
    before = blame_world.paths(ORDERS)
    blame_world.commit_rows(ORDERS, [{"id": 100, "a": "far", "b": 0}], message="far away")
    (far,) = blame_world.paths(ORDERS) - before
    Path(far.removeprefix("file://")).unlink()
    assert newest(blame(blame_world.ports, NAME, key={"id": 1})) == {1: "first"}


def test_a_table_without_a_key_needs_one(blame_world: VersionWorld) -> None:
    blame_world.commit_rows("core.bag", [{"x": 1, "y": "a"}, {"x": 2, "y": "b"}, {"x": 2, "y": "c"}], message="bag")
    bag = TableName.parse("core.bag")
    with pytest.raises(ForgeError) as caught:
        blame(blame_world.ports, bag)
    assert caught.value.code == "E613"
    (row,) = blame(blame_world.ports, bag, key={"x": 1}).rows
    assert row.row.message == "bag"
    with pytest.raises(ForgeError) as caught:
        blame(blame_world.ports, bag, key={"x": 2})
    assert caught.value.code == "E611"


@pytest.mark.parametrize(
    ("key", "code"),
    [
        pytest.param({"id": 77}, "E108", id="no such row"),
        pytest.param({"nope": 1}, "E108", id="no such column"),
        pytest.param({"id": "x"}, "E105", id="no such number"),
    ],
)
def test_a_key_that_leads_nowhere_is_refused(blame_world: VersionWorld, key: dict[str, object], code: str) -> None:
    with pytest.raises(ForgeError) as caught:
        blame(blame_world.ports, NAME, key=key)
    assert caught.value.code == code


def test_not_a_number_is_equal_to_itself(blame_world: VersionWorld) -> None:
    nan = float("nan")
    blame_world.commit_rows("core.f", pa.table({"id": [1, 2], "v": [nan, 1.0]}), key=["id"], message="nan")
    blame_world.commit_rows("core.f", pa.table({"id": [2], "v": [2.0]}), "merge", message="two")
    assert newest(blame(blame_world.ports, TableName.parse("core.f"))) == {1: "nan", 2: "two"}

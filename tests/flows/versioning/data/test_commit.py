"""Commits of data: rows appended, put in place, merged in and deleted by key, judged and published like any run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from kept_folder import KeptFolder
from version_world import VersionWorld, kept_world, make_world

from forge.flows.runs.records import RunStatus
from forge.flows.versioning.branches import protect_branch
from forge.flows.versioning.data.commit import CommitMode, CommitRequest, commit_data
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.checks import NotNullCheck

ORDERS = "core.orders"
NAME = TableName.parse(ORDERS)
FIRST = [{"id": 1, "amount": 10, "note": "a"}, {"id": 2, "amount": 20, "note": "b"}]


@pytest.fixture
def commit_world(world_folder: KeptFolder) -> Iterator[VersionWorld]:
    yield from kept_world(
        world_folder, "first orders", lambda world: world.commit_rows(ORDERS, FIRST, key=["id"], message="First")
    )


def refused(act: Callable[[], object]) -> ForgeError:
    with pytest.raises(ForgeError) as caught:
        act()
    return caught.value


def ids(commit_world: VersionWorld, at: str = "main") -> list[Any]:
    return sorted(row["id"] for row in commit_world.rows(ORDERS, at))


def counts(statistics: Any) -> tuple[int, int, int, int]:
    return (statistics.rows_added, statistics.rows_modified, statistics.rows_deleted, statistics.record_count)


def test_the_first_commit_creates_the_table_with_its_key(commit_world: VersionWorld) -> None:
    assert commit_world.rows(ORDERS) == FIRST
    version = commit_world.version(ORDERS)
    assert version is not None
    assert version.number == 1
    assert commit_world.tables.files(version.catalog, version.snapshot_id).identifier == ("id",)  # type: ignore[arg-type]


def test_an_append_adds_files_and_leaves_the_others(commit_world: VersionWorld) -> None:
    before = commit_world.paths(ORDERS)
    result = commit_world.commit_rows(ORDERS, [{"id": 3, "amount": 30, "note": "c"}])
    assert result.status == "published"
    assert counts(result.statistics) == (1, 0, 0, 3)
    assert ids(commit_world) == [1, 2, 3]
    assert before < commit_world.paths(ORDERS)


def test_an_overwrite_leaves_nothing_of_what_was_there(commit_world: VersionWorld) -> None:
    result = commit_world.commit_rows(ORDERS, [{"id": 9, "amount": 90, "note": "z"}], "overwrite")
    assert ids(commit_world) == [9]
    assert result.statistics.record_count == 1
    assert ids(commit_world, "main~1") == [1, 2]


def test_an_overwrite_may_bring_new_columns_and_leave_others_empty(commit_world: VersionWorld) -> None:
    commit_world.commit_rows(ORDERS, pa.table({"id": [9], "city": ["Ulm"]}), "overwrite")
    assert commit_world.rows(ORDERS) == [{"id": 9, "amount": None, "note": None, "city": "Ulm"}]
    assert [field.id for field in commit_world.fields(ORDERS)] == [1, 2, 3, 4]
    assert commit_world.rows(ORDERS, "main~1") == FIRST


def test_a_merge_updates_the_rows_whose_keys_are_there_and_inserts_the_others(commit_world: VersionWorld) -> None:
    result = commit_world.commit_rows(
        ORDERS, [{"id": 2, "amount": 21, "note": "b"}, {"id": 3, "amount": 30, "note": "c"}], "merge"
    )
    assert counts(result.statistics) == (1, 1, 0, 3)
    assert {row["id"]: row["amount"] for row in commit_world.rows(ORDERS)} == {1: 10, 2: 21, 3: 30}


def test_a_merge_leaves_columns_that_are_not_given(commit_world: VersionWorld) -> None:
    commit_world.commit_rows(ORDERS, [{"id": 2, "amount": 21}], "merge")
    assert commit_world.rows(ORDERS)[1] == {"id": 2, "amount": 21, "note": "b"}


def test_a_delete_takes_the_rows_with_the_keys(commit_world: VersionWorld) -> None:
    result = commit_world.commit_rows(ORDERS, [{"id": 1}, {"id": 77}], "delete")
    assert counts(result.statistics) == (0, 0, 1, 1)
    assert ids(commit_world) == [2]


@pytest.mark.slow
def test_only_files_in_which_a_key_is_found_and_something_changes_are_written_anew(commit_world: VersionWorld) -> None:
    commit_world.commit_rows(ORDERS, [{"id": 10, "amount": 1, "note": "x"}, {"id": 30, "amount": 1, "note": "x"}])
    commit_world.commit_rows(ORDERS, [{"id": 20, "amount": 1, "note": "x"}, {"id": 40, "amount": 1, "note": "x"}])
    before = commit_world.paths(ORDERS)
    # 20 lies within the bounds of the file with 10 and 30, and row 1 is given as it is
    result = commit_world.commit_rows(
        ORDERS, [{"id": 20, "amount": 2, "note": "x"}, {"id": 1, "amount": 10, "note": "a"}], "merge"
    )
    assert len(before - commit_world.paths(ORDERS)) == 1
    assert counts(result.statistics) == (0, 1, 0, 6)


@pytest.mark.parametrize(
    ("mode", "rows"),
    [
        pytest.param("merge", FIRST[:1], id="a merge of what is there"),
        pytest.param("delete", [{"id": 77}], id="a delete that hits nothing"),
        pytest.param("append", pa.table({"id": pa.array([], pa.int64())}), id="an append of no rows"),
    ],
)
def test_a_commit_that_changes_nothing_is_none(commit_world: VersionWorld, mode: str, rows: Any) -> None:
    head = commit_world.head()
    assert refused(lambda: commit_world.commit_rows(ORDERS, rows, mode)).code == "E627"
    assert commit_world.head() == head


@pytest.mark.parametrize(
    ("rows", "code", "words"),
    [
        pytest.param([{"id": 5}, {"id": 6}, {"id": 5}], "E611", "id=5", id="a key twice"),
        pytest.param([{"id": 5}, {"id": None}], "E612", "id", id="a key that is NULL"),
        pytest.param([{"note": "x"}], "E613", "id", id="no key column"),
        pytest.param([{"id": 1, "amuont": 5}], "E621", "amuont", id="a column the table does not have"),
    ],
)
def test_bad_rows_are_refused_and_nothing_moves(commit_world: VersionWorld, rows: Any, code: str, words: str) -> None:
    head, given = commit_world.head(), pa.Table.from_pylist(rows)
    error = refused(lambda: commit_world.commit_rows(ORDERS, given, "merge"))
    assert error.code == code
    assert words in error.what
    assert commit_world.head() == head
    assert commit_world.lake.stages() == ()


def test_a_key_that_is_twice_in_the_table_cannot_be_merged_by(commit_world: VersionWorld) -> None:
    commit_world.append_past_forge(ORDERS, [{"id": 1, "amount": 5, "note": "again"}])
    error = refused(lambda: commit_world.commit_rows(ORDERS, [{"id": 1, "amount": 6, "note": "x"}], "merge"))
    assert error.code == "E611"
    assert "the table" in error.what


def test_without_a_key_of_any_kind_it_is_said_what_to_do(commit_world: VersionWorld) -> None:
    commit_world.commit_rows("core.bag", [{"word": "x"}])
    error = refused(lambda: commit_world.commit_rows("core.bag", [{"word": "x"}], "delete"))
    assert error.code == "E613"
    assert error.fix is not None
    assert "--key" in error.fix


def test_the_key_of_the_call_wins_over_that_of_the_settings_and_of_the_table(commit_world: VersionWorld) -> None:
    ports = replace(commit_world.ports, keys={NAME: ("amount",)})
    request = CommitRequest(
        table=NAME, branch="main", mode=CommitMode.DELETE, rows=pa.table({"amount": [10], "note": ["b"], "id": [2]})
    )
    commit_data(replace(request, key=("note",)), ports)
    assert ids(commit_world) == [1]
    commit_data(request, ports)
    assert ids(commit_world) == []


def test_a_number_that_does_not_fit_the_column_is_refused_with_its_row(tmp_path: Path) -> None:
    commit_world = make_world(tmp_path)
    commit_world.commit_rows(ORDERS, pa.table({"id": [1], "amount": pa.array([Decimal("1.00")], pa.decimal128(6, 2))}))
    bad = pa.table({"id": [1, 2], "amount": pa.array([Decimal("1.000"), Decimal("1.001")], pa.decimal128(6, 3))})
    error = refused(lambda: commit_world.commit_rows(ORDERS, bad))
    assert error.code == "E621"
    assert "Row 2, column amount" in error.what


def test_a_required_column_must_have_a_value_in_new_rows(commit_world: VersionWorld) -> None:
    fields = commit_world.fields(ORDERS)
    commit_world.commit_rows(ORDERS, [{"id": 3, "amount": 1, "note": "x"}])
    commit_world.set_fields(ORDERS, (fields[0], replace(fields[1], required=True), fields[2]))
    commit_world.commit_rows(ORDERS, [{"id": 3, "note": "changed"}], "merge")
    error = refused(lambda: commit_world.commit_rows(ORDERS, [{"id": 4, "note": "new"}], "merge"))
    assert error.code == "E621"
    assert "amount" in error.what


def test_a_commit_on_a_branch_does_not_move_the_default_one(commit_world: VersionWorld) -> None:
    commit_world.branch("dev")
    commit_world.commit_rows(ORDERS, [{"id": 1}], "delete", branch="dev")
    assert (ids(commit_world), ids(commit_world, "dev")) == ([1, 2], [2])


def test_a_new_table_on_a_branch_is_hidden_from_the_catalog(commit_world: VersionWorld) -> None:
    commit_world.branch("dev")
    commit_world.commit_rows("core.fresh", [{"id": 1}], branch="dev")
    assert "core.fresh" not in map(str, commit_world.lake.tables())
    assert commit_world.version("core.fresh") is None
    assert commit_world.rows("core.fresh", "dev") == [{"id": 1}]


def test_a_protected_branch_takes_neither_commits_nor_uploads(commit_world: VersionWorld) -> None:
    protect_branch(
        commit_world.metadata, "main", protected=True, author=commit_world.ports.author, clock=commit_world.ports.clock
    )
    request = CommitRequest(table=NAME, branch="main", rows=pa.table({"id": [5]}))
    assert "a commit" in refused(lambda: commit_data(request, commit_world.ports)).what
    error = refused(lambda: commit_data(replace(request, action="upload"), commit_world.ports))
    assert (error.code, "an upload" in error.what) == ("E608", True)


def test_a_failed_check_publishes_nothing_and_is_recorded_with_its_verdict(commit_world: VersionWorld) -> None:
    commit_world.checks[NAME] = (NotNullCheck(columns=("note",)),)
    head = commit_world.head()
    result = commit_world.commit_rows(ORDERS, [{"id": 3, "amount": 1, "note": None}])
    assert (result.status, result.commit) == ("blocked", None)
    assert [(v.check_type, v.blocks) for v in result.verdicts] == [("not_null", True)]
    assert commit_world.head() == head
    run = commit_world.metadata.run(result.run_id)
    assert run is not None
    assert (run.kind, run.status) == ("commit", RunStatus.BLOCKED)
    assert [v.check_type for _, v in commit_world.metadata.verdicts(run_id=result.run_id)] == ["not_null"]
    assert commit_world.lake.stages() == ()


def test_a_commit_that_passes_keeps_its_verdicts_and_its_run(commit_world: VersionWorld) -> None:
    commit_world.checks[NAME] = (NotNullCheck(columns=("id",)),)
    result = commit_world.commit_rows(ORDERS, [{"id": 3, "amount": 1, "note": "c"}], message="Third")
    commit, run = result.commit, commit_world.metadata.run(result.run_id)
    assert commit is not None
    assert run is not None
    assert (commit.message, commit.metadata["run_id"]) == ("Third", result.run_id)
    assert (run.status, run.commit_id) == (RunStatus.SUCCEEDED, commit.id)
    assert run.outputs[0].rows == 3
    assert commit_world.metadata.audit(limit=1)[0].action == "commit"


def test_the_first_row_of_a_branch_that_moves_meanwhile_is_not_lost(commit_world: VersionWorld) -> None:
    """Someone publishes between staging and publishing: the commit is worked out anew on top."""
    others = iter([[{"id": 7, "amount": 7, "note": "other"}]])

    def meanwhile(step: str) -> None:
        rows = next(others, None) if step == "prepared" else None
        if rows is not None:
            commit_world.commit_rows(ORDERS, rows)

    ports = replace(commit_world.ports, fault_point=meanwhile)
    request = CommitRequest(
        table=NAME, branch="main", mode=CommitMode.MERGE, rows=pa.table({"id": [2], "note": ["mine"]})
    )
    result = commit_data(request, ports)
    assert result.status == "published"
    assert {row["id"]: row["note"] for row in commit_world.rows(ORDERS)} == {1: "a", 2: "mine", 7: "other"}
    assert [c.message for c in commit_world.metadata.log(commit_world.head())][1] == "Append 1 row to core.orders"  # type: ignore[arg-type]


def test_what_another_engine_wrote_is_adopted_first(commit_world: VersionWorld) -> None:
    from pyiceberg.catalog.sql import SqlCatalog

    catalog = SqlCatalog(
        "forge", uri=f"sqlite:///{commit_world.folder}/forge.db", warehouse=str(commit_world.folder / "warehouse")
    )
    table = catalog.load_table(("core", "orders"))
    schema = pa.schema([pa.field("id", pa.int64(), nullable=False), ("amount", pa.int64()), ("note", pa.string())])
    table.append(pa.Table.from_pylist([{"id": 50, "amount": 5, "note": "foreign"}], schema=schema))
    commit_world.commit_rows(ORDERS, [{"id": 51, "amount": 5, "note": "ours"}])
    assert ids(commit_world) == [1, 2, 50, 51]
    adopted = commit_world.metadata.log(commit_world.head())[1]  # type: ignore[arg-type]
    assert adopted.author.name.startswith("unknown")
    catalog.engine.dispose()


def test_nothing_is_deleted_from_a_table_that_is_not_there(commit_world: VersionWorld) -> None:
    error = refused(lambda: commit_world.commit_rows("core.nowhere", [{"id": 1}], "delete"))
    assert error.code == "E108"


def test_no_branch_of_that_name(commit_world: VersionWorld) -> None:
    request = CommitRequest(table=NAME, branch="nope", rows=pa.table({"id": [5]}))
    assert refused(lambda: commit_data(request, commit_world.ports)).code == "E602"

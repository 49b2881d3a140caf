"""Merges, picks and resets at the edges: tables that come and go, columns that come back, rebases with nothing left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from kept_folder import KeptFolder
from version_walk import second_world
from version_world import ADA, MAIN, VersionWorld, kept_world, make_world

from forge.flows.runs.input_pins import pin_branch
from forge.flows.runs.publish.changes import BranchChanges
from forge.flows.runs.publish.publish import THIS_COMMIT, CommitDraft, PublishRecord, publish
from forge.flows.runs.records import Publication, RunStatus
from forge.flows.versioning.branches import delete_branch
from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.merge.pick import cherry_pick, revert
from forge.flows.versioning.merge.resolve import Resolution, continue_merge, find_merge, resolve
from forge.flows.versioning.merge.result import MergeResult, conflicts_of
from forge.flows.versioning.ports import adopt, run_operation
from forge.flows.versioning.reset import reset
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, CommitId, TableName
from forge.model.schema import Column, Schema
from forge.versioning.commit import TableVersion
from forge.versioning.conflict import ConflictKind, ResolutionChoice
from forge.versioning.field import TableField
from forge.versioning.merge import MergeStatus, MergeType, Strategy

ORDERS, ITEMS = "core.orders", "core.items"
TWO = [{"id": 1, "note": "a", "amount": 1}, {"id": 2, "note": "b", "amount": 2}]


@pytest.fixture
def edge_world(world_folder: KeptFolder) -> Iterator[VersionWorld]:
    yield from kept_world(world_folder, "two orders", lambda world: world.commit_rows(ORDERS, TWO, key=["id"]))


def edit(edge_world: VersionWorld, branch: str, table: str = ORDERS, **row: object) -> CommitId:
    edge_world.commit_rows(table, [row], "merge", ["id"], branch)
    return head(edge_world, branch)


def head(edge_world: VersionWorld, branch: str = "main") -> CommitId:
    found = edge_world.head(branch)
    assert found is not None
    return found


def go(edge_world: VersionWorld, source: str = "dev", target: str = "main", **more: object) -> MergeResult:
    return merge(MergeRequest(source=source, target=target, **more), edge_world.ports)  # type: ignore[arg-type]


def drop_column(edge_world: VersionWorld, name: str, branch: str = "main") -> CommitId:
    edge_world.set_fields(ORDERS, tuple(f for f in edge_world.fields(ORDERS, branch) if f.name != name), branch)
    return head(edge_world, branch)


def refs(edge_world: VersionWorld, table: str, at: str = "main") -> dict[str, int]:
    version = edge_world.version(table, at)
    assert version is not None
    state = edge_world.lake.state(version.catalog)
    assert state is not None
    return {name: int(snapshot) for name, snapshot in state.refs.items()}


# rebase


@pytest.mark.slow
def test_a_rebase_of_what_the_target_has_already_is_up_to_date(edge_world: VersionWorld) -> None:
    edge_world.branch("dev")
    edit(edge_world, "dev", id=1, note="dev", amount=1)
    edit(edge_world, "main", id=2, note="main", amount=2)
    go(edge_world, strategy=Strategy.SQUASH)
    before = head(edge_world)
    result = go(edge_world, strategy=Strategy.REBASE)
    assert (result.type, head(edge_world)) == (MergeType.UP_TO_DATE, before)
    assert result.run_id is not None
    (run,) = (run for run in edge_world.metadata.runs(limit=10) if run.id == result.run_id)
    assert run.status is RunStatus.SUCCEEDED


@pytest.mark.slow
def test_a_rebase_gives_a_table_its_name_that_is_new_on_the_branch_and_changed_on_the_way(
    edge_world: VersionWorld,
) -> None:
    edge_world.branch("dev")
    rows = [{"id": n, "v": "a"} for n in (1, 2, 3)]
    edge_world.commit_rows(ITEMS, rows, key=["id"], branch="dev")
    edge_world.branch("side", "dev")
    edit(edge_world, "side", ITEMS, id=1, v="side")
    edit(edge_world, "dev", ITEMS, id=2, v="dev")
    go(edge_world, "side", "dev")
    edit(edge_world, "dev", ITEMS, id=3, v="late")
    edit(edge_world, "main", id=1, note="main", amount=1)
    assert go(edge_world, strategy=Strategy.REBASE).type is MergeType.REBASE
    assert [row["v"] for row in edge_world.rows(ITEMS)] == ["side", "dev", "late"]
    assert edge_world.lake.tables() == (CatalogName("core", "items"), CatalogName("core", "orders"))
    for commit in edge_world.metadata.log(head(edge_world)):
        for table in edge_world.metadata.tree(commit.id):
            assert edge_world.rows(str(table), commit.id)


@pytest.mark.slow
def test_every_commit_of_a_rebase_keeps_its_rows_where_the_target_meets_the_source_on_the_way(
    edge_world: VersionWorld,
) -> None:
    edge_world.branch("dev")
    made = []
    for number in (10, 20, 30):
        edge_world.commit_rows(ORDERS, [{"id": number, "note": "dev", "amount": 0}], branch="dev")
        made.append(head(edge_world, "dev"))
    cherry_pick(made[1], "main", edge_world.ports)
    before = head(edge_world)
    assert go(edge_world, strategy=Strategy.REBASE).type is MergeType.REBASE
    newest, older = edge_world.metadata.log(head(edge_world), limit=2)
    assert older.parents == (before,)  # the second was there already
    assert sorted(row["id"] for row in edge_world.rows(ORDERS, older.id)) == [1, 2, 10, 20]
    assert sorted(row["id"] for row in edge_world.rows(ORDERS, newest.id)) == [1, 2, 10, 20, 30]


# tables that come and go


@pytest.mark.slow
def test_main_can_be_reset_across_a_table_that_was_removed_and_made_anew(edge_world: VersionWorld) -> None:
    first = head(edge_world)
    revert(first, "main", edge_world.ports)
    edge_world.commit_rows(ORDERS, [{"id": 7, "other": "x"}], key=["id"])
    second = head(edge_world)
    reset("main", first, edge_world.ports)
    assert [row["id"] for row in edge_world.rows(ORDERS)] == [1, 2]
    assert edge_world.lake.tables() == (CatalogName("core", "orders"),)
    reset("main", second, edge_world.ports)
    assert edge_world.rows(ORDERS) == [{"id": 7, "other": "x"}]
    assert edge_world.rows(ORDERS, first) == TWO


def test_a_branch_that_removed_a_table_keeps_no_ref_in_it_and_can_pick_it_again(edge_world: VersionWorld) -> None:
    first = head(edge_world)
    edge_world.branch("dev")
    edit(edge_world, "dev", id=1, note="dev", amount=1)
    edge_world.commit_rows(ITEMS, [{"id": 1}], key=["id"], branch="dev")
    with_items = head(edge_world, "dev")
    assert "dev" in refs(edge_world, ITEMS, with_items)
    reset("dev", first, edge_world.ports)
    assert "dev" not in refs(edge_world, ITEMS, with_items)
    assert "dev" in refs(edge_world, ORDERS)
    revert(first, "dev", edge_world.ports)
    assert "dev" not in refs(edge_world, ORDERS)
    cherry_pick(first, "dev", edge_world.ports)
    assert edge_world.rows(ORDERS, "dev") == TWO


def test_the_name_of_a_deleted_branch_can_be_used_again_and_nothing_is_adopted(edge_world: VersionWorld) -> None:
    first = head(edge_world)
    edge_world.branch("dev")
    edge_world.commit_rows(ITEMS, [{"id": 1}], key=["id"], branch="dev")
    made = head(edge_world, "dev")
    go(edge_world)
    edge_world.commit_rows(ITEMS, [{"id": 2}], branch="dev")
    reset("dev", first, edge_world.ports)
    ports = edge_world.ports
    delete_branch(ports.metadata, ports.lake, "dev", default=MAIN, author=ADA, clock=ports.clock, force=True)
    edge_world.branch("dev", made)
    assert adopt(ports, "dev") == ()
    assert edge_world.rows(ITEMS, "dev") == [{"id": 1}]


# views


def put_view(edge_world: VersionWorld, sql: str) -> CommitId:
    """A commit of a view on main, as a run makes it."""
    name, ports = TableName.parse("core.report"), edge_world.ports
    with run_operation(ports, "run", MAIN, ("core.report",)) as work:
        line = pin_branch(ports.metadata, MAIN, MAIN)
        before = line.tree.get(name)
        schema = Schema((Column("id", "bigint"),))
        location = edge_world.lake.write_view(name, sql, schema, before.metadata_location if before else None)
        uuid = before.uuid if before else location.rsplit("/", 1)[-1]
        version = TableVersion(
            catalog=CatalogName("core", "report"),
            uuid=uuid,
            snapshot_id=None,
            schema_id=0,
            kind="view",
            metadata_location=location,
            number=1,
        )

        now = ports.clock()
        done = replace(work.record, status=RunStatus.SUCCEEDED, commit_id=THIS_COMMIT, finished_at=now)
        draft = CommitDraft(message=sql, author=ADA, statistics={}, metadata={})
        changes = BranchChanges(line=line, versions={name: version})
        assert isinstance(
            publish(work.publishing, changes, PublishRecord(time=now, commits=(draft,), run=done)), Publication
        )
    return head(edge_world)


def test_a_view_that_is_taken_back_leaves_the_catalog_and_comes_with_a_reset(edge_world: VersionWorld) -> None:
    with_view = put_view(edge_world, "SELECT id FROM core.orders")
    assert CatalogName("core", "report") in edge_world.lake.tables()
    revert(with_view, "main", edge_world.ports)
    assert edge_world.lake.tables() == (CatalogName("core", "orders"),)
    reset("main", with_view, edge_world.ports)
    assert CatalogName("core", "report") in edge_world.lake.tables()


# columns that come back


def test_a_dropped_column_that_is_taken_back_has_its_values_in_rows_written_since_too(edge_world: VersionWorld) -> None:
    dropped = drop_column(edge_world, "note")
    edge_world.commit_rows(ORDERS, [{"id": 1, "amount": 9}], "merge", ["id"])
    assert revert(dropped, "main", edge_world.ports).type is MergeType.THREE_WAY
    rows = {row["id"]: (row["note"], row["amount"]) for row in edge_world.rows(ORDERS)}
    assert rows == {1: ("a", 9), 2: ("b", 2)}


def test_values_of_a_dropped_column_do_not_come_back_with_the_column_of_another_side(tmp_path: Path) -> None:
    edge_world = make_world(tmp_path)
    edge_world.commit_rows(ORDERS, TWO)  # without a key
    first = head(edge_world)
    drop_column(edge_world, "note")
    cherry_pick(first, "main", edge_world.ports)
    rows = sorted((row["id"], str(row["note"])) for row in edge_world.rows(ORDERS))
    assert rows == [(1, "None"), (1, "a"), (2, "None"), (2, "b")]
    edge_world.close()


def test_a_type_that_was_widened_stays_wide_when_that_is_taken_back(edge_world: VersionWorld) -> None:
    edge_world.set_fields(ORDERS, (*edge_world.fields(ORDERS), TableField("m", "m", "int")))
    edit(edge_world, "main", id=1, note="a", amount=1, m=5)
    wide = tuple(replace(f, type="bigint") if f.name == "m" else f for f in edge_world.fields(ORDERS))
    widened = edge_world.set_fields(ORDERS, wide).id
    edit(edge_world, "main", id=2, note="b", amount=2, m=2**40)
    with pytest.raises(ForgeError) as refused:
        revert(widened, "main", edge_world.ports)
    assert refused.value.code == "E627"
    assert {row["id"]: row["m"] for row in edge_world.rows(ORDERS)} == {1: 5, 2: 2**40}


def test_a_column_that_was_picked_and_then_renamed_is_still_one_column(edge_world: VersionWorld) -> None:
    edge_world.branch("dev")
    edge_world.set_fields(ORDERS, (*edge_world.fields(ORDERS), TableField("flag", "flag", "string")), "dev")
    added = head(edge_world, "dev")
    edit(edge_world, "main", id=1, note="main", amount=1)
    cherry_pick(added, "main", edge_world.ports)
    renamed = tuple(replace(f, name="sign") if f.name == "flag" else f for f in edge_world.fields(ORDERS))
    edge_world.set_fields(ORDERS, renamed)
    result = go(edge_world)
    assert [(c.kind, c.column) for c in conflicts_of(result)[0]] == [(ConflictKind.SCHEMA_CHANGE, "sign")]


# merges that wait, and two processes


def test_a_merge_that_waits_is_closed_once_the_target_has_it_in_another_way(edge_world: VersionWorld) -> None:
    edge_world.branch("dev")
    edit(edge_world, "dev", id=1, note="dev", amount=1)
    edit(edge_world, "main", id=1, note="main", amount=1)
    held = go(edge_world).merge
    assert held is not None
    reset("main", head(edge_world, "dev"), edge_world.ports)
    resolve(held.id, [Resolution(ResolutionChoice.OURS)], edge_world.ports)
    assert continue_merge(held.id, edge_world.ports).type is MergeType.UP_TO_DATE
    assert find_merge(edge_world.metadata, held.id).status is MergeStatus.MERGED


@pytest.mark.slow
def test_two_processes_in_turn_see_what_the_other_did(edge_world: VersionWorld) -> None:
    other = second_world(edge_world, edge_world.folder)
    edge_world.branch("dev")
    edit(other, "dev", id=1, note="dev", amount=1)
    edit(edge_world, "main", id=2, note="main", amount=2)
    other.commit_rows(ITEMS, [{"id": 1}], key=["id"], branch="dev")
    assert go(edge_world).type is MergeType.THREE_WAY
    assert go(other, "main", "dev").type is MergeType.FAST_FORWARD
    for one in (edge_world, other):
        assert [row["note"] for row in one.rows(ORDERS)] == ["dev", "main"]
        assert one.rows(ITEMS, "dev") == [{"id": 1}]
    other.close()

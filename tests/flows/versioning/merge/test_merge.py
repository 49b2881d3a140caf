"""Merges of branches over real Iceberg tables, without a JVM: what moves, what stays, what people are asked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from orders_world import ORDERS, amounts, drop, edit, go
from version_world import BEN, VersionWorld

from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.merge.pick import cherry_pick, revert
from forge.flows.versioning.merge.resolve import (
    Resolution,
    abort_merge,
    continue_merge,
    find_merge,
    resolve,
)
from forge.flows.versioning.merge.result import Merged, conflicts_of
from forge.flows.versioning.reset import reset
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CatalogName, TableName
from forge.versioning.conflict import ConflictKind, ResolutionChoice, ResolutionRule
from forge.versioning.field import TableField
from forge.versioning.merge import MergeStatus, MergeType, Strategy


def test_a_branch_that_is_only_ahead_is_fast_forwarded_and_no_commit_is_made(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 9.0})
    result = go(world)
    assert result.type is MergeType.FAST_FORWARD
    assert world.head("main") == world.head("dev")
    assert amounts(world)[1] == ("a", 9.0)


def test_merging_again_is_already_up_to_date(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 9.0})
    go(world)
    head = world.head("main")
    assert go(world).type is MergeType.UP_TO_DATE
    assert world.head("main") == head


def test_no_ff_makes_a_merge_commit_with_target_and_source_as_parents(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 9.0})
    before = world.head("main")
    result = go(world, no_ff=True)
    assert result.type is MergeType.THREE_WAY
    assert result.commit is not None
    assert result.commit.parents == (before, world.head("dev"))
    assert result.commit.message == "Merge branch 'dev' into 'main'"


@pytest.mark.slow
def test_cells_changed_on_two_sides_of_one_row_come_together(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "theirs", "amount": 1.0})
    edit(world, "main", {"id": 1, "name": "a", "amount": 7.0}, {"id": 4, "name": "d", "amount": 4.0})
    drop(world, "dev", 3)
    result = go(world)
    assert result.type is MergeType.THREE_WAY
    assert amounts(world) == {1: ("theirs", 7.0), 2: ("b", 2.0), 4: ("d", 4.0)}
    (tally,) = result.tables
    assert (tally.inserted, tally.updated, tally.deleted) == (0, 1, 1)
    assert result.commit is not None
    counted = result.commit.statistics[TableName.parse(ORDERS)]
    assert (counted.rows_added, counted.rows_modified, counted.rows_deleted) == (0, 1, 1)


def test_a_conflict_moves_nothing_and_is_kept(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    edit(world, "main", {"id": 1, "name": "a", "amount": 7.0})
    before, files = world.head("main"), world.paths(ORDERS)
    result = go(world)
    assert result.type is MergeType.CONFLICTED
    (conflict,) = result.conflicts
    assert (conflict.kind, conflict.table, conflict.key, conflict.column) == (
        ConflictKind.MODIFY_MODIFY,
        ORDERS,
        {"id": 1},
        "amount",
    )
    assert (conflict.base, conflict.ours, conflict.theirs) == (1.0, 7.0, 8.0)
    assert (world.head("main"), world.paths(ORDERS)) == (before, files)
    assert result.merge is not None
    kept = find_merge(world.metadata, result.merge.id)
    assert (kept.status, kept.conflict_count, kept.resolved_count) == (MergeStatus.CONFLICTED, 1, 0)
    assert world.metadata.conflicts(kept.id) == (conflict,)
    assert world.lake.stages() == ()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("resolution", "wanted"),
    [
        (Resolution(ResolutionChoice.OURS), 7.0),
        (Resolution(ResolutionChoice.THEIRS), 8.0),
        (Resolution(ResolutionChoice.BASE), 1.0),
        (Resolution(ResolutionChoice.EXPRESSION, value="ours + theirs", column="amount"), 15.0),
        (Resolution(ResolutionChoice.MANUAL, value=5.5, table=ORDERS, column="amount"), 5.5),
        (Resolution(ResolutionChoice.THEIRS, key={"id": 1}, table=ORDERS), 8.0),
    ],
    ids=["ours", "theirs", "base", "expression", "manual", "row"],
)
def test_a_resolved_merge_continues_with_the_answer(world: VersionWorld, resolution: Resolution, wanted: float) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0}, {"id": 2, "name": "b2", "amount": 2.0})
    edit(world, "main", {"id": 1, "name": "a", "amount": 7.0})
    held = go(world).merge
    assert held is not None
    assert resolve(held.id, [resolution], world.ports).fully_resolved
    result = continue_merge(held.id, world.ports)
    assert result.type is MergeType.THREE_WAY
    assert amounts(world) == {1: ("a", wanted), 2: ("b2", 2.0), 3: ("c", 3.0)}
    assert find_merge(world.metadata, held.id).status is MergeStatus.MERGED
    with pytest.raises(ForgeError, match="is merged") as refused:
        continue_merge(held.id, world.ports)
    assert refused.value.code == "E618"


def test_continue_is_refused_while_a_conflict_is_open(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0}, {"id": 2, "name": "b", "amount": 8.0})
    edit(world, "main", {"id": 1, "name": "a", "amount": 7.0}, {"id": 2, "name": "b", "amount": 7.0})
    held = go(world)
    assert held.merge is not None
    first = conflicts_of(held)[0][0]
    resolve(held.merge.id, [Resolution(ResolutionChoice.OURS, ids=(first.id,))], world.ports)
    with pytest.raises(ForgeError, match="1 conflict is not resolved") as refused:
        continue_merge(held.merge.id, world.ports)
    assert refused.value.code == "E617"
    assert amounts(world)[1] == ("a", 7.0)


@pytest.mark.slow
def test_answers_are_kept_when_the_target_moves_meanwhile(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0}, {"id": 2, "name": "b", "amount": 8.0})
    edit(world, "main", {"id": 1, "name": "a", "amount": 7.0})
    held = go(world).merge
    assert held is not None
    resolve(held.id, [Resolution(ResolutionChoice.THEIRS, ids=(world.metadata.conflicts(held.id)[0].id,))], world.ports)
    edit(world, "main", {"id": 2, "name": "b", "amount": 7.0})
    again = continue_merge(held.id, world.ports)
    assert again.type is MergeType.CONFLICTED
    assert [c.key for c in again.conflicts] == [{"id": 2}]
    resolve(held.id, [Resolution(ResolutionChoice.OURS, ids=(again.conflicts[0].id,))], world.ports)
    assert continue_merge(held.id, world.ports).type is MergeType.THREE_WAY
    assert (amounts(world)[1][1], amounts(world)[2][1]) == (8.0, 7.0)


def test_an_aborted_merge_leaves_both_branches(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    edit(world, "main", {"id": 1, "name": "a", "amount": 7.0})
    heads = world.head("main"), world.head("dev")
    held = go(world).merge
    assert held is not None
    assert abort_merge(held.id, world.ports).status is MergeStatus.ABORTED
    assert (world.head("main"), world.head("dev")) == heads


@pytest.mark.slow
def test_a_standing_rule_answers_before_anyone_is_asked(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    edit(world, "main", {"id": 1, "name": "a", "amount": 7.0})
    rules = (ResolutionRule(ResolutionChoice.EXPRESSION, ORDERS, "amount", "greatest(ours, theirs)"),)
    result = merge(MergeRequest(source="dev", target="main"), replace(world.ports, rules=rules))
    assert result.type is MergeType.THREE_WAY
    assert amounts(world)[1] == ("a", 8.0)


def test_ff_that_is_impossible_is_refused_and_moves_nothing(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    edit(world, "main", {"id": 2, "name": "b", "amount": 7.0})
    head = world.head("main")
    with pytest.raises(ForgeError) as refused:
        go(world, strategy=Strategy.FF)
    assert refused.value.code == "E609"
    assert world.head("main") == head


@pytest.mark.slow
def test_a_squash_has_one_parent_and_keeps_what_the_target_changed(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "x", "amount": 1.0})
    edit(world, "dev", {"id": 2, "name": "y", "amount": 2.0})
    edit(world, "main", {"id": 3, "name": "c", "amount": 33.0})
    before = world.head("main")
    result = go(world, strategy=Strategy.SQUASH)
    assert result.type is MergeType.SQUASH
    assert result.commit is not None
    assert (result.commit.parents, result.commit.message) == ((before,), "Squash merge branch 'dev'")
    assert amounts(world) == {1: ("x", 1.0), 2: ("y", 2.0), 3: ("c", 33.0)}


@pytest.mark.slow
def test_a_rebase_replays_each_commit_onto_the_target(world: VersionWorld) -> None:
    world.branch("dev")
    world.commit_rows(ORDERS, [{"id": 1, "name": "x", "amount": 1.0}], "merge", ["id"], "dev", message="one")
    world.commit_rows(ORDERS, [{"id": 2, "name": "y", "amount": 2.0}], "merge", ["id"], "dev", message="two")
    edit(world, "main", {"id": 3, "name": "c", "amount": 33.0})
    before = world.head("main")
    result = go(world, strategy=Strategy.REBASE)
    assert result.type is MergeType.REBASE
    head = world.head("main")
    assert head is not None
    newest, older = world.metadata.log(head, limit=2)
    assert ([newest.message, older.message], older.parents) == (["two", "one"], (before,))
    assert amounts(world, older.id) == {1: ("x", 1.0), 2: ("b", 2.0), 3: ("c", 33.0)}
    assert amounts(world) == {1: ("x", 1.0), 2: ("y", 2.0), 3: ("c", 33.0)}


@pytest.mark.slow
def test_files_whose_keys_do_not_meet_are_joined_without_reading_a_row(world: VersionWorld) -> None:
    world.branch("dev")
    world.commit_rows(ORDERS, [{"id": 10, "name": "t", "amount": 1.0}], branch="dev")
    world.commit_rows(ORDERS, [{"id": 20, "name": "o", "amount": 1.0}])
    files = world.paths(ORDERS) | world.paths(ORDERS, "dev")
    result = go(world)
    assert [(tally.how, tally.bytes_read) for tally in result.tables] == [("zero_copy", 0)]
    assert world.paths(ORDERS) == files
    assert sorted(amounts(world)) == [1, 2, 3, 10, 20]


def test_a_table_that_is_new_on_a_branch_is_on_main_only_once_merged(world: VersionWorld) -> None:
    world.branch("dev")
    world.commit_rows("core.refunds", [{"id": 1, "amount": 2.5}], key=["id"], branch="dev")
    assert world.lake.tables() == (CatalogName("core", "orders"),)
    edit(world, "main", {"id": 1, "name": "a", "amount": 5.0})
    old = world.head("dev")
    assert old is not None
    go(world)
    assert world.lake.tables() == (CatalogName("core", "orders"), CatalogName("core", "refunds"))
    assert world.rows("core.refunds") == [{"id": 1, "amount": 2.5}]
    assert world.rows("core.refunds", old) == [{"id": 1, "amount": 2.5}]  # what was committed before finds it too


@pytest.mark.slow
def test_a_merge_of_several_tables_lands_whole(world: VersionWorld) -> None:
    names = [f"core.t{number}" for number in range(10)]
    for name in names:
        world.commit_rows(name, [{"id": 1, "v": "base"}], key=["id"])
    world.branch("dev")
    for name in names:
        world.commit_rows(name, [{"id": 1, "v": "dev"}], "merge", ["id"], "dev")
    edit(world, "main", {"id": 1, "name": "a", "amount": 5.0})
    result = go(world)
    assert isinstance(result, Merged)
    assert {str(table) for table in result.commit.statistics} == set(names)
    assert [world.rows(name) for name in names] == [[{"id": 1, "v": "dev"}]] * 10


@pytest.mark.slow
def test_one_conflict_in_ten_tables_holds_back_all(world: VersionWorld) -> None:
    world.commit_rows("core.other", [{"id": 1, "v": "base"}], key=["id"])
    world.branch("dev")
    world.commit_rows("core.other", [{"id": 1, "v": "dev"}], "merge", ["id"], "dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    edit(world, "main", {"id": 1, "name": "a", "amount": 7.0})
    assert go(world).type is MergeType.CONFLICTED
    assert world.rows("core.other") == [{"id": 1, "v": "base"}]


def test_a_revert_takes_back_one_commit_and_keeps_later_ones(world: VersionWorld) -> None:
    edit(world, "main", {"id": 1, "name": "wrong", "amount": 1.0})
    bad = world.head("main")
    assert bad is not None
    edit(world, "main", {"id": 2, "name": "later", "amount": 2.0})
    result = revert(bad, "main", world.ports)
    assert isinstance(result, Merged)
    assert result.commit.message.startswith('Revert "')
    assert len(result.commit.parents) == 1
    assert amounts(world) == {1: ("a", 1.0), 2: ("later", 2.0), 3: ("c", 3.0)}


def test_a_reverted_delete_never_brings_a_removed_file_back(world: VersionWorld) -> None:
    first = world.paths(ORDERS)
    drop(world, "main", 3)
    gone = world.head("main")
    assert gone is not None
    edit(world, "main", {"id": 2, "name": "later", "amount": 2.0})
    revert(gone, "main", world.ports)
    assert amounts(world) == {1: ("a", 1.0), 2: ("later", 2.0), 3: ("c", 3.0)}
    assert not first & world.paths(ORDERS)


@pytest.mark.slow
def test_a_branch_that_reverted_a_delete_merges_without_bringing_the_file_back(world: VersionWorld) -> None:
    first = world.paths(ORDERS)
    drop(world, "main", 3)
    gone = world.head("main")
    assert gone is not None
    world.branch("dev")
    revert(gone, "dev", world.ports)
    world.commit_rows(ORDERS, [{"id": 50, "name": "new", "amount": 1.0}])
    go(world)
    assert sorted(amounts(world)) == [1, 2, 3, 50]
    assert not first & world.paths(ORDERS)


def test_a_revert_conflicts_with_later_changes_of_the_same_cell(world: VersionWorld) -> None:
    edit(world, "main", {"id": 1, "name": "wrong", "amount": 1.0})
    bad = world.head("main")
    assert bad is not None
    edit(world, "main", {"id": 1, "name": "later", "amount": 1.0})
    result = revert(bad, "main", world.ports)
    assert result.type is MergeType.CONFLICTED
    (conflict,) = result.conflicts
    assert (conflict.base, conflict.ours, conflict.theirs) == ("wrong", "later", "a")


def test_a_revert_that_changes_nothing_is_told(world: VersionWorld) -> None:
    edit(world, "main", {"id": 1, "name": "wrong", "amount": 1.0})
    bad = world.head("main")
    assert bad is not None
    revert(bad, "main", world.ports)
    with pytest.raises(ForgeError) as refused:
        revert(bad, "main", world.ports)
    assert refused.value.code == "E627"


def test_a_cherry_pick_brings_one_commit_and_keeps_its_author(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "x", "amount": 1.0})
    ben = replace(world.ports, author=BEN)
    edit(world, "dev", {"id": 2, "name": "y", "amount": 2.0})
    wanted = world.head("dev")
    assert wanted is not None
    result = cherry_pick(wanted, "main", ben)
    assert isinstance(result, Merged)
    assert (result.commit.author.name, result.commit.committer.name) == ("Ada", "Ben")
    assert amounts(world) == {1: ("a", 1.0), 2: ("y", 2.0), 3: ("c", 3.0)}


def test_a_reset_moves_the_branch_and_the_tables_and_back(world: VersionWorld) -> None:
    first = world.head("main")
    assert first is not None
    edit(world, "main", {"id": 1, "name": "x", "amount": 1.0})
    world.commit_rows("core.refunds", [{"id": 1}], key=["id"])
    last = world.head("main")
    assert last is not None
    done = reset("main", first, world.ports)
    assert (done.before, world.head("main")) == (last, first)
    assert amounts(world)[1] == ("a", 1.0)
    assert world.lake.tables() == (CatalogName("core", "orders"),)
    state = world.lake.state(CatalogName("core", "orders"))
    version = world.version(ORDERS)
    assert state is not None
    assert version is not None
    assert state.refs["main"] == version.snapshot_id
    reset("main", last, world.ports)
    assert amounts(world)[1] == ("x", 1.0)
    assert world.rows("core.refunds") == [{"id": 1}]


@pytest.mark.slow
def test_a_column_added_on_a_branch_reaches_main_with_the_merge_only(world: VersionWorld) -> None:
    world.branch("dev")
    world.set_fields(ORDERS, (*world.fields(ORDERS), TableField("note", "note", "string")), "dev")
    world.commit_rows(ORDERS, [{"id": 1, "name": "a", "amount": 1.0, "note": "n"}], "merge", ["id"], "dev")
    assert [f.name for f in world.fields(ORDERS)] == ["id", "name", "amount"]
    edit(world, "main", {"id": 1, "name": "main", "amount": 1.0})
    go(world)
    assert [f.name for f in world.fields(ORDERS)] == ["id", "name", "amount", "note"]
    assert {row["id"]: (row["name"], row["note"]) for row in world.rows(ORDERS)} == {
        1: ("main", "n"),
        2: ("b", None),
        3: ("c", None),
    }


def test_a_column_renamed_on_one_side_and_changed_on_the_other_is_one_column(world: VersionWorld) -> None:
    world.branch("dev")
    renamed = tuple(replace(f, name="label") if f.name == "name" else f for f in world.fields(ORDERS))
    world.set_fields(ORDERS, renamed, "dev")
    edit(world, "main", {"id": 1, "name": "changed", "amount": 1.0})
    go(world)
    assert {row["id"]: row["label"] for row in world.rows(ORDERS)} == {1: "changed", 2: "b", 3: "c"}


def test_columns_renamed_differently_conflict_and_a_side_can_be_taken(world: VersionWorld) -> None:
    world.branch("dev")
    fields = world.fields(ORDERS)
    world.set_fields(ORDERS, tuple(replace(f, name="label") if f.name == "name" else f for f in fields), "dev")
    world.set_fields(ORDERS, tuple(replace(f, name="title") if f.name == "name" else f for f in fields), "main")
    held = go(world)
    assert [(c.kind, c.column) for c in conflicts_of(held)[0]] == [(ConflictKind.SCHEMA_CHANGE, "name")]
    assert held.merge is not None
    with pytest.raises(ForgeError) as refused:
        resolve(held.merge.id, [Resolution(ResolutionChoice.BASE, ids=(conflicts_of(held)[0][0].id,))], world.ports)
    assert refused.value.code == "E619"
    resolve(held.merge.id, [Resolution(ResolutionChoice.THEIRS)], world.ports)
    continue_merge(held.merge.id, world.ports)
    assert [f.name for f in world.fields(ORDERS)] == ["id", "label", "amount"]


@pytest.mark.slow
def test_what_another_engine_wrote_is_adopted_before_a_merge(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "dev", "amount": 1.0})
    from pyiceberg.catalog.sql import SqlCatalog

    version = world.version(ORDERS)
    assert version is not None
    url = str(world.metadata._engine.url)
    catalog = SqlCatalog("forge", uri=url)
    table = catalog.load_table((version.catalog.namespace, version.catalog.name))
    table.append(world.arrow(ORDERS).slice(0, 1).set_column(0, table.schema().as_arrow().field("id"), [[77]]))
    result = go(world)
    assert result.type is MergeType.THREE_WAY
    assert sorted(amounts(world)) == [1, 2, 3, 77]
    head = world.head("main")
    assert head is not None
    adopted = [c for c in world.metadata.log(head) if c.author.name.startswith("unknown (")]
    assert len(adopted) == 1
    assert "adopted" in adopted[0].metadata


@pytest.mark.slow
def test_branches_that_crossed_say_which_base_was_taken(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "d1", "amount": 1.0})
    edit(world, "main", {"id": 2, "name": "m1", "amount": 2.0})
    dev, main = world.head("dev"), world.head("main")
    assert dev is not None
    assert main is not None
    world.branch("dev2", "dev")
    merge(MergeRequest(source=dev, target="main", no_ff=True), world.ports)
    merge(MergeRequest(source=main, target="dev2", no_ff=True), world.ports)
    edit(world, "dev2", {"id": 3, "name": "d2", "amount": 3.0})
    result = go(world, "dev2")
    assert result.type is MergeType.THREE_WAY
    assert {result.base, *result.other_bases} == {dev, main}
    assert amounts(world) == {1: ("d1", 1.0), 2: ("m1", 2.0), 3: ("d2", 3.0)}


def test_a_source_that_was_merged_says_so_and_is_active_again_with_a_new_commit(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    go(world)
    branch = world.metadata.branch(BranchName("dev"))
    assert branch is not None
    assert branch.status == "merged"
    edit(world, "dev", {"id": 1, "name": "a", "amount": 9.0})
    branch = world.metadata.branch(BranchName("dev"))
    assert branch is not None
    assert branch.status == "active"

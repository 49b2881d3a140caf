"""What people do with branches, on memory stores."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest
from branch_world import ADA, BEGIN, MAIN, BranchWorld

from forge.flows.runs.records import AuditRecord
from forge.flows.versioning.branches import (
    archive_branch,
    branches_of,
    compare_branches,
    delete_branch,
    list_branches,
    protect_branch,
    rename_branch,
    set_description,
)
from forge.flows.versioning.tags import create_tag
from forge.model.errors import ForgeError
from forge.model.names import BranchName, TableName
from forge.stores.memory.metadata import MemoryMetadata

ORDERS, REFUNDS = TableName("core", "orders"), TableName("core", "refunds")


@pytest.fixture
def world() -> BranchWorld:
    """main has two commits; dev forked at the second and changed core.orders."""
    made = BranchWorld()
    made.commit("main", "core.orders", "core.refunds")
    made.commit("main", "core.orders")
    made.create("dev")
    made.commit("dev", "core.orders")
    return made


@contextmanager
def refused(code: str, words: str = "") -> Iterator[None]:
    with pytest.raises(ForgeError) as caught:
        yield
    assert caught.value.code == code
    assert words in " ".join(filter(None, (caught.value.what, caught.value.why, caught.value.fix)))


def delete(world: BranchWorld, name: str, **options: Any) -> None:
    delete_branch(world.metadata, world.lake, name, default=MAIN, author=ADA, clock=world.clock, **options)


def rename(world: BranchWorld, name: str, new: str, **options: Any) -> None:
    rename_branch(world.metadata, world.lake, name, new, default=MAIN, author=ADA, clock=world.clock, **options)


def protect(world: BranchWorld, name: str, protected: bool = True, **options: Any) -> None:
    protect_branch(world.metadata, name, protected=protected, author=ADA, clock=world.clock, **options)


# creating


def test_a_branch_starts_at_a_head_a_branch_a_tag_a_commit_or_a_time(world: BranchWorld) -> None:
    second = world.head("main")
    first = world.metadata.log(second)[-1]
    create_tag(world.metadata, "v1", "HEAD~1", author=ADA, clock=world.clock, current=MAIN)
    starts = {
        "HEAD": second,
        "dev": world.head("dev"),
        "dev~1": second,
        "v1": first.id,
        first.id[:10]: first.id,
        f"{first.time:%Y-%m-%dT%H:%M}": first.id,
    }
    for number, (start, head) in enumerate(starts.items()):
        made = world.create(f"b{number}", start)
        assert (made.head, made.fork_commit) == (head, head), start
    assert [world.branch(f"b{number}").parent for number in range(6)] == ["main", "dev", "dev", "main", "main", "main"]


def test_a_branch_before_the_first_commit_has_none() -> None:
    world = BranchWorld()
    assert world.create("dev").head is None


def test_a_new_branch_has_a_name_of_its_own_that_git_would_take(world: BranchWorld) -> None:
    with refused("E603"):
        world.create("dev")
    with refused("E604", "'..'"):
        world.create("a..b")
    with refused("E601", "Did you mean dev?"):
        world.create("x", "dve")


def test_creating_a_branch_moves_no_table(world: BranchWorld) -> None:
    before = dict(world.catalog.rows)
    world.create("x", "dev")
    assert world.catalog.rows == before


# renaming


def test_a_renamed_branch_keeps_its_head_its_history_and_its_refs(world: BranchWorld) -> None:
    world.commit("dev", "core.new")
    head, snapshot = world.head("dev"), world.refs("dev", "core.orders")["dev"]
    world.create("child", "dev")
    rename(world, "dev", "feature/a")
    assert world.metadata.branch(BranchName("dev")) is None
    assert (world.head("feature/a"), world.branch("feature/a").fork_commit) == (head, world.head("main"))
    assert world.refs("feature/a", "core.orders")["feature/a"] == snapshot
    assert set(world.refs("feature/a", "core.orders")) == {"main", "feature/a"}
    assert set(world.refs("feature/a", "core.new")) == {"feature/a"}
    assert world.branch("child").parent == "feature/a"
    assert world.actions()[-1] == "branch.rename"


def test_work_goes_on_under_the_new_name(world: BranchWorld) -> None:
    rename(world, "dev", "next")
    commit = world.commit("next", "core.orders")
    assert world.metadata.tree(commit.id)[ORDERS].number == 4
    assert set(world.refs("next", "core.orders")) == {"main", "next"}


def test_what_another_engine_wrote_on_the_branch_goes_with_it(world: BranchWorld) -> None:
    version = world.metadata.tree(world.head("dev"))[ORDERS]
    elsewhere = world.refs("dev", "core.orders")["main"]
    world.lake.set_ref(version.catalog, "dev", elsewhere)
    rename(world, "dev", "next")
    assert world.refs("next", "core.orders")["next"] == elsewhere


class Overtaken(MemoryMetadata):
    """Someone else is quicker, once."""

    before_rename: Callable[[], object] = staticmethod(lambda: None)

    def rename_branch(self, old: BranchName, new: BranchName, audit: AuditRecord) -> None:
        self.before_rename()
        super().rename_branch(old, new, audit)


def test_a_run_that_publishes_while_a_branch_is_renamed_is_not_lost() -> None:
    world = BranchWorld(records=Overtaken)
    world.commit("main", "core.orders", "core.refunds")
    world.create("dev")
    world.commit("dev", "core.orders")
    assert isinstance(world.metadata, Overtaken)
    world.metadata.before_rename = lambda: world.commit("dev", "core.orders", "core.refunds")
    rename(world, "dev", "next")
    tree = world.metadata.tree(world.head("next"))
    assert [tree[table].number for table in (ORDERS, REFUNDS)] == [3, 2], "what was published in between"
    for table in (ORDERS, REFUNDS):
        assert world.refs("next", str(table))["next"] == tree[table].snapshot_id
        assert "dev" not in world.refs("next", str(table))


def test_a_name_that_is_taken_or_bad_renames_nothing(world: BranchWorld) -> None:
    world.create("x")
    before = dict(world.catalog.rows)
    for old, new, code in (("dev", "x", "E603"), ("dev", "a..b", "E604"), ("nope", "y", "E602"), ("main", "y", "E605")):
        with refused(code):
            rename(world, old, new)
    assert world.catalog.rows == before
    assert [b.name for b in world.metadata.branches()] == ["dev", "main", "x"]


# protection


def test_a_protected_branch_is_neither_deleted_nor_renamed_until_it_is_unprotected(world: BranchWorld) -> None:
    protect(world, "dev")
    with refused("E608", "forge branch unprotect dev"):
        delete(world, "dev", force=True)
    with refused("E608"):
        rename(world, "dev", "x")
    protect(world, "dev", protected=False)
    delete(world, "dev", force=True)
    assert world.actions()[-3:] == ["branch.protect", "branch.unprotect", "branch.delete"]


def test_what_the_settings_protect_stays_so(world: BranchWorld) -> None:
    with refused("E608"):
        delete(world, "dev", force=True, protected=["d*"])
    with refused("E608"):
        rename(world, "dev", "x", protected=["dev"])
    with refused("E608", "forge.yaml"):
        protect(world, "dev", protected=False, declared=["dev"])


def test_protection_asks_for_an_approval_and_doing_without_is_audited(world: BranchWorld) -> None:
    protect(world, "main", allowed_mergers=["ada", " grace ", "ada", ""])
    main = world.branch("main")
    assert (main.is_protected, main.needs_approval, main.allowed_mergers) == (True, True, ("ada", "grace"))
    protect(world, "main", require_approval=False)
    main = world.branch("main")
    assert (main.is_protected, main.needs_approval, main.allowed_mergers) == (True, False, ())
    protect(world, "main", protected=False, require_approval=False)
    main = world.branch("main")
    assert (main.is_protected, main.require_approval) == (False, None)
    assert world.actions()[-3:] == ["branch.protect", "branch.approval_waived", "branch.unprotect"]


def test_changing_what_is_said_of_a_branch_leaves_its_head(world: BranchWorld) -> None:
    head = world.head("dev")
    set_description(world.metadata, "dev", "a try", author=ADA, clock=world.clock)
    protect(world, "dev")
    dev = world.branch("dev")
    assert (dev.description, dev.head, dev.is_protected) == ("a try", head, True)
    assert dev.updated_at > BEGIN
    with refused("E602", "Did you mean dev?"):
        set_description(world.metadata, "dve", "x", author=ADA, clock=world.clock)


# archiving


def test_an_archived_branch_keeps_all_and_comes_back(world: BranchWorld) -> None:
    head = world.head("dev")
    archive_branch(world.metadata, "dev", default=MAIN, author=ADA, clock=world.clock)
    assert (world.branch("dev").status, world.head("dev")) == ("archived", head)
    archive_branch(world.metadata, "dev", default=MAIN, author=ADA, clock=world.clock, restore=True)
    assert world.branch("dev").status == "active"
    assert world.actions()[-2:] == ["branch.archive", "branch.restore"]
    with refused("E605"):
        archive_branch(world.metadata, "main", default=MAIN, author=ADA, clock=world.clock)


# deleting


def test_a_branch_that_holds_commits_of_its_own_is_deleted_by_force_alone(world: BranchWorld) -> None:
    with refused("E607", "1 commit that no other branch has"):
        delete(world, "dev")
    delete(world, "dev", force=True)
    assert set(world.refs("main", "core.orders")) == {"main"}


def test_a_branch_whose_commits_another_has_is_deleted(world: BranchWorld) -> None:
    world.create("copy", "dev")
    delete(world, "dev")
    with refused("E605"):
        delete(world, "main")


def test_a_branch_that_was_squashed_into_another_is_deleted(world: BranchWorld) -> None:
    merged = replace(world.branch("dev"), status="merged")
    world.metadata.update_branch(merged, AuditRecord(BEGIN, "ada", "merge", "dev"))
    delete(world, "dev")


def test_for_one_table_only_changes_to_others_keep_a_branch(world: BranchWorld) -> None:
    with refused("E607", "changes to core.orders"):
        delete(world, "dev", table=REFUNDS)
    world.commit("dev", "core.refunds")
    with refused("E607", "changes to core.refunds"):
        delete(world, "dev", table=ORDERS)
    delete(world, "dev", table=ORDERS, force=True)
    world.create("dev")
    world.commit("dev", "core.orders")
    delete(world, "dev", table=ORDERS)
    assert world.metadata.branch(BranchName("dev")) is None


# comparing


def test_a_branch_that_is_ahead_can_be_reached_by_fast_forward(world: BranchWorld) -> None:
    found = compare_branches(world.metadata, "main", "dev", MAIN)
    assert (found.base, found.compare, found.merge_base) == (world.head("main"), world.head("dev"), world.head("main"))
    assert (found.ahead, found.behind, found.can_fast_forward) == (1, 0, True)
    assert (found.base_tables, found.compare_tables, found.both_tables) == ((), (ORDERS,), ())
    back = compare_branches(world.metadata, "dev", "main", MAIN)
    assert (back.ahead, back.behind, back.can_fast_forward) == (0, 1, False)


def test_diverged_branches_tell_what_each_side_changed(world: BranchWorld) -> None:
    base = world.head("main")
    world.commit("main", "core.orders", "core.refunds")
    world.commit("dev", "core.new")
    found = compare_branches(world.metadata, "main", "dev", MAIN)
    assert (found.merge_base, found.ahead, found.behind, found.can_fast_forward) == (base, 2, 1, False)
    assert found.base_tables == (ORDERS, REFUNDS)
    assert found.compare_tables == (TableName("core", "new"), ORDERS)
    assert found.both_tables == (ORDERS,)


def test_lines_that_crossed_name_the_ancestors_that_were_not_taken(world: BranchWorld) -> None:
    world.commit("main", "core.refunds")
    world.create("kept-main", "main")
    world.create("kept-dev", "dev")
    world.commit("main", "core.orders", merged="kept-dev")
    world.commit("dev", "core.orders", merged="kept-main")
    found = compare_branches(world.metadata, "main", "dev", MAIN)
    best = {world.head("kept-main"), world.head("kept-dev")}
    assert {found.merge_base, *found.other_bases} == best
    assert len(found.other_bases) == 1


def test_equal_branches_and_any_revisions_can_be_compared(world: BranchWorld) -> None:
    same = compare_branches(world.metadata, "main", "main", MAIN)
    assert (same.ahead, same.behind, same.can_fast_forward, same.compare_tables) == (0, 0, False, ())
    back = compare_branches(world.metadata, "HEAD~1", "dev", MAIN)
    assert (back.ahead, back.behind) == (2, 0)
    with refused("E601"):
        compare_branches(world.metadata, "main", "nope", MAIN)


def test_lists_know_ahead_and_behind_and_who_touches_a_table(world: BranchWorld) -> None:
    world.commit("main", "core.refunds")
    views = {view.branch.name: (view.ahead, view.behind) for view in list_branches(world.metadata, MAIN)}
    assert views == {"main": (0, 0), "dev": (1, 1)}
    world.create("idle")
    assert [v.branch.name for v in branches_of(world.metadata, ORDERS, MAIN)] == ["main", "dev"]

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
def branch_world() -> BranchWorld:
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


def delete(branch_world: BranchWorld, name: str, **options: Any) -> None:
    delete_branch(
        branch_world.metadata, branch_world.lake, name, default=MAIN, author=ADA, clock=branch_world.clock, **options
    )


def rename(branch_world: BranchWorld, name: str, new: str, **options: Any) -> None:
    rename_branch(
        branch_world.metadata,
        branch_world.lake,
        name,
        new,
        default=MAIN,
        author=ADA,
        clock=branch_world.clock,
        **options,
    )


def protect(branch_world: BranchWorld, name: str, protected: bool = True, **options: Any) -> None:
    protect_branch(branch_world.metadata, name, protected=protected, author=ADA, clock=branch_world.clock, **options)


# creating


def test_a_branch_starts_at_a_head_a_branch_a_tag_a_commit_or_a_time(branch_world: BranchWorld) -> None:
    second = branch_world.head("main")
    first = branch_world.metadata.log(second)[-1]
    create_tag(branch_world.metadata, "v1", "HEAD~1", author=ADA, clock=branch_world.clock, current=MAIN)
    starts = {
        "HEAD": second,
        "dev": branch_world.head("dev"),
        "dev~1": second,
        "v1": first.id,
        first.id[:10]: first.id,
        f"{first.time:%Y-%m-%dT%H:%M}": first.id,
    }
    for number, (start, head) in enumerate(starts.items()):
        made = branch_world.create(f"b{number}", start)
        assert (made.head, made.fork_commit) == (head, head), start
    assert [branch_world.branch(f"b{number}").parent for number in range(6)] == [
        "main",
        "dev",
        "dev",
        "main",
        "main",
        "main",
    ]


def test_a_branch_before_the_first_commit_has_none() -> None:
    branch_world = BranchWorld()
    assert branch_world.create("dev").head is None


def test_a_new_branch_has_a_name_of_its_own_that_git_would_take(branch_world: BranchWorld) -> None:
    with refused("E603"):
        branch_world.create("dev")
    with refused("E604", "'..'"):
        branch_world.create("a..b")
    with refused("E601", "Did you mean dev?"):
        branch_world.create("x", "dve")


def test_creating_a_branch_moves_no_table(branch_world: BranchWorld) -> None:
    before = dict(branch_world.catalog.rows)
    branch_world.create("x", "dev")
    assert branch_world.catalog.rows == before


# renaming


def test_a_renamed_branch_keeps_its_head_its_history_and_its_refs(branch_world: BranchWorld) -> None:
    branch_world.commit("dev", "core.new")
    head, snapshot = branch_world.head("dev"), branch_world.refs("dev", "core.orders")["dev"]
    branch_world.create("child", "dev")
    rename(branch_world, "dev", "feature/a")
    assert branch_world.metadata.branch(BranchName("dev")) is None
    assert (branch_world.head("feature/a"), branch_world.branch("feature/a").fork_commit) == (
        head,
        branch_world.head("main"),
    )
    assert branch_world.refs("feature/a", "core.orders")["feature/a"] == snapshot
    assert set(branch_world.refs("feature/a", "core.orders")) == {"main", "feature/a"}
    assert set(branch_world.refs("feature/a", "core.new")) == {"feature/a"}
    assert branch_world.branch("child").parent == "feature/a"
    assert branch_world.actions()[-1] == "branch.rename"


def test_work_goes_on_under_the_new_name(branch_world: BranchWorld) -> None:
    rename(branch_world, "dev", "next")
    commit = branch_world.commit("next", "core.orders")
    assert branch_world.metadata.tree(commit.id)[ORDERS].number == 4
    assert set(branch_world.refs("next", "core.orders")) == {"main", "next"}


def test_what_another_engine_wrote_on_the_branch_goes_with_it(branch_world: BranchWorld) -> None:
    version = branch_world.metadata.tree(branch_world.head("dev"))[ORDERS]
    elsewhere = branch_world.refs("dev", "core.orders")["main"]
    branch_world.lake.set_ref(version.catalog, "dev", elsewhere)
    rename(branch_world, "dev", "next")
    assert branch_world.refs("next", "core.orders")["next"] == elsewhere


class Overtaken(MemoryMetadata):
    """Someone else is quicker, once."""

    before_rename: Callable[[], object] = staticmethod(lambda: None)

    def rename_branch(self, old: BranchName, new: BranchName, audit: AuditRecord) -> None:
        self.before_rename()
        super().rename_branch(old, new, audit)


def test_a_run_that_publishes_while_a_branch_is_renamed_is_not_lost() -> None:
    branch_world = BranchWorld(records=Overtaken)
    branch_world.commit("main", "core.orders", "core.refunds")
    branch_world.create("dev")
    branch_world.commit("dev", "core.orders")
    assert isinstance(branch_world.metadata, Overtaken)
    branch_world.metadata.before_rename = lambda: branch_world.commit("dev", "core.orders", "core.refunds")
    rename(branch_world, "dev", "next")
    tree = branch_world.metadata.tree(branch_world.head("next"))
    assert [tree[table].number for table in (ORDERS, REFUNDS)] == [3, 2], "what was published in between"
    for table in (ORDERS, REFUNDS):
        assert branch_world.refs("next", str(table))["next"] == tree[table].snapshot_id
        assert "dev" not in branch_world.refs("next", str(table))


def test_a_name_that_is_taken_or_bad_renames_nothing(branch_world: BranchWorld) -> None:
    branch_world.create("x")
    before = dict(branch_world.catalog.rows)
    for old, new, code in (("dev", "x", "E603"), ("dev", "a..b", "E604"), ("nope", "y", "E602"), ("main", "y", "E605")):
        with refused(code):
            rename(branch_world, old, new)
    assert branch_world.catalog.rows == before
    assert [b.name for b in branch_world.metadata.branches()] == ["dev", "main", "x"]


# protection


def test_a_protected_branch_is_neither_deleted_nor_renamed_until_it_is_unprotected(branch_world: BranchWorld) -> None:
    protect(branch_world, "dev")
    with refused("E608", "forge branch unprotect dev"):
        delete(branch_world, "dev", force=True)
    with refused("E608"):
        rename(branch_world, "dev", "x")
    protect(branch_world, "dev", protected=False)
    delete(branch_world, "dev", force=True)
    assert branch_world.actions()[-3:] == ["branch.protect", "branch.unprotect", "branch.delete"]


def test_what_the_settings_protect_stays_so(branch_world: BranchWorld) -> None:
    with refused("E608"):
        delete(branch_world, "dev", force=True, protected=["d*"])
    with refused("E608"):
        rename(branch_world, "dev", "x", protected=["dev"])
    with refused("E608", "forge.yaml"):
        protect(branch_world, "dev", protected=False, declared=["dev"])


def test_protection_asks_for_an_approval_and_doing_without_is_audited(branch_world: BranchWorld) -> None:
    protect(branch_world, "main", allowed_mergers=["ada", " grace ", "ada", ""])
    main = branch_world.branch("main")
    assert (main.is_protected, main.needs_approval, main.allowed_mergers) == (True, True, ("ada", "grace"))
    protect(branch_world, "main", require_approval=False)
    main = branch_world.branch("main")
    assert (main.is_protected, main.needs_approval, main.allowed_mergers) == (True, False, ())
    protect(branch_world, "main", protected=False, require_approval=False)
    main = branch_world.branch("main")
    assert (main.is_protected, main.require_approval) == (False, None)
    assert branch_world.actions()[-3:] == ["branch.protect", "branch.approval_waived", "branch.unprotect"]


def test_changing_what_is_said_of_a_branch_leaves_its_head(branch_world: BranchWorld) -> None:
    head = branch_world.head("dev")
    set_description(branch_world.metadata, "dev", "a try", author=ADA, clock=branch_world.clock)
    protect(branch_world, "dev")
    dev = branch_world.branch("dev")
    assert (dev.description, dev.head, dev.is_protected) == ("a try", head, True)
    assert dev.updated_at > BEGIN
    with refused("E602", "Did you mean dev?"):
        set_description(branch_world.metadata, "dve", "x", author=ADA, clock=branch_world.clock)


# archiving


def test_an_archived_branch_keeps_all_and_comes_back(branch_world: BranchWorld) -> None:
    head = branch_world.head("dev")
    archive_branch(branch_world.metadata, "dev", default=MAIN, author=ADA, clock=branch_world.clock)
    assert (branch_world.branch("dev").status, branch_world.head("dev")) == ("archived", head)
    archive_branch(branch_world.metadata, "dev", default=MAIN, author=ADA, clock=branch_world.clock, restore=True)
    assert branch_world.branch("dev").status == "active"
    assert branch_world.actions()[-2:] == ["branch.archive", "branch.restore"]
    with refused("E605"):
        archive_branch(branch_world.metadata, "main", default=MAIN, author=ADA, clock=branch_world.clock)


# deleting


def test_a_branch_that_holds_commits_of_its_own_is_deleted_by_force_alone(branch_world: BranchWorld) -> None:
    with refused("E607", "1 commit that no other branch has"):
        delete(branch_world, "dev")
    delete(branch_world, "dev", force=True)
    assert set(branch_world.refs("main", "core.orders")) == {"main"}


def test_a_branch_whose_commits_another_has_is_deleted(branch_world: BranchWorld) -> None:
    branch_world.create("copy", "dev")
    delete(branch_world, "dev")
    with refused("E605"):
        delete(branch_world, "main")


def test_a_branch_that_was_squashed_into_another_is_deleted(branch_world: BranchWorld) -> None:
    merged = replace(branch_world.branch("dev"), status="merged")
    branch_world.metadata.update_branch(merged, AuditRecord(BEGIN, "ada", "merge", "dev"))
    delete(branch_world, "dev")


def test_for_one_table_only_changes_to_others_keep_a_branch(branch_world: BranchWorld) -> None:
    with refused("E607", "changes to core.orders"):
        delete(branch_world, "dev", table=REFUNDS)
    branch_world.commit("dev", "core.refunds")
    with refused("E607", "changes to core.refunds"):
        delete(branch_world, "dev", table=ORDERS)
    delete(branch_world, "dev", table=ORDERS, force=True)
    branch_world.create("dev")
    branch_world.commit("dev", "core.orders")
    delete(branch_world, "dev", table=ORDERS)
    assert branch_world.metadata.branch(BranchName("dev")) is None


# comparing


def test_a_branch_that_is_ahead_can_be_reached_by_fast_forward(branch_world: BranchWorld) -> None:
    found = compare_branches(branch_world.metadata, "main", "dev", MAIN)
    assert (found.base, found.compare, found.merge_base) == (
        branch_world.head("main"),
        branch_world.head("dev"),
        branch_world.head("main"),
    )
    assert (found.ahead, found.behind, found.can_fast_forward) == (1, 0, True)
    assert (found.base_tables, found.compare_tables, found.both_tables) == ((), (ORDERS,), ())
    back = compare_branches(branch_world.metadata, "dev", "main", MAIN)
    assert (back.ahead, back.behind, back.can_fast_forward) == (0, 1, False)


def test_diverged_branches_tell_what_each_side_changed(branch_world: BranchWorld) -> None:
    base = branch_world.head("main")
    branch_world.commit("main", "core.orders", "core.refunds")
    branch_world.commit("dev", "core.new")
    found = compare_branches(branch_world.metadata, "main", "dev", MAIN)
    assert (found.merge_base, found.ahead, found.behind, found.can_fast_forward) == (base, 2, 1, False)
    assert found.base_tables == (ORDERS, REFUNDS)
    assert found.compare_tables == (TableName("core", "new"), ORDERS)
    assert found.both_tables == (ORDERS,)


def test_lines_that_crossed_name_the_ancestors_that_were_not_taken(branch_world: BranchWorld) -> None:
    branch_world.commit("main", "core.refunds")
    branch_world.create("kept-main", "main")
    branch_world.create("kept-dev", "dev")
    branch_world.commit("main", "core.orders", merged="kept-dev")
    branch_world.commit("dev", "core.orders", merged="kept-main")
    found = compare_branches(branch_world.metadata, "main", "dev", MAIN)
    best = {branch_world.head("kept-main"), branch_world.head("kept-dev")}
    assert {found.merge_base, *found.other_bases} == best
    assert len(found.other_bases) == 1


def test_equal_branches_and_any_revisions_can_be_compared(branch_world: BranchWorld) -> None:
    same = compare_branches(branch_world.metadata, "main", "main", MAIN)
    assert (same.ahead, same.behind, same.can_fast_forward, same.compare_tables) == (0, 0, False, ())
    back = compare_branches(branch_world.metadata, "HEAD~1", "dev", MAIN)
    assert (back.ahead, back.behind) == (2, 0)
    with refused("E601"):
        compare_branches(branch_world.metadata, "main", "nope", MAIN)


def test_lists_know_ahead_and_behind_and_who_touches_a_table(branch_world: BranchWorld) -> None:
    branch_world.commit("main", "core.refunds")
    views = {view.branch.name: (view.ahead, view.behind) for view in list_branches(branch_world.metadata, MAIN)}
    assert views == {"main": (0, 0), "dev": (1, 1)}
    branch_world.create("idle")
    assert [v.branch.name for v in branches_of(branch_world.metadata, ORDERS, MAIN)] == ["main", "dev"]

"""Revisions against a recorded history, on memory stores."""

from __future__ import annotations

import pytest
from branch_world import ADA, MAIN, BranchWorld

from forge.flows.versioning.revisions import find_commit, find_tag, find_version
from forge.flows.versioning.tags import create_tag
from forge.model.errors import ForgeError
from forge.model.names import BranchName, CommitId, TableName

ORDERS = TableName("core", "orders")


@pytest.fixture
def revision_world() -> BranchWorld:
    """Two commits on main, one on dev since the first, and dev merged into main."""
    made = BranchWorld()
    made.commit("main", "core.orders")
    made.create("dev")
    made.commit("main", "core.orders")
    made.commit("dev", "core.refunds")
    made.commit("main", "core.orders", merged="dev")
    return made


def found(revision_world: BranchWorld, text: str) -> CommitId:
    return find_commit(revision_world.metadata, text, MAIN).id


def code_of(revision_world: BranchWorld, text: str) -> str:
    with pytest.raises(ForgeError) as caught:
        find_commit(revision_world.metadata, text, MAIN)
    return caught.value.code


def tag(revision_world: BranchWorld, name: str, target: str) -> None:
    create_tag(revision_world.metadata, name, target, author=ADA, clock=revision_world.clock, current=MAIN)


def test_steps_go_to_the_first_or_the_named_parent(revision_world: BranchWorld) -> None:
    merge = find_commit(revision_world.metadata, "HEAD", MAIN)
    first = revision_world.branch("dev").fork_commit
    assert (
        found(revision_world, "HEAD~1")
        == found(revision_world, "HEAD^")
        == found(revision_world, "HEAD^1")
        == merge.parents[0]
    )
    assert found(revision_world, "HEAD^2") == revision_world.head("dev")
    assert (
        found(revision_world, "HEAD^2~1") == found(revision_world, "HEAD~2") == found(revision_world, "main^^") == first
    )
    assert found(revision_world, "HEAD~0") == found(revision_world, "HEAD^0") == merge.id


@pytest.mark.parametrize("text", ["HEAD^3", "HEAD~3", "HEAD~99999999999999999999", "dev^2", "HEAD~2^"])
def test_a_parent_that_is_not_there_is_told(revision_world: BranchWorld, text: str) -> None:
    assert code_of(revision_world, text) == "E601"


def test_a_name_is_a_branch_then_a_tag_then_a_commit_then_a_time(revision_world: BranchWorld) -> None:
    first, second, merge = (
        found(revision_world, "HEAD~2"),
        found(revision_world, "HEAD~1"),
        found(revision_world, "HEAD"),
    )
    day = "2026-11-15"
    assert found(revision_world, day) == merge
    assert found(revision_world, first[:8]) == first
    tag(revision_world, first[:8], "HEAD~1")
    assert found(revision_world, first[:8]) == second
    tag(revision_world, day, "HEAD~1")
    assert (found(revision_world, day), found(revision_world, f"{day}~1")) == (second, first)
    revision_world.create(day, "dev")
    assert found(revision_world, day) == revision_world.head("dev")
    assert found(revision_world, f"main@{day}") == merge


def test_a_time_is_looked_up_from_a_branch_or_a_tag(revision_world: BranchWorld) -> None:
    second = find_commit(revision_world.metadata, "HEAD~1", MAIN)
    tag(revision_world, "v1", "HEAD")
    at = f"{second.time:%Y-%m-%dT%H:%M}"
    assert (
        found(revision_world, at)
        == found(revision_world, f"v1@{at}")
        == found(revision_world, f"HEAD@{at}")
        == second.id
    )
    assert found(revision_world, f"dev@{at}") == revision_world.branch("dev").fork_commit
    assert code_of(revision_world, "2026-11-14") == "E601"


def test_what_nothing_matches_is_told_with_the_nearest_branch_or_tag(revision_world: BranchWorld) -> None:
    tag(revision_world, "release-1", "HEAD")
    with pytest.raises(ForgeError) as caught:
        find_commit(revision_world.metadata, "releas-1", MAIN)
    assert (caught.value.code, caught.value.why) == ("E601", "Did you mean release-1?")
    with pytest.raises(ForgeError) as unknown:
        find_tag(revision_world.metadata, "releas-1")
    assert (unknown.value.code, unknown.value.why) == ("E614", "Did you mean release-1?")
    assert find_tag(revision_world.metadata, "release-1").target == revision_world.head("main")


def test_a_branch_without_commits_has_no_head() -> None:
    empty = BranchWorld()
    assert code_of(empty, "HEAD") == code_of(empty, "main~1") == "E606"


def test_a_version_of_a_table_is_found_by_its_number_on_the_branch(revision_world: BranchWorld) -> None:
    revision_world.commit("dev", "core.orders")
    on_main = [find_version(revision_world.metadata, ORDERS, number, MAIN).id for number in (1, 2, 3)]
    assert on_main == [found(revision_world, "HEAD~2"), found(revision_world, "HEAD~1"), found(revision_world, "HEAD")]
    assert find_version(revision_world.metadata, ORDERS, 2, BranchName("dev")).id == revision_world.head("dev")


def test_an_unknown_version_or_table_is_told(revision_world: BranchWorld) -> None:
    with pytest.raises(ForgeError) as caught:
        find_version(revision_world.metadata, ORDERS, 9, MAIN)
    assert (caught.value.code, caught.value.why) == ("E601", "It has v1 to v3.")
    with pytest.raises(ForgeError) as unknown:
        find_version(revision_world.metadata, TableName("core", "order"), 1, MAIN)
    assert (unknown.value.code, unknown.value.why) == ("E108", "Did you mean core.orders?")

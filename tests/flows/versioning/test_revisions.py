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
def world() -> BranchWorld:
    """Two commits on main, one on dev since the first, and dev merged into main."""
    made = BranchWorld()
    made.commit("main", "core.orders")
    made.create("dev")
    made.commit("main", "core.orders")
    made.commit("dev", "core.refunds")
    made.commit("main", "core.orders", merged="dev")
    return made


def found(world: BranchWorld, text: str) -> CommitId:
    return find_commit(world.metadata, text, MAIN).id


def code_of(world: BranchWorld, text: str) -> str:
    with pytest.raises(ForgeError) as caught:
        find_commit(world.metadata, text, MAIN)
    return caught.value.code


def tag(world: BranchWorld, name: str, target: str) -> None:
    create_tag(world.metadata, name, target, author=ADA, clock=world.clock, current=MAIN)


def test_steps_go_to_the_first_or_the_named_parent(world: BranchWorld) -> None:
    merge = find_commit(world.metadata, "HEAD", MAIN)
    first = world.branch("dev").fork_commit
    assert found(world, "HEAD~1") == found(world, "HEAD^") == found(world, "HEAD^1") == merge.parents[0]
    assert found(world, "HEAD^2") == world.head("dev")
    assert found(world, "HEAD^2~1") == found(world, "HEAD~2") == found(world, "main^^") == first
    assert found(world, "HEAD~0") == found(world, "HEAD^0") == merge.id


@pytest.mark.parametrize("text", ["HEAD^3", "HEAD~3", "HEAD~99999999999999999999", "dev^2", "HEAD~2^"])
def test_a_parent_that_is_not_there_is_told(world: BranchWorld, text: str) -> None:
    assert code_of(world, text) == "E601"


def test_a_name_is_a_branch_then_a_tag_then_a_commit_then_a_time(world: BranchWorld) -> None:
    first, second, merge = found(world, "HEAD~2"), found(world, "HEAD~1"), found(world, "HEAD")
    day = "2026-11-15"
    assert found(world, day) == merge
    assert found(world, first[:8]) == first
    tag(world, first[:8], "HEAD~1")
    assert found(world, first[:8]) == second
    tag(world, day, "HEAD~1")
    assert (found(world, day), found(world, f"{day}~1")) == (second, first)
    world.create(day, "dev")
    assert found(world, day) == world.head("dev")
    assert found(world, f"main@{day}") == merge


def test_a_time_is_looked_up_from_a_branch_or_a_tag(world: BranchWorld) -> None:
    second = find_commit(world.metadata, "HEAD~1", MAIN)
    tag(world, "v1", "HEAD")
    at = f"{second.time:%Y-%m-%dT%H:%M}"
    assert found(world, at) == found(world, f"v1@{at}") == found(world, f"HEAD@{at}") == second.id
    assert found(world, f"dev@{at}") == world.branch("dev").fork_commit
    assert code_of(world, "2026-11-14") == "E601"


def test_what_nothing_matches_is_told_with_the_nearest_branch_or_tag(world: BranchWorld) -> None:
    tag(world, "release-1", "HEAD")
    with pytest.raises(ForgeError) as caught:
        find_commit(world.metadata, "releas-1", MAIN)
    assert (caught.value.code, caught.value.why) == ("E601", "Did you mean release-1?")
    with pytest.raises(ForgeError) as unknown:
        find_tag(world.metadata, "releas-1")
    assert (unknown.value.code, unknown.value.why) == ("E614", "Did you mean release-1?")
    assert find_tag(world.metadata, "release-1").target == world.head("main")


def test_a_branch_without_commits_has_no_head() -> None:
    empty = BranchWorld()
    assert code_of(empty, "HEAD") == code_of(empty, "main~1") == "E606"


def test_a_version_of_a_table_is_found_by_its_number_on_the_branch(world: BranchWorld) -> None:
    world.commit("dev", "core.orders")
    on_main = [find_version(world.metadata, ORDERS, number, MAIN).id for number in (1, 2, 3)]
    assert on_main == [found(world, "HEAD~2"), found(world, "HEAD~1"), found(world, "HEAD")]
    assert find_version(world.metadata, ORDERS, 2, BranchName("dev")).id == world.head("dev")


def test_an_unknown_version_or_table_is_told(world: BranchWorld) -> None:
    with pytest.raises(ForgeError) as caught:
        find_version(world.metadata, ORDERS, 9, MAIN)
    assert (caught.value.code, caught.value.why) == ("E601", "It has v1 to v3.")
    with pytest.raises(ForgeError) as unknown:
        find_version(world.metadata, TableName("core", "order"), 1, MAIN)
    assert (unknown.value.code, unknown.value.why) == ("E108", "Did you mean core.orders?")

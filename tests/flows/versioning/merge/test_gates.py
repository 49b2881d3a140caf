"""Merges that someone or something holds back: checks, protection, approvals."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from orders_world import ORDERS, THREE, amounts, drop, edit, go
from version_world import BEN, VersionWorld

from forge.flows.runs.records import RunStatus
from forge.flows.versioning.branches import protect_branch
from forge.flows.versioning.merge.merge import MergeRequest, merge
from forge.flows.versioning.merge.pick import revert
from forge.flows.versioning.merge.resolve import (
    Resolution,
    approve_merge,
    continue_merge,
    find_merge,
    reject_merge,
    resolve,
)
from forge.flows.versioning.reset import reset
from forge.model.errors import ForgeError
from forge.model.names import TableName
from forge.quality.checks import ForeignKeyCheck, RangeCheck
from forge.versioning.conflict import ConflictKind, ResolutionChoice
from forge.versioning.merge import MergeStatus, MergeType


@pytest.mark.slow
def test_a_foreign_key_that_only_the_merge_breaks_is_a_constraint_conflict(world: VersionWorld) -> None:
    world.commit_rows("core.lines", [{"line": 1, "order": 1}], key=["line"])
    world.checks[TableName.parse("core.lines")] = (
        ForeignKeyCheck(columns=("order",), table=TableName.parse(ORDERS), references=("id",)),
    )
    world.branch("dev")
    world.commit_rows("core.lines", [{"line": 2, "order": 3}], branch="dev")
    drop(world, "main", 3)
    result = go(world)
    assert result.type is MergeType.CONFLICTED
    assert [(c.kind, c.table, c.column) for c in result.conflicts] == [(ConflictKind.CONSTRAINT, "core.lines", "order")]
    assert sorted(amounts(world)) == [1, 2]
    edit(world, "main", {"id": 3, "name": "back", "amount": 3.0})  # the data is mended, not the conflict answered
    assert result.merge is not None
    assert continue_merge(result.merge.id, world.ports).type is MergeType.THREE_WAY


def test_a_check_that_fails_on_the_preview_holds_the_merge_back(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": -5.0})
    edit(world, "main", {"id": 2, "name": "m", "amount": 2.0})
    world.checks[TableName.parse(ORDERS)] = (RangeCheck(column="amount", min=0),)
    head = world.head("main")
    result = go(world)
    assert result.type is MergeType.BLOCKED
    assert [v.table for v in result.verdicts if v.blocks] == [ORDERS]
    assert world.head("main") == head
    assert result.run_id is not None
    newest = world.metadata.runs(limit=1)[0]
    assert (newest.kind, newest.status) == ("merge", RunStatus.BLOCKED)


def test_a_merge_into_a_protected_branch_waits_for_someone_else(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    protect_branch(world.metadata, "main", protected=True, author=world.ports.author, clock=world.ports.clock)
    held = go(world)
    assert held.type is MergeType.PENDING
    assert held.merge is not None
    assert amounts(world)[1] == ("a", 1.0)
    with pytest.raises(ForgeError) as own:
        approve_merge(held.merge.id, world.ports)
    assert own.value.code == "E620"
    assert continue_merge(held.merge.id, world.ports).type is MergeType.PENDING
    done = approve_merge(held.merge.id, replace(world.ports, author=BEN), comment="fine")
    assert done.type is MergeType.FAST_FORWARD
    assert amounts(world)[1] == ("a", 8.0)
    assert find_merge(world.metadata, held.merge.id).approvals[0].user == BEN.email


def test_an_approval_of_the_commit_that_was_looked_at_is_refused_for_another(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    protect_branch(world.metadata, "main", protected=True, author=world.ports.author, clock=world.ports.clock)
    held, seen, ben = go(world).merge, world.head("dev"), replace(world.ports, author=BEN)
    assert held is not None
    assert seen is not None
    edit(world, "dev", {"id": 2, "name": "not looked at", "amount": 9.0})
    for decide in (approve_merge, reject_merge):
        with pytest.raises(ForgeError) as refused:
            decide(held.id, ben, expected=seen)
        assert refused.value.code == "E632"
    assert find_merge(world.metadata, held.id).approvals == ()
    assert amounts(world)[1] == ("a", 1.0)
    now = world.head("dev")
    assert now is not None
    assert approve_merge(held.id, ben, expected=now[:12]).type is MergeType.FAST_FORWARD
    assert amounts(world)[2] == ("not looked at", 9.0)


@pytest.mark.slow
def test_an_approval_expires_when_the_source_moves(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    edit(world, "main", {"id": 1, "name": "a", "amount": 7.0})
    protect_branch(world.metadata, "main", protected=True, author=world.ports.author, clock=world.ports.clock)
    held = go(world).merge
    assert held is not None
    approved = approve_merge(held.id, replace(world.ports, author=BEN))
    assert approved.type is MergeType.CONFLICTED  # the approval stands, the conflict has to be resolved
    edit(world, "dev", {"id": 2, "name": "more", "amount": 2.0})
    resolve(held.id, [Resolution(ResolutionChoice.THEIRS)], world.ports)
    assert continue_merge(held.id, world.ports).type is MergeType.PENDING
    assert approve_merge(held.id, replace(world.ports, author=BEN)).type is MergeType.THREE_WAY


def test_a_rejected_merge_is_closed(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    protect_branch(world.metadata, "main", protected=True, author=world.ports.author, clock=world.ports.clock)
    held = go(world).merge
    assert held is not None
    assert reject_merge(held.id, replace(world.ports, author=BEN)).status is MergeStatus.REJECTED
    with pytest.raises(ForgeError) as closed:
        approve_merge(held.id, replace(world.ports, author=BEN))
    assert closed.value.code == "E618"


@pytest.mark.parametrize("action", ["commit", "revert", "reset"])
def test_a_protected_branch_changes_by_merges_alone(world: VersionWorld, action: str) -> None:
    edit(world, "main", {"id": 1, "name": "x", "amount": 1.0})
    world.branch("dev")
    ports = replace(world.ports, protected=frozenset({"main"}))
    head = world.head("main")
    assert head is not None
    changes: dict[str, Callable[[], object]] = {
        "commit": lambda: replace(world, ports=ports).commit_rows(ORDERS, THREE),
        "revert": lambda: revert(head, "main", ports),
        "reset": lambda: reset("main", "HEAD~1", ports),
    }
    with pytest.raises(ForgeError) as refused:
        changes[action]()
    assert refused.value.code == "E608"
    assert world.head("main") == head


def test_only_allowed_mergers_merge(world: VersionWorld) -> None:
    world.branch("dev")
    edit(world, "dev", {"id": 1, "name": "a", "amount": 8.0})
    protect_branch(
        world.metadata,
        "main",
        protected=True,
        require_approval=False,
        allowed_mergers=(BEN.email,),
        author=world.ports.author,
        clock=world.ports.clock,
    )
    with pytest.raises(ForgeError) as refused:
        go(world)
    assert refused.value.code == "E620"
    assert (
        merge(MergeRequest(source="dev", target="main"), replace(world.ports, author=BEN)).type
        is MergeType.FAST_FORWARD
    )

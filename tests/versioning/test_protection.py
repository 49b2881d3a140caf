from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from forge.model.errors import ForgeError
from forge.model.names import BranchName
from forge.versioning.branch import Branch
from forge.versioning.protection import effective, may_approve, refuse_change, who_may_merge

NOW = datetime(2026, 11, 15, tzinfo=UTC)


def branch(name: str = "main", **changes: Any) -> Branch:
    return Branch(name=BranchName(name), head=None, created_at=NOW, created_by="ada", updated_at=NOW, **changes)


@pytest.mark.parametrize(
    "action", ["commit", "upload", "run", "revert", "reset", "rollback", "tag move", "delete", "rename", "remediation"]
)
def test_a_protected_branch_changes_by_merges_alone(action: str) -> None:
    refuse_change(branch(), action)
    with pytest.raises(ForgeError) as caught:
        refuse_change(branch(is_protected=True), action)
    assert caught.value.code == "E608"
    assert "'main' is protected" in caught.value.what
    assert "forge merge fix main" in (caught.value.fix or "") or "unprotect main" in (caught.value.fix or "")


def test_an_approval_is_needed_where_a_branch_is_protected_unless_the_opposite_was_said() -> None:
    assert branch(is_protected=True).needs_approval
    assert not branch(is_protected=True, require_approval=False).needs_approval
    assert not branch().needs_approval
    assert branch(require_approval=True).needs_approval


def test_nobody_approves_their_own_merge() -> None:
    assert may_approve("ada@example.com", "grace@example.com")
    assert not may_approve("ada@example.com", "ada@example.com")
    assert not may_approve("ada@example.com", " Ada@Example.com")


def test_without_a_list_everyone_merges_and_with_one_those_on_it() -> None:
    assert who_may_merge(branch(), "ada")
    listed = branch(allowed_mergers=("grace@example.com",))
    assert who_may_merge(listed, "Grace@example.com")
    assert not who_may_merge(listed, "ada")


@pytest.mark.parametrize(
    ("name", "declared", "expected"),
    [
        ("main", (), False),
        ("main", ("main",), True),
        ("dev", ("main",), False),
        ("release/1", ("main", "release/*"), True),
        ("main", ("mai",), False),
    ],
)
def test_the_settings_protect_by_name_or_pattern(name: str, declared: tuple[str, ...], expected: bool) -> None:
    found = effective(branch(name), declared, True)
    assert (found.is_protected, found.needs_approval) == (expected, expected)


def test_the_settings_can_do_without_review_but_not_against_the_branch() -> None:
    assert not effective(branch(is_protected=True), (), False).needs_approval
    assert effective(branch(is_protected=True, require_approval=True), (), False).needs_approval
    assert not effective(branch(is_protected=True, require_approval=False), ("main",), True).needs_approval
    plain = branch("dev")
    assert effective(plain, ("main",), False) == plain

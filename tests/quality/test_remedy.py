"""What people write in `on_failure`, and what is planned of it."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from forge.quality.checks import NotNullCheck, RangeCheck, UniqueCheck
from forge.quality.remediation import (
    ApprovalPolicy,
    RemedyStatus,
    RemedyStep,
    may_follow,
    plan_remedies,
    why_not_approve,
)
from forge.quality.remedy import Action, ActionKind, InvalidActions, load_actions
from forge.quality.verdict import Outcome, Severity, Verdict


def test_a_word_a_mapping_and_a_list_are_read() -> None:
    assert load_actions("quarantine") == (Action(ActionKind.QUARANTINE),)
    assert load_actions(["rollback"]) == (Action(ActionKind.ROLLBACK),)
    (impute,) = load_actions({"action": "impute", "method": "median", "column": "amount"})
    assert impute.options == (("columns", ("amount",)), ("method", "median"))
    (notify,) = load_actions({"action": "notify", "channels": ["ops", "data"], "message": "look"})
    assert notify.names("channels") == ("ops", "data")


@pytest.mark.parametrize(
    "written",
    [
        "quarantine",
        {"action": "impute", "method": "constant", "columns": ["a", "b"], "value": Decimal("1.50")},
        {"action": "impute", "method": "constant", "columns": ["a"], "value": date(2026, 1, 2)},
        {"action": "impute", "method": "constant", "columns": ["a"], "value": False},
        {"action": "impute", "method": "forward_fill", "key": "id", "order_by": ["day"]},
        {"action": "deduplicate", "key": ["id"], "order_by": "updated_at"},
        {"action": "custom", "sql": "SELECT 1"},
        {"action": "custom", "function": "quality/mend.py:clean"},
        {"action": "notify", "channels": "ops"},
    ],
)
def test_what_is_stored_is_read_back(written: object) -> None:
    (action,) = load_actions(written)
    (again,) = load_actions(action.to_dict())
    assert again.to_dict() == action.to_dict()
    assert again.kind is action.kind


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("quarantin", "there is no action 'quarantin'. Did you mean quarantine"),
        (7, "an action is one of notify, quarantine"),
        ({"method": "median"}, "an action is one of"),
        ({"action": "impute"}, "impute: 'method' is missing"),
        ({"action": "impute", "method": "mean"}, "'method' is one of constant, median, mode, forward_fill"),
        ({"action": "impute", "method": "constant"}, "'value' is missing"),
        ({"action": "impute", "method": "median", "value": 1}, "'value' has no use with method median"),
        ({"action": "impute", "method": "forward_fill"}, "'order_by' is missing"),
        ({"action": "impute", "method": "mode", "key": "id"}, "'key' has no use with method mode"),
        ({"action": "impute", "method": "constant", "value": [1]}, "'value' must be one value"),
        ({"action": "deduplicate", "key": "id"}, "'order_by' is missing"),
        ({"action": "deduplicate", "key": ["id", "id"], "order_by": "a"}, "'key' has a name twice"),
        ({"action": "custom"}, "one of 'sql' and 'function' is needed"),
        ({"action": "custom", "sql": "SELECT 1", "function": "a.py:b"}, "one of 'sql' and 'function' is needed"),
        ({"action": "custom", "function": "../outside.py:b"}, "a file of the project"),
        ({"action": "custom", "function": "/etc/outside.py:b"}, "a file of the project"),
        ({"action": "quarantine", "table": "x"}, "there is no key 'table'. It has none."),
        (["quarantine", "quarantine"], "the same action twice"),
    ],
)
def test_what_is_wrong_is_said(written: object, said: str) -> None:
    with pytest.raises(InvalidActions) as caught:
        load_actions(written)
    assert said in str(caught.value)


def test_all_errors_are_told_at_once() -> None:
    with pytest.raises(InvalidActions) as caught:
        load_actions(["quarantin", {"action": "impute", "methd": "median", "columns": 3}, "rollback"])
    assert [error.partition(":")[0] for error in caught.value.errors] == ["action 1", "action 2", "action 2"]


def verdict(check_id: str, outcome: Outcome = Outcome.FAILED) -> Verdict:
    return Verdict(
        check_id=check_id,
        check_type="x",
        table="core.orders",
        columns=(),
        outcome=outcome,
        severity=Severity.ERROR,
        message="",
        blocks=True,
    )


def test_failed_checks_alone_ask_and_the_automatic_are_apart() -> None:
    checks = (
        RangeCheck(column="a", min=0, on_failure=load_actions("quarantine"), auto=True),
        RangeCheck(column="b", min=0, on_failure=load_actions("quarantine")),
        NotNullCheck(columns=("c",), on_failure=load_actions("quarantine")),
        NotNullCheck(columns=("d",), on_failure=load_actions("quarantine")),
    )
    said = [verdict("a"), verdict("b"), verdict("c", Outcome.PASSED), verdict("d", Outcome.NOT_MEASURED)]
    plan = plan_remedies(checks, said)
    quarantine = Action(ActionKind.QUARANTINE)
    assert plan.now == (RemedyStep(quarantine, ("a",)),)
    assert plan.later == (RemedyStep(quarantine, ("b",)),)


def test_one_quarantine_serves_all_checks_and_comes_after_repairs() -> None:
    checks = (
        RangeCheck(column="a", min=0, on_failure=load_actions("quarantine")),
        NotNullCheck(columns=("b",), on_failure=load_actions(["quarantine", {"action": "impute", "method": "mode"}])),
        UniqueCheck(columns=("id",), on_failure=load_actions({"action": "deduplicate", "order_by": "at"})),
    )
    plan = plan_remedies(checks, [verdict("a"), verdict("b"), verdict("id")])
    assert [(str(step.action.kind), step.check_ids) for step in plan.later] == [
        ("impute", ("b",)),
        ("deduplicate", ("id",)),
        ("quarantine", ("a", "b")),
    ]
    assert plan.later[0].action.names("columns") == ("b",)  # those of the check
    assert plan.later[1].action.names("key") == ("id",)


def test_a_rollback_goes_alone() -> None:
    checks = (
        RangeCheck(column="a", min=0, on_failure=load_actions("quarantine")),
        RangeCheck(column="b", min=0, on_failure=load_actions("rollback")),
    )
    plan = plan_remedies(checks, [verdict("a"), verdict("b")])
    assert [str(step.action.kind) for step in plan.later] == ["rollback"]


def test_to_notify_never_waits() -> None:
    checks = (RangeCheck(column="a", min=0, on_failure=load_actions(["notify", "quarantine"])),)
    plan = plan_remedies(checks, [verdict("a")])
    assert [str(step.action.kind) for step in plan.notify] == ["notify"]
    assert [str(step.action.kind) for step in plan.later] == ["quarantine"]


@pytest.mark.parametrize("old", list(RemedyStatus))
def test_only_a_proposal_is_decided_and_only_what_was_applied_is_taken_back(old: RemedyStatus) -> None:
    for new in RemedyStatus:
        expected = (old is RemedyStatus.PROPOSED and new is not RemedyStatus.REVERTED) or (
            old is RemedyStatus.APPLIED and new is RemedyStatus.REVERTED
        )
        assert may_follow(old, new) is expected


def test_users_are_the_same_however_they_are_written() -> None:
    from datetime import UTC, datetime

    from forge.model.names import BranchName, TableName
    from forge.quality.remediation import Remediation

    made = Remediation(
        id="q1",
        table=TableName.parse("a.b"),
        branch=BranchName("main"),
        steps=(),
        status=RemedyStatus.PROPOSED,
        proposed_by="Ada@Example.com",
        proposed_at=datetime.now(UTC),
    )
    assert why_not_approve(ApprovalPolicy(own=False), made, ("ada@example.com", "Ada")) is not None
    assert why_not_approve(ApprovalPolicy(("BEN@example.com",)), made, ("ben@example.com",)) is None
    assert why_not_approve(ApprovalPolicy(("ben@example.com",)), made, ("ada@example.com",)) is not None

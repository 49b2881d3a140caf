"""ok → failing → recovered → ok, and who hears of which step."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest
from alert_world import FAILED, HOURLY, NOON, NOT_MEASURED, PASSED, verdict

from forge.quality.alerts.alert import (
    AlertMove,
    AlertPolicy,
    AlertScope,
    AlertState,
    AlertStatus,
    MoveKind,
    Sighting,
    move,
)
from forge.quality.alerts.json import state_dict, state_of
from forge.quality.verdict import Outcome, Severity

OPS = AlertPolicy(("ops",))


def seen(hours: float = 0) -> Sighting:
    return Sighting(HOURLY, "main", NOON + timedelta(hours=hours), "c1", None, "run-1")


def moves(*outcomes: Outcome, policy: AlertPolicy = OPS) -> list[AlertMove | None]:
    """What each of these verdicts makes of the state, an hour apart."""
    state: AlertState | None = None
    found = []
    for number, outcome in enumerate(outcomes):
        one = move(state, verdict(outcome), policy, seen(number))
        state = one.after if one else state
        found.append(one)
    return found


def test_a_check_goes_from_failing_to_recovered_to_ok_and_tells_of_the_first_two_steps_only() -> None:
    found = moves(PASSED, FAILED, FAILED, PASSED, PASSED, PASSED)
    assert found[0] is None
    told = [(one.kind, one.after.status, one.notify) for one in found[1:] if one]
    assert told == [
        (MoveKind.FAILED, AlertStatus.FAILING, ("ops",)),
        (MoveKind.AGAIN, AlertStatus.FAILING, ()),
        (MoveKind.RECOVERED, AlertStatus.RECOVERED, ("ops",)),
        (MoveKind.PASSED, AlertStatus.OK, ()),
        (MoveKind.PASSED, AlertStatus.OK, ()),
    ]


def test_a_state_knows_since_when_it_is_so_and_how_often_it_failed() -> None:
    failing = moves(FAILED, FAILED, FAILED)[-1]
    assert failing
    assert (failing.after.since, failing.after.seen_at, failing.after.failures) == (
        NOON,
        NOON + timedelta(hours=2),
        3,
    )
    recovered = moves(FAILED, FAILED, PASSED)[-1]
    assert recovered
    assert (recovered.after.since, recovered.after.failures) == (NOON + timedelta(hours=2), 0)


def test_a_check_that_cannot_be_measured_leaves_the_state_as_it_is_unless_that_blocks() -> None:
    assert move(None, verdict(NOT_MEASURED, blocks=False), OPS, seen()) is None
    failing = move(None, verdict(FAILED), OPS, seen())
    assert failing
    assert move(failing.after, verdict(NOT_MEASURED, blocks=False), OPS, seen(1)) is None
    blocked = move(None, verdict(NOT_MEASURED, blocks=True), OPS, seen())
    assert blocked
    assert (blocked.kind, blocked.notify) == (MoveKind.FAILED, ("ops",))


def test_failures_below_the_threshold_are_kept_and_not_told() -> None:
    policy = replace(OPS, severity_threshold=Severity.ERROR)
    found = move(None, verdict(severity=Severity.WARNING), policy, seen())
    assert found
    assert (found.after.status, found.notify, found.after.notified) == (AlertStatus.FAILING, (), ())
    recovered = move(found.after, verdict(PASSED, severity=Severity.WARNING), policy, seen(1))
    assert recovered
    assert recovered.notify == recovered.close == ()


def test_one_that_becomes_worse_is_told_again_and_one_that_becomes_milder_is_not() -> None:
    first = move(None, verdict(severity=Severity.WARNING), OPS, seen())
    assert first
    worse = move(first.after, verdict(severity=Severity.CRITICAL), OPS, seen(1))
    assert worse
    assert (worse.kind, worse.notify) == (MoveKind.WORSE, ("ops",))
    milder = move(worse.after, verdict(severity=Severity.WARNING), OPS, seen(2))
    assert milder
    assert (milder.kind, milder.notify) == (MoveKind.AGAIN, ())


def test_a_channel_that_is_added_while_it_fails_hears_of_it() -> None:
    first = move(None, verdict(), OPS, seen())
    assert first
    second = move(first.after, verdict(), AlertPolicy(("ops", "pager")), seen(1))
    assert second
    assert (second.notify, second.after.notified) == (("pager",), ("ops", "pager"))


def test_the_end_is_told_to_those_who_know_of_the_beginning() -> None:
    first = move(None, verdict(), AlertPolicy(("ops", "pager")), seen())
    assert first
    ended = move(first.after, verdict(PASSED), AlertPolicy(("mail",)), seen(1))
    assert ended
    assert ended.notify == ended.close == ("ops", "pager")
    silent = move(first.after, verdict(PASSED), AlertPolicy(("ops",), notify_on_recovery=False), seen(1))
    assert silent
    assert (silent.notify, silent.close) == ((), ("ops", "pager"))


def test_a_reminder_comes_when_it_has_lasted_long_enough_since_the_last_word() -> None:
    policy = replace(OPS, remind_after=timedelta(hours=2))
    told = [one.notify for one in moves(*[FAILED] * 6, policy=policy) if one]
    assert told == [("ops",), (), ("ops",), (), ("ops",), ()]


def test_a_verdict_that_is_older_than_the_one_that_is_known_changes_nothing() -> None:
    first = move(None, verdict(), OPS, seen(2))
    assert first
    assert move(first.after, verdict(PASSED), OPS, seen(1)) is None
    assert move(first.after, verdict(PASSED), OPS, seen(2)) is not None


def test_a_state_comes_back_from_json_as_it_was() -> None:
    found = move(None, verdict(message='Ü "quoted" 数'), OPS, seen())
    assert found
    assert state_of(state_dict(found.after)) == found.after


@pytest.mark.parametrize("text", ["monitor:orders-a1b2c3", "run:feature/a:b", "hand:main"])
def test_a_scope_is_its_text(text: str) -> None:
    assert str(AlertScope.parse(text)) == text

"""When something is told, what becomes one message, and what the pager hears."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from alert_world import HOURLY, NOON, delivery, notice

from forge.quality.alerts.alert import AlertOrigin, AlertScope
from forge.quality.alerts.delivery import (
    ChannelMessage,
    ChannelTiming,
    Delivery,
    backoff,
    first_try,
    group_by_cause,
    is_over,
    pager_events,
    plan_messages,
)
from forge.quality.alerts.notice import NoticeKind, notice_of
from forge.quality.alerts.quiet import Mute, QuietPeriod, muted_until, quiet_until
from forge.quality.verdict import Severity

NIGHT = QuietPeriod(22 * 60, 7 * 60, "Europe/Zurich")
ERROR, CRITICAL = Severity.ERROR, Severity.CRITICAL
RECOVERED = NoticeKind.RECOVERED


def local(text: str) -> datetime:
    return datetime.fromisoformat(text).astimezone(UTC)


@pytest.mark.parametrize(
    ("at", "until"),
    [
        ("2026-11-16T21:59:59+01:00", None),
        ("2026-11-16T22:00:00+01:00", "2026-11-17T07:00:00+01:00"),
        ("2026-11-17T03:00:00+01:00", "2026-11-17T07:00:00+01:00"),
        ("2026-11-17T07:00:00+01:00", None),
        ("2026-10-24T23:00:00+02:00", "2026-10-25T07:00:00+01:00"),  # the night in which the clock goes back
        ("2026-03-28T23:00:00+01:00", "2026-03-29T07:00:00+02:00"),  # and forward
    ],
)
def test_quiet_hours_end_in_the_morning_of_their_own_zone(at: str, until: str | None) -> None:
    assert quiet_until((NIGHT,), local(at), ERROR) == (local(until) if until else None)


def test_quiet_days_that_follow_one_another_are_one() -> None:
    weekend = QuietPeriod(0, 24 * 60, days=frozenset({"sat", "sun"}))
    night = QuietPeriod(20 * 60, 8 * 60)
    friday = datetime(2026, 11, 20, 21, tzinfo=UTC)
    assert quiet_until((weekend, night), friday, ERROR) == datetime(2026, 11, 23, 8, tzinfo=UTC)


def test_a_night_of_certain_days_is_quiet_until_the_morning_of_the_next() -> None:
    sunday_night = QuietPeriod(22 * 60, 6 * 60, days=frozenset({"sun"}))
    assert quiet_until((sunday_night,), datetime(2026, 11, 23, 5, tzinfo=UTC), ERROR) is not None
    assert quiet_until((sunday_night,), datetime(2026, 11, 24, 5, tzinfo=UTC), ERROR) is None


def test_the_critical_breaks_through_where_it_may() -> None:
    loud = replace(NIGHT, break_through=CRITICAL)
    midnight = local("2026-11-17T00:00:00+01:00")
    assert quiet_until((loud,), midnight, CRITICAL) is None
    assert quiet_until((loud,), midnight, ERROR) is not None
    assert quiet_until((NIGHT,), midnight, CRITICAL) is not None


def test_quiet_hours_without_an_end_do_not_lose_the_alert() -> None:
    always = QuietPeriod(0, 24 * 60)
    end = quiet_until((always,), NOON, ERROR)
    assert end is not None
    assert end < NOON + timedelta(days=365)


def test_a_delivery_waits_for_others_for_a_mute_and_for_the_morning() -> None:
    timing = ChannelTiming(timedelta(seconds=30), (NIGHT,))
    assert first_try(notice(), timing, NOON, None) == (NOON + timedelta(seconds=30), "")
    evening = NOON + timedelta(hours=6)
    assert first_try(notice(), timing, NOON, evening)[0] == evening
    at, reason = first_try(notice(), timing, NOON, NOON + timedelta(hours=12))
    assert at == local("2026-11-17T07:00:00+01:00")
    assert reason.startswith("quiet hours until 2026-11-17 06:00")


def test_tries_come_at_ever_longer_intervals_with_some_chance_in_them() -> None:
    waits = [backoff(tries, 0.0).total_seconds() for tries in range(1, 12)]
    assert waits[:4] == [5, 10, 20, 40]
    assert waits[-1] == 900
    assert backoff(3, 1.0).total_seconds() == 10
    assert backoff(1, 0.5, asked=120).total_seconds() == 120
    assert backoff(1, 0.5, asked=1e9).total_seconds() == 3600
    assert backoff(10_000, 0.0).total_seconds() == 900


def test_it_is_given_up_after_a_time_that_does_not_count_what_it_was_held_back() -> None:
    timing = ChannelTiming(give_up=timedelta(hours=1))
    held = delivery(1, notice(), due_at=NOON + timedelta(hours=8))
    assert not is_over(held, timing, NOON + timedelta(hours=8, minutes=59))
    assert is_over(held, timing, NOON + timedelta(hours=9))


def plan(*waiting: Delivery, now: datetime = NOON, failing: Sequence[str] | None = None) -> list[list[str]]:
    planned = plan_messages(
        waiting, now, lambda scope, check: failing is None or any(check.endswith(one) for one in failing)
    )
    return [[one.id for one in message.deliveries] for message in planned.messages]


def test_all_of_one_dataset_is_one_message() -> None:
    other = AlertScope(AlertOrigin.MONITOR, "orders-daily")
    assert plan(delivery(1, notice()), delivery(2, notice(checks=["id.unique"], scope=other))) == [["d001", "d002"]]


def test_what_stands_on_a_failing_dataset_comes_with_it_after_it() -> None:
    marts = delivery(1, notice(table="marts.revenue", upstream=("core.orders", "raw.orders")))
    core = delivery(2, notice(table="core.orders", upstream=("raw.orders",)))
    raw = delivery(3, notice(table="raw.orders"))
    apart = delivery(4, notice(table="hr.people"))
    assert plan(marts, core, raw, apart) == [["d003", "d002", "d001"], ["d004"]]


def test_the_same_table_of_another_branch_is_another_matter() -> None:
    assert len(plan(delivery(1, notice()), delivery(2, notice(branch="dev")))) == 2


def test_a_storm_is_one_message() -> None:
    assert len(plan(*(delivery(n, notice(table=f"s.t{n}")) for n in range(5)))) == 5
    assert len(plan(*(delivery(n, notice(table=f"s.t{n}")) for n in range(40)))) == 1


def test_what_is_not_due_waits() -> None:
    late = delivery(2, notice(), next_at=NOON + timedelta(seconds=1))
    assert plan(delivery(1, notice(table="a.b")), late) == [["d001"]]


def test_a_message_is_tried_again_as_it_was() -> None:
    tried = [delivery(n, notice(table=f"s.t{n}"), message_id="m1", attempts=1) for n in (1, 2)]
    planned = plan_messages([*tried, delivery(3, notice(table="s.t1"))], NOON, lambda *_: True)
    assert [(m.id, len(m.deliveries)) for m in planned.messages] == [("m1", 2)]


def test_what_another_worker_holds_is_left_to_it() -> None:
    held = delivery(1, notice(), message_id="m1", claimed_by="b", claimed_until=NOON + timedelta(seconds=5))
    assert plan(held) == []
    assert plan(held, now=NOON + timedelta(seconds=5)) == [["d001"]]


def test_the_end_of_a_failure_never_goes_out_before_the_failure() -> None:
    failing = delivery(1, notice(), message_id="m1", next_at=NOON + timedelta(minutes=5))
    assert plan(failing, delivery(2, notice(RECOVERED))) == []
    hushed = delivery(1, notice(), next_at=NOON + timedelta(hours=5))
    assert plan(hushed, delivery(2, notice(RECOVERED))) == []
    assert plan(hushed, delivery(2, notice(RECOVERED, checks=["id.unique"]))) == [["d002"]]


def test_a_failure_that_came_and_went_while_it_was_muted_is_not_told() -> None:
    pair = delivery(1, notice(), muted=True), delivery(2, notice(RECOVERED), muted=True)
    planned = plan_messages(pair, NOON, lambda *_: False)
    assert planned.messages == ()
    assert [one.id for one, _ in planned.dropped] == ["d001", "d002"]
    assert plan(delivery(1, notice(), muted=True)) == [["d001"]]


def test_the_id_of_a_message_is_the_same_however_often_it_is_planned() -> None:
    waiting = [delivery(1, notice()), delivery(2, notice(checks=["id.unique"]))]
    ids = {plan_messages(waiting, NOON, lambda *_: True).messages[0].id for _ in range(3)}
    assert len(ids) == 1


def pager(*deliveries: Delivery, keys: dict[str, str] | None = None, failing: bool = False) -> list[tuple[str, str]]:
    message = ChannelMessage("m", "pager", group_by_cause(deliveries)[0])
    return [(e.action, e.key) for e in pager_events(message, keys or {}, lambda key: failing)]


def test_trigger_and_resolve_have_one_key() -> None:
    failing, ended = delivery(1, notice()), delivery(2, notice(RECOVERED))
    ((action, key),) = pager(failing)
    assert action == "trigger"
    assert pager(ended, keys={ended.thread: key}) == [("resolve", key)]


def test_it_is_not_resolved_while_something_under_its_key_still_fails() -> None:
    ended = delivery(2, notice(RECOVERED))
    assert pager(ended, keys={ended.thread: "k"}, failing=True) == []


def test_what_the_pager_was_never_told_of_is_not_resolved() -> None:
    assert pager(delivery(2, notice(RECOVERED))) == []


def test_what_began_and_ended_before_it_could_be_told_pages_nobody() -> None:
    assert pager(delivery(1, notice()), delivery(2, notice(RECOVERED))) == []


def test_of_two_checks_the_one_that_still_fails_is_paged() -> None:
    both = delivery(1, notice(checks=["amount.range", "id.unique"]))
    ended = delivery(2, notice(RECOVERED, checks=["id.unique"]))
    assert [action for action, _ in pager(both, ended)] == ["trigger"]


def test_a_storm_pages_once_under_the_key_of_its_cause() -> None:
    raw = delivery(1, notice(table="raw.orders"))
    core = delivery(2, notice(table="core.orders", upstream=("raw.orders",)))
    assert pager(core, raw) == [("trigger", raw.thread)]


def test_a_mute_fits_what_it_names_and_ends() -> None:
    mute = Mute(
        id="m",
        until=NOON + timedelta(hours=1),
        by="ada",
        created_at=NOON,
        scope=HOURLY,
        check_id=None,
        table="core.orders",
    )
    assert muted_until((mute,), HOURLY, "core.orders", "x", NOON) == mute.until
    assert muted_until((mute,), HOURLY, "core.other", "x", NOON) is None
    assert muted_until((mute,), AlertScope(AlertOrigin.RUN, "main"), "core.orders", "x", NOON) is None
    assert muted_until((mute,), HOURLY, "core.orders", "x", mute.until) is None


def test_a_notice_comes_back_from_json_as_it_was() -> None:
    one = notice(upstream=("a.b", "c.d"))
    assert notice_of(one.to_dict()) == one

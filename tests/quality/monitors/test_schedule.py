"""When a monitor is due."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.quality.monitors.monitor import MissedPolicy, Schedule, ScheduleType
from forge.quality.monitors.schedule import (
    LATE,
    due_now,
    find_dues,
    find_faults,
    in_words,
    newest_due,
    next_due,
    since_of,
)

ANCHOR = datetime(2026, 1, 1, 12, 0, 30, tzinfo=UTC)
BERLIN = "Europe/Berlin"


def cron(text: str, zone: str = "UTC", missed: MissedPolicy = MissedPolicy.SKIP) -> Schedule:
    return Schedule(ScheduleType.CRON, cron=text, timezone=zone, missed=missed)


def every(minutes: int, missed: MissedPolicy = MissedPolicy.SKIP) -> Schedule:
    return Schedule(ScheduleType.INTERVAL, interval_minutes=minutes, missed=missed)


def at(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def times(schedule: Schedule, after: str, number: int) -> list[str]:
    return [due.strftime("%m-%d %H:%M") for due in find_dues(schedule, ANCHOR, at(after), number)]


def test_a_cron_expression_is_meant_in_its_own_timezone() -> None:
    assert times(cron("0 6 * * 1-5", BERLIN), "2026-01-02T06:00", 2) == ["01-05 05:00", "01-06 05:00"]
    assert times(cron("0 6 * * *", BERLIN), "2026-07-01T00:00", 1) == ["07-01 04:00"]


def test_a_time_that_the_clocks_leave_out_is_kept_as_soon_as_they_have_passed_it() -> None:
    # 29 March 2026: 02:00 becomes 03:00 in Berlin
    assert times(cron("30 2 * * *", BERLIN), "2026-03-28T00:00", 3) == ["03-28 01:30", "03-29 01:00", "03-30 00:30"]


def test_a_time_that_comes_twice_is_kept_once() -> None:
    # 25 October 2026: 03:00 becomes 02:00 in Berlin
    daily = cron("30 2 * * *", BERLIN)
    assert times(daily, "2026-10-24T12:00", 2) == ["10-25 00:30", "10-26 01:30"]
    assert times(daily, "2026-10-25T00:45", 1) == ["10-26 01:30"]
    assert newest_due(daily, ANCHOR, at("2026-10-25T01:10")) == at("2026-10-25T00:30")


def test_every_hour_goes_on_through_the_change_of_the_clocks() -> None:
    hourly = cron("0 * * * *", BERLIN)
    assert times(hourly, "2026-10-24T23:30", 4) == ["10-25 00:00", "10-25 01:00", "10-25 02:00", "10-25 03:00"]


def test_an_interval_is_counted_from_when_the_monitor_was_made_and_the_first_is_then() -> None:
    assert next_due(every(90), ANCHOR, ANCHOR - timedelta(seconds=1)) == ANCHOR
    assert next_due(every(90), ANCHOR, ANCHOR) == ANCHOR + timedelta(minutes=90)
    assert newest_due(every(90), ANCHOR, ANCHOR + timedelta(minutes=200)) == ANCHOR + timedelta(minutes=180)
    assert newest_due(every(90), ANCHOR, ANCHOR - timedelta(minutes=1)) is None


def test_on_change_has_no_times() -> None:
    schedule = Schedule(ScheduleType.ON_CHANGE)
    assert next_due(schedule, ANCHOR, ANCHOR) is None
    assert newest_due(schedule, ANCHOR, ANCHOR) is None


@given(
    st.sampled_from(
        ["*/7 * * * *", "30 2 * * *", "15 1-3 * * *", "0 */6 * * *", "0 0 L * *", "5 4 * * SUN", "* 2 * * *"]
    ),
    st.sampled_from(["UTC", BERLIN, "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"]),
    st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31)),
)
def test_the_newest_due_time_is_the_one_after_which_none_came(text: str, zone: str, moment: datetime) -> None:
    now, schedule = moment.replace(tzinfo=UTC), cron(text, zone)
    newest = newest_due(schedule, ANCHOR, now)
    assert newest is not None
    assert newest <= now
    following = next_due(schedule, ANCHOR, newest)
    assert following is not None
    assert following > now


@given(st.integers(1, 5000), st.integers(0, 10**9))
def test_each_time_of_an_interval_comes_after_the_one_before(minutes: int, seconds: int) -> None:
    now = ANCHOR + timedelta(seconds=seconds)
    newest, following = newest_due(every(minutes), ANCHOR, now), next_due(every(minutes), ANCHOR, now)
    assert newest is not None
    assert following is not None
    assert newest <= now < following
    assert following - newest == timedelta(minutes=minutes)


# what is to be done now


def test_a_time_that_has_come_is_due_once() -> None:
    schedule, since = cron("0 6 * * *"), at("2026-01-04T06:00")
    assert due_now(schedule, ANCHOR, since, at("2026-01-05T05:59:59")) is None
    due = due_now(schedule, ANCHOR, since, at("2026-01-05T06:00:02"))
    assert due is not None
    assert (due.at, due.run, due.missed) == (at("2026-01-05T06:00"), True, 0)
    assert due_now(schedule, ANCHOR, due.at, at("2026-01-05T06:00:07")) is None


def test_missed_times_are_skipped_unless_the_newest_is_still_in_time() -> None:
    schedule, since = cron("0 * * * *"), at("2026-01-05T00:00")
    late = due_now(schedule, ANCHOR, since, at("2026-01-05T08:30"))
    assert late is not None
    assert (late.at, late.run, late.missed) == (at("2026-01-05T08:00"), False, 8)
    in_time = due_now(schedule, ANCHOR, since, at("2026-01-05T08:00") + LATE)
    assert in_time is not None
    assert (in_time.run, in_time.missed) == (True, 7)


def test_catching_up_is_one_run_for_all_missed_times() -> None:
    due = due_now(
        cron("0 * * * *", missed=MissedPolicy.CATCH_UP), ANCHOR, at("2026-01-05T00:00"), at("2026-01-05T08:30")
    )
    assert due is not None
    assert (due.at, due.run, due.missed) == (at("2026-01-05T08:00"), True, 8)


def test_years_of_missed_minutes_are_just_many() -> None:
    due = due_now(cron("* * * * *"), ANCHOR, at("2020-01-01T00:00"), at("2026-01-05T08:30:30"))
    assert due is not None
    assert due.run
    assert due.missed == 999


def test_what_was_due_before_the_schedule_was_in_force_is_no_matter_of_it() -> None:
    assert since_of(at("2026-01-05T08:00"), at("2026-01-05T06:00")) < at("2026-01-05T08:00")
    assert since_of(at("2026-01-05T08:00"), at("2026-01-05T09:00")) == at("2026-01-05T09:00")
    schedule = cron("0 * * * *")
    at_once = due_now(schedule, ANCHOR, since_of(at("2026-01-05T08:00"), None), at("2026-01-05T08:00:01"))
    assert at_once is not None  # the first moment counts
    assert due_now(schedule, ANCHOR, since_of(at("2026-01-05T08:00:01"), None), at("2026-01-05T08:30")) is None


# what cannot be a schedule


@pytest.mark.parametrize(
    ("schedule", "paths"),
    [
        (Schedule(ScheduleType.CRON), ["cron"]),
        (cron("0 6 * *"), ["cron"]),
        (cron("0 6 * * * *"), ["cron"]),
        (cron("61 * * * *"), ["cron"]),
        (cron("0 0 31 2 *"), ["cron"]),
        (cron("0 0 " + "1-" * 50 + " * *"), ["cron"]),
        (cron("0 6 * * *", "Europe/Brelin"), ["timezone"]),
        (cron("0 6 * * *", "../../etc/passwd"), ["timezone"]),
        (cron("0 6 * *", ""), ["cron", "timezone"]),
        (Schedule(ScheduleType.INTERVAL), ["interval_minutes"]),
        (every(0), ["interval_minutes"]),
        (every(-5), ["interval_minutes"]),
        (Schedule(ScheduleType.INTERVAL, cron="0 6 * * *", interval_minutes=5), ["cron"]),
        (Schedule(ScheduleType.ON_CHANGE, cron="0 6 * * *", interval_minutes=5), ["cron", "interval_minutes"]),
    ],
)
def test_what_is_wrong_with_a_schedule_is_told_by_its_key(schedule: Schedule, paths: list[str]) -> None:
    assert [fault.path for fault in find_faults(schedule)] == paths


@pytest.mark.parametrize("text", ["* * * * *", "0 6 * * 1-5", "*/5 0,12 1,15 JAN-MAR MON#2", "0 0 L * *", "0 0 29 2 *"])
def test_what_cron_knows_is_taken(text: str) -> None:
    assert find_faults(cron(text, BERLIN)) == ()


def test_a_mistyped_timezone_is_answered_with_the_nearest() -> None:
    (fault,) = find_faults(cron("0 6 * * *", "Europe/Brelin"))
    assert fault.fix is not None
    assert BERLIN in fault.fix


def test_a_schedule_in_words() -> None:
    assert in_words(None) == "by hand"
    assert in_words(cron("0 6 * * *", BERLIN)) == f"cron 0 6 * * * {BERLIN}"
    assert in_words(every(120)) == "every 2 h"
    assert in_words(every(45)) == "every 45 min"
    assert in_words(Schedule(ScheduleType.ON_CHANGE)) == "on change"

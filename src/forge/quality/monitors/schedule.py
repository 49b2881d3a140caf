"""Due times of a monitor: pure functions of schedule and time. All times are UTC.

A cron expression is in its own timezone. At a DST change, a time that does not exist is due right after the gap, and a
time that occurs twice is due once, the first time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError, available_timezones

from cronsim import CronSim, CronSimError

from forge.model.name_suggestions import did_you_mean
from forge.quality.monitors.monitor import MissedPolicy, Schedule, ScheduleType

LATE = timedelta(seconds=120)  # so late a run may begin and still be in time: a restart, a slow tick
LONGEST_MINUTES = 60 * 24 * 366
_FOLD = timedelta(hours=3)  # no clock is set by more
_COUNTED = 1000
_STEP = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class FieldFault:
    """An error in one field."""

    path: str
    message: str
    fix: str | None = None


def find_faults(schedule: Schedule) -> tuple[FieldFault, ...]:
    faults: list[FieldFault] = []
    if schedule.type is not ScheduleType.CRON and schedule.cron is not None:
        faults.append(_not_of("cron", schedule.type))
    if schedule.type is not ScheduleType.INTERVAL and schedule.interval_minutes is not None:
        faults.append(_not_of("interval_minutes", schedule.type))
    match schedule.type:
        case ScheduleType.CRON:
            faults += _faults_of_cron(schedule.cron)
        case ScheduleType.INTERVAL:
            minutes = schedule.interval_minutes
            if minutes is None:
                faults.append(FieldFault("interval_minutes", "is missing", "Write interval_minutes: 60."))
            elif not 1 <= minutes <= LONGEST_MINUTES:
                faults.append(FieldFault("interval_minutes", f"is from 1 to {LONGEST_MINUTES:,}, and is {minutes}"))
        case ScheduleType.ON_CHANGE:
            pass
    return (*faults, *_faults_of_zone(schedule.timezone))


def _not_of(key: str, kind: ScheduleType) -> FieldFault:
    return FieldFault(
        key, f"does not belong to a schedule of type {kind}", f"Leave it out, or set type to {_TYPE_OF[key]}."
    )


_TYPE_OF = {"cron": ScheduleType.CRON, "interval_minutes": ScheduleType.INTERVAL}


def _faults_of_cron(text: str | None) -> list[FieldFault]:
    fix = "Five fields: minute hour day-of-month month day-of-week, like 0 6 * * 1-5."
    if not text:
        return [FieldFault("cron", "is missing", fix)]
    if len(text.split()) != 5:
        return [FieldFault("cron", f"has five fields, and '{text}' has {len(text.split())}", fix)]
    try:
        first = next(CronSim(text, datetime(2026, 1, 1, tzinfo=UTC)), None)
    except (CronSimError, ValueError, RecursionError) as error:
        return [FieldFault("cron", f"'{text}' is not a cron expression: {error}", fix)]
    return [] if first else [FieldFault("cron", f"'{text}' never comes", fix)]


def _faults_of_zone(name: str) -> list[FieldFault]:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        near = did_you_mean(name, available_timezones())
        return [FieldFault("timezone", f"'{name}' is no timezone", near or "Write it like Europe/Berlin.")]
    return []


def next_due(schedule: Schedule, anchor: datetime, after: datetime) -> datetime | None:
    """The first due time after `after`; None where it depends on changes, or never comes. `anchor`: the start of
    intervals."""
    return next(_dues(schedule, anchor, after), None)


def find_dues(schedule: Schedule, anchor: datetime, after: datetime, number: int) -> tuple[datetime, ...]:
    """The next so many times."""
    return tuple(islice(_dues(schedule, anchor, after), number))


def newest_due(schedule: Schedule, anchor: datetime, now: datetime) -> datetime | None:
    """The last due time up to and including `now`."""
    match schedule.type:
        case ScheduleType.INTERVAL:
            step = _step(schedule)
            return anchor + (now - anchor) // step * step if now >= anchor else None
        case ScheduleType.CRON:
            return _newest_cron(schedule, now)
        case ScheduleType.ON_CHANGE:
            return None


def _newest_cron(schedule: Schedule, now: datetime) -> datetime | None:
    """Goes back before any DST change and then forward, as only forward iteration is exact."""
    assert schedule.cron
    zone = ZoneInfo(schedule.timezone)
    before = next(CronSim(schedule.cron, (now - _FOLD).astimezone(zone), reverse=True), None)
    if before is None:
        return None
    newest = before.astimezone(UTC)
    for due in _cron(schedule, newest):
        if due > now:
            break
        newest = due
    return newest


def _dues(schedule: Schedule, anchor: datetime, after: datetime) -> Iterator[datetime]:
    match schedule.type:
        case ScheduleType.CRON:
            yield from _cron(schedule, after)
        case ScheduleType.INTERVAL:
            step = _step(schedule)
            due = anchor if after < anchor else anchor + ((after - anchor) // step + 1) * step
            while True:
                yield due
                due += step
        case ScheduleType.ON_CHANGE:
            return


def _step(schedule: Schedule) -> timedelta:
    assert schedule.interval_minutes
    return timedelta(minutes=schedule.interval_minutes)


def _cron(schedule: Schedule, after: datetime) -> Iterator[datetime]:
    assert schedule.cron
    last = after
    for local in CronSim(schedule.cron, after.astimezone(ZoneInfo(schedule.timezone))):
        due = local.astimezone(UTC)
        if due > last:  # an hour that comes twice is begun again by the one that counts in local time
            last = due
            yield due


@dataclass(frozen=True, slots=True)
class DueRun:
    """A due run. `run` False: the time was missed and is only recorded. `missed`: the number of missed due times before
    it or, if it is not run, up to it."""

    at: datetime
    run: bool
    missed: int = 0


def due_now(schedule: Schedule, anchor: datetime, since: datetime, now: datetime) -> DueRun | None:
    """`since`: the last handled due time, or when the schedule took effect; None: nothing is due. Missed times
    become one run."""
    newest = newest_due(schedule, anchor, now)
    if newest is None or newest <= since:
        return None
    passed = _count(schedule, anchor, since, newest)
    in_time = now - newest <= LATE
    if in_time or schedule.missed is MissedPolicy.CATCH_UP:
        return DueRun(newest, run=True, missed=passed - 1 if in_time else passed)
    return DueRun(newest, run=False, missed=passed)


def _count(schedule: Schedule, anchor: datetime, since: datetime, newest: datetime) -> int:
    """At most a thousand."""
    number = 0
    for due in islice(_dues(schedule, anchor, since), _COUNTED):
        if due > newest:
            break
        number += 1
    return number


def since_of(start: datetime, last_due: datetime | None) -> datetime:
    """The start of due times; the first moment itself is one."""
    return max(start - _STEP, last_due) if last_due else start - _STEP


def in_words(schedule: Schedule | None) -> str:
    match schedule:
        case None:
            return "by hand"
        case Schedule(type=ScheduleType.CRON):
            zone = "" if schedule.timezone == "UTC" else f" {schedule.timezone}"
            return f"cron {schedule.cron}{zone}"
        case Schedule(type=ScheduleType.INTERVAL):
            minutes = schedule.interval_minutes or 0
            return f"every {minutes // 60} h" if minutes % 60 == 0 else f"every {minutes} min"
        case _:
            return "on change"

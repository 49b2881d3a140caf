"""Quiet hours, which recur daily, and mutes, which a person sets with an end."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from forge.quality.alerts.alert import AlertScope, at_least
from forge.quality.verdict import Severity

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_MOST_STEPS = 100  # of periods that follow one another without a gap


@dataclass(frozen=True, slots=True)
class QuietPeriod:
    """`start` and `end` in minutes since midnight; where it does not end later on the same day, it ends on the next.
    `days`: on which it begins, none for all."""

    start: int
    end: int
    timezone: str = "UTC"
    days: frozenset[str] = frozenset()
    break_through: Severity | None = None

    def ends(self, at: datetime) -> datetime | None:
        """When the period that `at` lies in ends; None where it lies in none."""
        zone = ZoneInfo(self.timezone)
        midnight = at.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0, tzinfo=None)
        for day in (midnight - timedelta(days=1), midnight):
            if self.days and DAYS[day.weekday()] not in self.days:
                continue
            length = self.end if self.end > self.start else self.end + 24 * 60
            begin = (day + timedelta(minutes=self.start)).replace(tzinfo=zone)
            end = (day + timedelta(minutes=length)).replace(tzinfo=zone)
            if begin <= at < end:  # compared in UTC: the hour that a change of the clock takes or gives is seen
                return end.astimezone(at.tzinfo)
        return None

    def hushes(self, severity: Severity) -> bool:
        return self.break_through is None or not at_least(severity, self.break_through)


def quiet_until(periods: Sequence[QuietPeriod], at: datetime, severity: Severity) -> datetime | None:
    """When it may be sent, if not now; consecutive periods are joined. If periods never end, the end of the last one
    examined: an alert is never lost."""
    hushing = [period for period in periods if period.hushes(severity)]
    moment, quiet = at, False
    for _ in range(_MOST_STEPS):
        end = max((end for period in hushing if (end := period.ends(moment)) is not None), default=None)
        if end is None:
            break
        moment, quiet = end, True
    return moment if quiet else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Mute:
    """Suppresses messages about whatever matches all that it names, until its end."""

    id: str
    until: datetime
    by: str
    created_at: datetime
    scope: AlertScope | None = None
    check_id: str | None = None
    table: str | None = None
    reason: str = ""

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "monitor_id": self.scope.monitor_id if self.scope else None,
            "check_id": self.check_id,
            "dataset": self.table,
            "until": self.until,
            "reason": self.reason,
            "by": self.by,
            "created_at": self.created_at,
        }

    def fits(self, scope: AlertScope, table: str, check_id: str) -> bool:
        return (
            (self.scope is None or self.scope == scope)
            and (self.check_id is None or self.check_id == check_id)
            and (self.table is None or self.table == table)
        )


def muted_until(mutes: Iterable[Mute], scope: AlertScope, table: str, check_id: str, now: datetime) -> datetime | None:
    """The latest end of the active mutes."""
    return max((m.until for m in mutes if m.until > now and m.fits(scope, table, check_id)), default=None)

"""SLA of a dataset: pass rate, error budget, burn rate.

The pass rate is the share of measured runs in the window without a failed check of severity error or critical. Runs
that could not be measured are counted separately and affect neither side."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from forge.quality.monitors.monitor import MonitorRunStatus

BURN_HOURS = (1, 6, 24, 72)
SHORT_OF = 25.0  # percent of the budget: with less left it is at risk
# A budget that goes so fast over these hours is at risk, however much is left: it would be gone in 5 and 30 days.
FAST = {6: 6.0, 72: 1.0}
FEWEST = 2  # runs missed within those hours: one alone is no trend


class SlaState(StrEnum):
    MET = "met"
    AT_RISK = "at risk"
    MISSED = "missed"
    NO_TARGET = "no target"
    NO_RUNS = "no runs"


@dataclass(frozen=True, slots=True)
class SlaRun:
    time: datetime
    status: MonitorRunStatus


@dataclass(frozen=True, slots=True)
class RunCounts:
    met: int = 0
    missed: int = 0
    not_measured: int = 0

    @property
    def runs(self) -> int:
        """The measured runs."""
        return self.met + self.missed

    def to_dict(self) -> dict[str, int]:
        return {"runs": self.runs, "met": self.met, "missed": self.missed, "not_measured": self.not_measured}


@dataclass(frozen=True, slots=True)
class Burn:
    """1 consumes exactly the budget within the window. None: no runs, or no budget."""

    hours: int
    runs: int
    missed: int
    rate: float | None


@dataclass(frozen=True, slots=True)
class DailyRuns:
    day: date
    counted: RunCounts
    budget_left: float | None  # percent, of all runs of the window up to the end of that day


@dataclass(frozen=True, slots=True, kw_only=True)
class Sla:
    target: float | None
    window_days: int
    start: datetime
    end: datetime
    counted: RunCounts
    pass_rate: float | None  # percent
    budget_runs: float | None
    budget_left: float | None  # percent of the error budget; below 0 it is overdrawn
    burn_rate: float | None
    burns: tuple[Burn, ...]
    state: SlaState
    days: tuple[DailyRuns, ...]


def judge_sla(runs: Iterable[SlaRun], target: float | None, window_days: int, now: datetime) -> Sla:
    start = now - timedelta(days=window_days)
    inside = tuple(run for run in runs if start < run.time <= now)
    counted = _count(inside)
    burns = tuple(_burn(inside, target, hours, now) for hours in BURN_HOURS if hours <= window_days * 24)
    rate = round(100 * counted.met / counted.runs, 4) if counted.runs else None
    left = _budget_left(counted, target)
    return Sla(
        target=target,
        window_days=window_days,
        start=start,
        end=now,
        counted=counted,
        pass_rate=rate,
        budget_runs=round(counted.runs * _allowed(target), 4) if target is not None and counted.runs else None,
        budget_left=left,
        burn_rate=_rate(counted, target),
        burns=burns,
        state=_state(counted, target, left, burns),
        days=_days(inside, target, start, now),
    )


def _count(runs: Sequence[SlaRun]) -> RunCounts:
    """Stopped, skipped and unfinished runs do not count."""
    statuses = [run.status for run in runs]
    return RunCounts(
        statuses.count(MonitorRunStatus.PASSED),
        statuses.count(MonitorRunStatus.FAILED),
        statuses.count(MonitorRunStatus.NOT_MEASURED),
    )


def _allowed(target: float) -> float:
    """The share of runs that may fail."""
    return max(0.0, (100 - target) / 100)


def _budget_left(counted: RunCounts, target: float | None) -> float | None:
    """A target of 100 percent has no budget: full until the first failure, then empty."""
    if target is None or not counted.runs:
        return None
    budget = counted.runs * _allowed(target)
    if budget == 0:
        return 0.0 if counted.missed else 100.0
    return round(100 * (1 - counted.missed / budget), 2)


def _rate(counted: RunCounts, target: float | None) -> float | None:
    if target is None or not counted.runs or _allowed(target) == 0:
        return None
    return round(counted.missed / counted.runs / _allowed(target), 2)


def _burn(runs: Sequence[SlaRun], target: float | None, hours: int, now: datetime) -> Burn:
    counted = _count([run for run in runs if run.time > now - timedelta(hours=hours)])
    return Burn(hours, counted.runs, counted.missed, _rate(counted, target))


def _state(counted: RunCounts, target: float | None, left: float | None, burns: Sequence[Burn]) -> SlaState:
    if target is None:
        return SlaState.NO_TARGET
    if not counted.runs or left is None:
        return SlaState.NO_RUNS
    if 100 * counted.met < target * counted.runs:
        return SlaState.MISSED
    fast = any(b.rate is not None and b.missed >= FEWEST and b.hours in FAST and b.rate >= FAST[b.hours] for b in burns)
    return SlaState.AT_RISK if fast or left < SHORT_OF else SlaState.MET


def _days(runs: Sequence[SlaRun], target: float | None, start: datetime, now: datetime) -> tuple[DailyRuns, ...]:
    """Every day of the window in UTC, oldest first, those without runs included."""
    first, last = start.astimezone(UTC).date(), now.astimezone(UTC).date()
    by_day: dict[date, list[SlaRun]] = {}
    for run in runs:
        by_day.setdefault(run.time.astimezone(UTC).date(), []).append(run)
    found: list[DailyRuns] = []
    met = missed = apart = 0
    for number in range((last - first).days + 1):
        day = first + timedelta(days=number)
        counted = _count(by_day.get(day, ()))
        met, missed, apart = met + counted.met, missed + counted.missed, apart + counted.not_measured
        found.append(DailyRuns(day, counted, _budget_left(RunCounts(met, missed, apart), target)))
    return tuple(found)

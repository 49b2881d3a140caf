"""A value of a metric, and the finding about it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Feedback(StrEnum):
    """A person's feedback on a point."""

    EXPECTED = "expected"  # it is normal: it counts for the baseline from then on
    INCIDENT = "incident"  # something was wrong: it never counts


@dataclass(frozen=True, slots=True)
class Point:
    """`flagged`: it was an anomaly when it came, and stays out of the baseline unless marked as expected."""

    time: datetime
    value: float
    feedback: Feedback | None = None
    flagged: bool = False

    @property
    def counts(self) -> bool:
        """Whether it is part of the baseline."""
        if self.feedback is not None:
            return self.feedback is Feedback.EXPECTED
        return not self.flagged


@dataclass(frozen=True, slots=True, kw_only=True)
class AnomalyFinding:
    """The result of a method for one point. `score`: its deviation in the method's own unit (`unit`), compared with
    `threshold`. `low` and `high`: the expected band, in units of the value; None while there is too little history, and
    then nothing is an anomaly.

    `seasonal`: the effect of the weekday (or the hour): a factor on the log scale (0.62: 38 percent below the level), a
    difference on the linear one. `trend`: the change per day: a factor (1.004) or a difference."""

    time: datetime
    value: float
    score: float
    is_anomaly: bool
    explanation: str
    method: str
    threshold: float
    points: int  # in the baseline
    expected: float | None = None
    low: float | None = None
    high: float | None = None
    seasonal: float | None = None
    season: str | None = None  # of what: Saturdays, 06:00 on Mondays
    trend: float | None = None
    log_scale: bool = False
    feedback: Feedback | None = None

    @property
    def is_judged(self) -> bool:
        return self.low is not None


@dataclass(frozen=True, slots=True)
class MetricHistory:
    """The reading of a metric at other versions. `at`: when the judged version was made; None: now."""

    points: tuple[Point, ...]
    at: datetime | None = None

    def plain(self) -> dict[str, object]:
        return {"points": len(self.points)}

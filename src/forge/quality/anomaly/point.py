"""One value of a metric, and what is found of it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum


class Feedback(StrEnum):
    """What a person said of a point."""

    EXPECTED = "expected"  # it is as it should be: it counts for what is expected from then on
    INCIDENT = "incident"  # something was wrong: it never counts


@dataclass(frozen=True, slots=True)
class Point:
    """`flagged`: it was found to be an anomaly when it came, and stays out of the baseline unless a person says that
    it was expected."""

    time: datetime
    value: float
    feedback: Feedback | None = None
    flagged: bool = False

    @property
    def counts(self) -> bool:
        """Whether it says what is normal."""
        if self.feedback is not None:
            return self.feedback is Feedback.EXPECTED
        return not self.flagged


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a method says of one point. `score` is how far out it is, in the method's own unit (`unit`), and is compared
    to `threshold`. `low` and `high` are the band, in units of the value; they are None while there is too little
    history to judge, and then nothing is an anomaly.

    `seasonal` is what the weekday (or the hour) does to the value: a factor on the log scale (0.62: 38 percent less
    than the level), a difference on the linear one. `trend` is the change in a day: a factor (1.004) or a
    difference."""

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
class History:
    """The reading of what a metric was at other versions. `at`: when the version that is judged was made, None: now."""

    points: tuple[Point, ...]
    at: datetime | None = None

    def plain(self) -> dict[str, object]:
        return {"points": len(self.points)}

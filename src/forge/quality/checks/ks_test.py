"""The Kolmogorov–Smirnov test of two versions."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from forge.model.schema import Schema
from forge.quality.check import Context, Finding
from forge.quality.checks.distribution import REFERENCE, DistributionCheck
from forge.quality.checks.support import NUMBERS, TIMES, brief, family, hidden_values
from forge.quality.keys import Key, Keys, share
from forge.quality.measure import Measure
from forge.quality.readings import Quantiles
from forge.quality.values import show

_ROUNDING = 1e-12  # 0.8 - 0.7 is not more than 0.1


@dataclass(frozen=True, slots=True)
class KsTestCheck(DistributionCheck):
    """The values are distributed as at `reference`, by the two-sample Kolmogorov–Smirnov test: it fails where the
    distance of the two distributions is more than `max_distance` and its probability by chance less than
    `significance`. NULL, NaN and the infinities are left out. Above 4,096 values the distance is off by about 0.2
    percent."""

    type: ClassVar[str] = "ks_test"
    label: ClassVar[str] = "KS test"
    words: ClassVar[tuple[str, ...]] = ("ks_test", "statistical")
    keys: ClassVar[Keys] = {
        **REFERENCE,
        "max_distance": Key(share, "max_distance", label="Distance at most"),
        "threshold": Key(share, "max_distance"),
        "significance": Key(share, "significance", help="Probability by chance below which a distance counts."),
    }

    max_distance: float = 0.1
    significance: float = 0.05

    def unfit(self, schema: Schema) -> str | None:
        if family(schema, self.column) in NUMBERS | TIMES:
            return None
        return f"the test is of numbers, dates or times, and {self.column} is {self.type_in(schema)}"

    def one(self, schema: Schema, at: str | None = None) -> Measure:
        return self.measure("quantiles", (self.column,), at=at)

    def count(self, reading: object) -> int:
        return reading.count if isinstance(reading, Quantiles) else 0

    def compare(self, now: object, before: object, context: Context) -> Finding:
        if not isinstance(now, Quantiles) or not isinstance(before, Quantiles):
            raise TypeError(f"the readings are {type(now).__name__} and {type(before).__name__}, not quantiles")
        distance = distance_of(now, before)
        chance = chance_of(distance, now.count, before.count)
        apart = distance > self.max_distance and not math.isclose(distance, self.max_distance, rel_tol=_ROUNDING)
        failed = apart and chance < self.significance
        message = (
            f"{self.column}: the distance from {self.reference} is {brief(distance)} (probability {brief(chance)})"
        )
        if failed:
            message += f", more than {show(self.max_distance)}"
        thresholds = {
            "reference": self.reference,
            "max_distance": self.max_distance,
            "significance": self.significance,
        }
        both = {self.one(context.schema): now, self.one(context.schema, self.reference): before}
        hidden = hidden_values(both, self.column, context)
        more = {"statistics": {"distance": distance, "probability": chance}}
        return Finding(failed, message, thresholds, "NULLs are left out", hidden, more)


def distance_of(one: Quantiles, two: Quantiles) -> float:
    """The greatest difference of the two distribution functions, which is at one of the values."""
    points = sorted({*one.points(), *two.points()})
    return max((abs(a - b) for a, b in zip(one.ranks(points), two.ranks(points), strict=True)), default=0.0)


def chance_of(distance: float, one: int, two: int) -> float:
    """The probability that two samples of one distribution are that far apart, by Kolmogorov's limit."""
    scaled = distance * math.sqrt(one * two / (one + two)) if one and two else 0.0
    if scaled < 0.2:
        return 1.0  # to twelve digits, and the series below converges slowly
    terms = ((-1) ** (k - 1) * math.exp(-2 * (k * scaled) ** 2) for k in range(1, 101))
    return min(max(2 * math.fsum(terms), 0.0), 1.0)

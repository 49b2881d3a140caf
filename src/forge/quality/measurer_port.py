"""The port of engines that compute measures of one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from forge.quality.measure import Measure, Readings


class Measurer(Protocol):
    """Computes measures of one table, at one version.

    Readings are plain Python values: int, float, Decimal, str, bool, date, and datetime in UTC. NaN is greater than
    any other number, equal to itself, and outside every range. A measure that cannot be computed reads NotMeasured and
    harms no other. A measurer that answers only some kinds leaves the others out, and the next one is asked."""

    def measure(self, measures: Sequence[Measure]) -> Readings: ...

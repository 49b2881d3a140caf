"""Readings that are more than one value. Each can be put together from the readings of parts of the table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

SKETCH_SIZE = 4096  # of Quantiles (KLL's k): exact up to so many values, else ranks are off by about 0.1 percent
DISTINCT_BITS = 14  # of Distinct (HyperLogLog's lg k): off by about 0.8 percent


@dataclass(frozen=True, slots=True)
class Moments:
    """Of the finite values. `m2` is the sum of squared deviations from the mean, which adds up without the loss of
    digits that a sum of squares has."""

    count: int = 0
    mean: float = 0.0
    m2: float = 0.0

    def __add__(self, other: Moments) -> Moments:
        count = self.count + other.count
        if count == 0:
            return self
        apart = other.mean - self.mean
        mean = self.mean + apart * other.count / count
        return Moments(count, mean, self.m2 + other.m2 + apart * apart * self.count * other.count / count)

    @property
    def deviation(self) -> float | None:
        """Of a sample; None for fewer than two values."""
        return math.sqrt(max(self.m2, 0.0) / (self.count - 1)) if self.count > 1 else None


@dataclass(frozen=True, slots=True)
class Quantiles:
    """A KLL sketch of doubles, as the bytes that DataSketches writes in every language."""

    sketch: bytes

    @property
    def count(self) -> int: ...
    def at(self, share: float) -> float | None:
        """The value below which that share (0 to 1) of the values lies; None of no values."""
        ...

    def ranks(self, values: Sequence[float]) -> tuple[float, ...]:
        """For each the share of values that are at most it."""
        ...

    def __add__(self, other: Quantiles) -> Quantiles: ...


@dataclass(frozen=True, slots=True)
class Distinct:
    """A HyperLogLog sketch, as the bytes that DataSketches writes in every language."""

    sketch: bytes

    @property
    def estimate(self) -> float: ...
    def __add__(self, other: Distinct) -> Distinct: ...


@dataclass(frozen=True, slots=True)
class Called:
    """What a function of the project said. `failing` is the number of rows it gave back as bad, if it gave rows."""

    passed: bool
    message: str = ""
    failing: int | None = None

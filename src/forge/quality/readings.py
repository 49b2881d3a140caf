"""Composite readings (moments, sketches), mergeable from the readings of parts of a table."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datasketches import hll_sketch, kll_doubles_sketch

SKETCH_SIZE = 4096  # of Quantiles (KLL's k): exact up to so many values, else ranks are off by about 0.1 percent
DISTINCT_BITS = 14  # of Distinct (HyperLogLog's lg k): off by about 0.8 percent


@dataclass(frozen=True, slots=True)
class Moments:
    """Of the finite values. `m2` is the sum of squared deviations from the mean, which merges without the cancellation
    of a sum of squares."""

    count: int = 0
    mean: float = 0.0
    m2: float = 0.0

    @staticmethod
    def of(values: Iterable[float]) -> Moments:
        """The values that are not finite are left out."""
        kept = [value for value in values if math.isfinite(value)]
        if not kept:
            return Moments()
        try:
            mean = math.fsum(kept) / len(kept)
        except OverflowError:  # the sum is too great for a double, and the mean is not
            mean = math.fsum(value / len(kept) for value in kept)
        return Moments(len(kept), mean, math.fsum((value - mean) * (value - mean) for value in kept))

    def __add__(self, other: Moments) -> Moments:
        count = self.count + other.count
        if count == 0:
            return self
        apart = other.mean - self.mean
        mean = self.mean + apart * other.count / count
        return Moments(count, mean, self.m2 + other.m2 + apart * apart * self.count * other.count / count)

    @property
    def deviation(self) -> float | None:
        """Sample standard deviation; None for fewer than two values."""
        return math.sqrt(max(self.m2, 0.0) / (self.count - 1)) if self.count > 1 else None

    def plain(self) -> dict[str, object]:
        return {"count": self.count, "mean": self.mean if self.count else None, "deviation": self.deviation}


@dataclass(frozen=True, slots=True)
class Quantiles:
    """A KLL sketch of doubles, serialized by DataSketches."""

    sketch: bytes

    @staticmethod
    def of(values: Iterable[float], size: int = SKETCH_SIZE) -> Quantiles:
        """The values that are not finite are left out."""
        from datasketches import kll_doubles_sketch

        sketch = kll_doubles_sketch(size)
        for value in values:
            if math.isfinite(value):
                sketch.update(float(value))
        return Quantiles(sketch.serialize())

    @property
    def count(self) -> int:
        return int(_kll(self.sketch).n)

    def at(self, share: float) -> float | None:
        """The smallest value not exceeded by at least that share (0 to 1) of the values; None without values."""
        found = self.spread((share,))
        return found[0] if found else None

    def spread(self, shares: Sequence[float]) -> tuple[float, ...]:
        """As `at`, for many shares; empty without values."""
        sketch = _kll(self.sketch)
        if sketch.is_empty():
            return ()
        ends = {0.0: sketch.get_min_value(), 1.0: sketch.get_max_value()}  # exact in a sketch of any size
        found = sketch.get_quantiles([_amid(share, sketch.n) for share in shares], True)
        return tuple(float(ends.get(share, value)) for share, value in zip(shares, found, strict=True))

    def points(self) -> tuple[float, ...]:
        """The retained distinct values, sorted: all values while it is exact."""
        return tuple(sorted({value for value, _ in _kll(self.sketch)}))

    def ranks(self, values: Sequence[float]) -> tuple[float, ...]:
        """For each the share of values at most it; zeros without values."""
        sketch = _kll(self.sketch)
        if sketch.is_empty():
            return (0.0,) * len(values)
        split = sorted(set(values))
        shares = dict(zip(split, sketch.get_cdf(split, True), strict=False)) if split else {}
        return tuple(shares[value] for value in values)

    def __add__(self, other: Quantiles) -> Quantiles:
        both = _read_kll(self.sketch)  # a copy: the stored one must not grow
        both.merge(_kll(other.sketch))
        return Quantiles(both.serialize())

    def plain(self) -> dict[str, object]:
        names, shares = ("min", "q1", "median", "q3", "max"), (0.0, 0.25, 0.5, 0.75, 1.0)
        found = self.spread(shares) or (None,) * len(shares)
        return {"count": self.count, **dict(zip(names, found, strict=True))}


@dataclass(frozen=True, slots=True)
class DistinctSketch:
    """A HyperLogLog sketch, serialized by DataSketches."""

    sketch: bytes

    @staticmethod
    def of(values: Iterable[int | float | str], bits: int = DISTINCT_BITS) -> DistinctSketch:
        from datasketches import hll_sketch

        sketch = hll_sketch(bits)
        for value in values:
            sketch.update(value)
        return DistinctSketch(sketch.serialize_updatable())

    @property
    def estimate(self) -> float:
        return float(_hll(self.sketch).get_estimate())

    def __add__(self, other: DistinctSketch) -> DistinctSketch:
        from datasketches import hll_union, tgt_hll_type

        one, two = _hll(self.sketch), _hll(other.sketch)
        union = hll_union(max(one.lg_config_k, two.lg_config_k))
        union.update(one)
        union.update(two)
        return DistinctSketch(union.get_result(tgt_hll_type.HLL_8).serialize_updatable())

    def plain(self) -> dict[str, object]:
        return {"estimate": round(self.estimate)}


@dataclass(frozen=True, slots=True)
class FunctionReading:
    """The result of a function of the project. `failing`: the number of rows it returned as bad, if it returned
    rows."""

    passed: bool
    message: str = ""
    failing: int | None = None

    def plain(self) -> dict[str, object]:
        return {"passed": self.passed, "message": self.message, "failing": self.failing}


def _amid(share: float, count: int) -> float:
    """A share in the middle of the intended rank: 0.07 of 100 values is the seventh, but the eighth in doubles."""
    rank = math.ceil(Decimal(str(share)) * count)
    return (max(rank, 1) - 0.5) / count


def _read_kll(sketch: bytes) -> kll_doubles_sketch:
    from datasketches import kll_doubles_sketch

    return kll_doubles_sketch.deserialize(sketch)


@lru_cache(maxsize=64)
def _kll(sketch: bytes) -> kll_doubles_sketch:
    return _read_kll(sketch)


@lru_cache(maxsize=64)
def _hll(sketch: bytes) -> hll_sketch:
    from datasketches import hll_sketch

    return hll_sketch.deserialize(sketch)

"""Drift of a distribution between two versions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from forge.model.schema import Schema
from forge.quality.check import Context, Finding
from forge.quality.checks.distribution import REFERENCE, DistributionCheck
from forge.quality.checks.support import NUMBERS, TIMES, brief, family, hidden_values
from forge.quality.keys import Key, Keys, positive
from forge.quality.measure import Measure
from forge.quality.readings import Quantiles
from forge.quality.values import Family, show

MAX_CATEGORIES = 1000
_LEAST = 1e-4  # a share of nothing has no logarithm
_DECILES = tuple(n / 10 for n in range(1, 10))


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin of values; `upto` is its upper bound or its category, None for everything beyond."""

    upto: object
    expected: float
    actual: float

    @property
    def weight(self) -> float:
        expected, actual = max(self.expected, _LEAST), max(self.actual, _LEAST)
        return (actual - expected) * math.log(actual / expected)


@dataclass(frozen=True, slots=True)
class DriftCheck(DistributionCheck):
    """The population stability index against `reference` is at most `threshold`: 0 where nothing moved, above 0.2 by
    custom a real change. Numbers and times are sorted into the deciles of the reference, text and booleans into its
    values, of which there are at most 1,000. NULL, NaN and the infinities are left out."""

    type: ClassVar[str] = "drift"
    words: ClassVar[tuple[str, ...]] = ("drift", "statistical")
    keys: ClassVar[Keys] = {**REFERENCE, "threshold": Key(positive, "threshold", label="Index at most")}

    threshold: float = 0.2

    def unfit(self, schema: Schema) -> str | None:
        if family(schema, self.column) is not Family.OTHER:
            return None
        return f"drift is of numbers, times, text or booleans, and {self.column} is {self.type_in(schema)}"

    def one(self, schema: Schema, at: str | None = None) -> Measure:
        if family(schema, self.column) in NUMBERS | TIMES:
            return self.measure("quantiles", (self.column,), at=at)
        return self.measure("frequencies", (self.column,), MAX_CATEGORIES, at=at)

    def count(self, reading: object) -> int:
        if isinstance(reading, Quantiles):
            return reading.count
        return sum(reading.values()) if isinstance(reading, Mapping) else 0

    def compare(self, now: object, before: object, context: Context) -> Finding:
        if isinstance(now, Quantiles) and isinstance(before, Quantiles):
            bins = decile_bins(now, before)
        elif isinstance(now, Mapping) and isinstance(before, Mapping):
            bins = category_bins(now, before)
        else:
            raise TypeError(f"the readings are {type(now).__name__} and {type(before).__name__}")
        index = math.fsum(one.weight for one in bins)
        failed = index > self.threshold
        message = f"{self.column}: the stability index against {self.reference} is {brief(index)}"
        message += f", more than {show(self.threshold)}" if failed else f"; {show(self.threshold)} is allowed"
        both = {self.one(context.schema): now, self.one(context.schema, self.reference): before}
        hidden = hidden_values(both, self.column, context)
        thresholds = {"reference": self.reference, "threshold": self.threshold}
        more: dict[str, object] = {"statistics": {"index": index}}
        if not hidden:
            worst = sorted(bins, key=lambda one: -one.weight)[:20]
            more["bins"] = [{"upto": b.upto, "expected": b.expected, "actual": b.actual} for b in worst]
        return Finding(failed, message, thresholds, "NULLs are left out", hidden, more)


def decile_bins(now: Quantiles, before: Quantiles) -> tuple[Bin, ...]:
    edges = sorted(set(before.spread(_DECILES)))
    expected, actual = _shares(before.ranks(edges)), _shares(now.ranks(edges))
    return tuple(Bin(*values) for values in zip([*edges, None], expected, actual, strict=True))


def _shares(ranks: Sequence[float]) -> list[float]:
    """The share between each rank and the one before it."""
    return [high - low for low, high in zip([0.0, *ranks], [*ranks, 1.0], strict=True)]


def category_bins(now: Mapping[object, int], before: Mapping[object, int]) -> tuple[Bin, ...]:
    """A bin for each category of the reference, and one for all new categories."""
    total_now, total_before = sum(now.values()), sum(before.values())
    known = [Bin(value, n / total_before, now.get(value, 0) / total_now) for value, n in before.items()]
    new = sum(n for value, n in now.items() if value not in before)
    return (*known, Bin(None, 0.0, new / total_now)) if new else tuple(known)

"""The bins of a histogram: of equal width, from the least to the greatest value.

A bin is found by the same arithmetic of doubles on every engine, so that all of them count alike."""

from __future__ import annotations

import math
from dataclasses import dataclass

from forge.catalog.profile.value_class import CellValue, ValueClass, cell_of

BINS = 20


@dataclass(frozen=True, slots=True)
class BinPlan:
    """The bin of a value is floor((value · scale - low · scale) / (width · scale)), at most `bins` - 1. `scale` is less
    than one where the width of all bins together is too great for a double."""

    low: float
    high: float
    width: float
    bins: int
    scale: float = 1.0
    whole: bool = False  # edges between whole numbers

    def index(self, value: float) -> int:
        found = math.floor((value * self.scale - self.low * self.scale) / (self.width * self.scale))
        return min(max(found, 0), self.bins - 1)

    def edges(self, kind: ValueClass | None = None) -> tuple[CellValue, ...]:
        """One more than bins, as values of the column; without a class, as lengths."""
        low, width = self.low * self.scale, self.width * self.scale
        ends = [(low + number * width) / self.scale for number in range(self.bins)]
        if self.whole:
            last = self.low + self.bins * self.width
            return tuple(_whole(round(end), kind) for end in (*ends, last))
        return (*ends, self.high)


def _whole(number: int, kind: ValueClass | None) -> CellValue:
    return cell_of(number, kind) if kind is not None and kind.is_time else number


def plan_bins(low: float | int | None, high: float | int | None, *, whole: bool) -> BinPlan | None:
    """None without values. Few whole numbers have a bin each."""
    if low is None or high is None:
        return None
    least, most = float(low), float(high)
    if not (math.isfinite(least) and math.isfinite(most)):
        return None
    if whole:
        width = max(1, math.ceil((int(high) - int(low) + 1) / BINS))
        bins = math.ceil((int(high) - int(low) + 1) / width)
        return BinPlan(least, most, float(width), bins, whole=True)
    scale = 1.0 if math.isfinite(most - least) else 0.25
    step = (most * scale - least * scale) / BINS / scale
    if step == 0.0 or least + step == least:  # the values are too close to each other for so many bins
        return BinPlan(least, most, max(most - least, 1.0), 1)
    return BinPlan(least, most, step, BINS, scale)

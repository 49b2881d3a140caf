"""Metrics: numbers about a table, one per version, from the readings of checks and the statistics of commits."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from decimal import Decimal

from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.quality.measure import Measure, Readings
from forge.quality.paths import is_within
from forge.quality.readings import DistinctSketch, Moments, Quantiles

# kind → the kinds of measure it is made of
SOURCES: Mapping[str, tuple[str, ...]] = {
    "row_count": ("rows",),
    "null_percentage": ("rows", "nulls"),
    "duplicates": ("duplicates",),
    "distinct": ("distinct",),
    "mean": ("moments",),
    "std": ("moments",),
    "median": ("quantiles",),
    "min": ("min",),
    "max": ("max",),
}
OF_COMMITS = ("row_count", "rows_added", "rows_deleted", "size_bytes")  # known of every version, checks or none
KINDS = (*SOURCES, *(kind for kind in OF_COMMITS if kind not in SOURCES))
WHOLE = OF_COMMITS  # kinds that have no column
REVEALING = frozenset({"mean", "median", "min", "max", "std"})  # they reveal values of a column
UNITS = {"null_percentage": "%", "size_bytes": "bytes"}
_NAME = re.compile(r"(?P<kind>[a-z_]+)(?:\((?P<column>.+?)\))?(?: where (?P<where>.+))?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Metric:
    kind: str
    column: str | None = None
    where: str | None = None

    @property
    def name(self) -> str:
        """row_count, mean(amount), mean(amount) where status = 'paid'."""
        column = f"({self.column})" if self.column else ""
        return f"{self.kind}{column}" + (f" where {self.where}" if self.where else "")

    @property
    def unit(self) -> str | None:
        return UNITS.get(self.kind)


def parse_metric(name: str) -> Metric:
    match = _NAME.fullmatch(name.strip())
    kind = match["kind"] if match else name
    if match is None or kind not in KINDS:
        why = did_you_mean(kind, KINDS) or f"The metrics are {', '.join(KINDS)}."
        raise ForgeError(
            "E740", f"There is no metric '{name}'", why=why, fix="Write it like row_count or mean(amount)."
        )
    if (match["column"] is None) != (kind in WHOLE):
        needs = "has no column" if kind in WHOLE else "needs a column"
        fix = f"Write it as {kind}." if kind in WHOLE else f"Write it like {kind}(amount)."
        raise ForgeError("E740", f"The metric {kind} {needs}", fix=fix)
    column = match["column"]
    return Metric(kind, column.lower() if column else None, match["where"])


def metrics_of(readings: Readings, masked: frozenset[str] = frozenset()) -> dict[str, float]:
    """All metrics, by name, in the readings of a whole table. Values of personal columns are left out; their counts are
    not."""
    found: dict[str, float] = {}
    for measure in readings:
        if measure.by or measure.since is not None or measure.at is not None:
            continue
        for kind, sources in SOURCES.items():
            if measure.kind != sources[-1]:
                continue
            column = "+".join(measure.columns).lower() or None
            metric = Metric(kind, column, measure.where)
            value = None if reveals(metric, masked) else value_of(kind, measure, readings)
            if value is not None:
                found[metric.name] = value
    return found


def reveals(metric: Metric, masked: frozenset[str]) -> bool:
    """Whether it reveals values of a masked column."""
    return metric.kind in REVEALING and any(is_within(metric.column or "", name) for name in masked)


def value_of(kind: str, measure: Measure, readings: Readings) -> float | None:
    """None: the reading has no number. `measure` is the last of its sources; the others cover the same rows."""
    reading = readings.get(measure)
    match kind, reading:
        case "null_percentage", int():
            rows = readings.get(replace(measure, kind="rows", columns=(), arguments=()))
            return 100 * reading / rows if isinstance(rows, int) and rows else None
        case "mean", Moments():
            return _finite(reading.mean) if reading.count else None
        case "std", Moments():
            return _finite(reading.deviation)
        case "median", Quantiles():
            return _finite(reading.at(0.5))
        case "distinct", DistinctSketch():
            return _finite(reading.estimate)
    return _finite(reading)


def _finite(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None

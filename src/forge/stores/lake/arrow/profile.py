"""Profiles of small tables on the driver, in Arrow. Starts no engine."""

from __future__ import annotations

import math
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from forge.catalog.profile import (
    BinPlan,
    ColumnHistogram,
    ProfiledColumn,
    ProfileMeasurement,
    TopValue,
    ValueClass,
    class_of,
    mask_columns,
    plan_bins,
)
from forge.catalog.profile.record import TOP
from forge.catalog.profile.value_class import cell_of
from forge.flows.catalog.profiling.ports import ProfileRequest
from forge.flows.runs.pin import Pin
from forge.flows.versioning.tables import FileSlice, NeedsEngine
from forge.stores.lake.tables import IcebergTables
from forge.versioning.arrow_types import one_array, type_name
from forge.versioning.rows.codes import code_rows

Doubles = npt.NDArray[np.float64]
_SEED = 18


@dataclass(frozen=True, slots=True)
class ArrowProfiler:
    tables: IcebergTables

    def profile(self, target: Pin, request: ProfileRequest) -> ProfileMeasurement:
        if target.view_sql is not None or target.snapshot_id is None:
            raise NeedsEngine("a view is a query")
        found = self.tables.files(target.catalog, target.snapshot_id)
        part = FileSlice(target.catalog, target.snapshot_id, tuple(sorted(found.files, key=lambda file: file.path)))
        try:
            return measure_arrow(self.tables.read(part), request)
        except pa.ArrowNotImplementedError as error:
            raise NeedsEngine(str(error)) from error


def measure_arrow(table: pa.Table, request: ProfileRequest) -> ProfileMeasurement:
    """All of it is exact; of a sample, for the rows of the sample."""
    rows = table.num_rows
    if request.sample is not None:
        chosen = np.random.default_rng(_SEED).random(rows) < request.sample
        table = table.filter(pa.array(chosen))
    arrays = [_plain(one_array(column)) for column in table.columns]
    columns = tuple(_column(field, array) for field, array in zip(table.schema, arrays, strict=True))
    return ProfileMeasurement(
        row_count=rows,
        columns=mask_columns(columns, request.hidden),
        duplicate_rows=_duplicates(arrays, rows) if request.sample is None else None,
        sample_rows=None if request.sample is None else table.num_rows,
    )


def _plain(array: pa.Array) -> pa.Array:
    """A UUID as the text that Spark reads."""
    if isinstance(array.type, pa.BaseExtensionType):
        array = array.storage
    return array


def _duplicates(arrays: Sequence[pa.Array], rows: int) -> int:
    if not arrays:
        return max(rows - 1, 0)
    (codes,), _ = code_rows([arrays], [rows])
    return rows - len(np.unique(codes))


def _column(field: pa.Field, array: pa.Array) -> ProfiledColumn:
    type_ = type_name(field.type)
    kind = class_of(type_)
    if pa.types.is_fixed_size_binary(array.type) and isinstance(field.type, pa.BaseExtensionType):
        type_, kind = "string", ValueClass.TEXT
        array = pa.array([None if v is None else str(uuid.UUID(bytes=v)) for v in array.to_pylist()], pa.string())
    found: dict[str, Any] = {"name": field.name, "type": type_, "nulls": array.null_count}
    values = array.drop_null() if not pa.types.is_null(array.type) else pa.array([], pa.int64())
    if kind.is_number:
        found |= _numbers(values, kind)
    elif kind.is_time:
        values = _since_1970(values, kind)
        found |= _times(values, kind)
    elif kind.has_length:
        found |= _texts(values, kind)
    if kind is ValueClass.OTHER:
        return ProfiledColumn(**found)
    return ProfiledColumn(**found, **_values(values, kind))


def _doubles(values: pa.Array, kind: ValueClass) -> Doubles:
    """Decimals by way of their text: that gives the nearest double, as on other engines."""
    if kind is ValueClass.DECIMAL:
        values = values.cast(pa.string())
    return np.asarray(values.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False), dtype=np.float64)


def _numbers(values: pa.Array, kind: ValueClass) -> dict[str, Any]:
    every = _doubles(values, kind)
    finite = np.sort(every[np.isfinite(every)])
    found: dict[str, Any] = {"zeros": int((finite == 0).sum()), "negatives": int((finite < 0).sum())}
    if kind is ValueClass.FLOAT:
        found["not_finite"] = len(every) - len(finite)
    if not len(finite):
        return found
    least, most = finite[0], finite[-1]
    if kind is not ValueClass.FLOAT:
        ends = pc.min_max(values)
        least, most = ends["min"].as_py(), ends["max"].as_py()
    with np.errstate(over="ignore", invalid="ignore"):
        mean, deviation = finite.mean(), finite.std(ddof=1) if len(finite) > 1 else math.nan
    if finite[0] == finite[-1]:  # a sum of many doubles is a little off
        mean, deviation = finite[0] + 0.0, 0.0 if len(finite) > 1 else math.nan
    plan = plan_bins(least, most, whole=True) if kind is ValueClass.INTEGER else plan_bins(least, most, whole=False)
    return found | {
        "minimum": cell_of(least, kind),
        "maximum": cell_of(most, kind),
        "mean": _finite(mean),
        "stddev": _finite(deviation),
        "q1": _quantile(finite, 0.25),
        "median": _quantile(finite, 0.5),
        "q3": _quantile(finite, 0.75),
        "histogram": _histogram(finite, plan, kind),
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None


def _quantile(ordered: Doubles, share: float) -> float:
    """The smallest value not exceeded by that share of the values."""
    return float(ordered[max(math.ceil(share * len(ordered)), 1) - 1]) + 0.0


def _since_1970(values: pa.Array, kind: ValueClass) -> pa.Array:
    if kind is ValueClass.DATE:
        return values.cast(pa.date32()).cast(pa.int32()).cast(pa.int64())
    if values.type.unit != "us":
        values = values.cast(pa.timestamp("us", values.type.tz), safe=False)
    return values.cast(pa.int64())


def _times(values: pa.Array, kind: ValueClass) -> dict[str, Any]:
    if not len(values):
        return {}
    ends = pc.min_max(values)
    least, most = ends["min"].as_py(), ends["max"].as_py()
    histogram = _histogram(_doubles(values, ValueClass.INTEGER), plan_bins(least, most, whole=True), kind)
    return {"minimum": cell_of(least, kind), "maximum": cell_of(most, kind), "histogram": histogram}


def _texts(values: pa.Array, kind: ValueClass) -> dict[str, Any]:
    if not len(values):
        return {"empties": 0}
    lengths = (pc.utf8_length if kind is ValueClass.TEXT else pc.binary_length)(values)
    found = _doubles(lengths, ValueClass.INTEGER)
    shortest, longest = int(found.min()), int(found.max())
    texts: dict[str, Any] = {
        "empties": int((found == 0).sum()),
        "min_length": shortest,
        "max_length": longest,
        "avg_length": float(found.mean()),
        "histogram": _histogram(found, plan_bins(shortest, longest, whole=True), None),
    }
    if kind is ValueClass.TEXT:
        ends = pc.min_max(values)
        texts |= {"minimum": cell_of(ends["min"].as_py(), kind), "maximum": cell_of(ends["max"].as_py(), kind)}
    return texts


def _histogram(values: Doubles, plan: BinPlan | None, kind: ValueClass | None) -> ColumnHistogram | None:
    if plan is None:
        return None
    places = np.floor((values * plan.scale - plan.low * plan.scale) / (plan.width * plan.scale))
    counts = np.bincount(np.clip(places, 0, plan.bins - 1).astype(np.int64), minlength=plan.bins)
    return ColumnHistogram(plan.edges(kind), tuple(int(count) for count in counts))


def _values(values: pa.Array, kind: ValueClass) -> dict[str, Any]:
    """Distinct values, and the most frequent of those that occur more than once."""
    if pa.types.is_floating(values.type):
        numbers = pc.add(values.cast(pa.float64()), 0.0)
        values = pc.if_else(pc.is_nan(numbers), pa.scalar(math.nan, pa.float64()), numbers)
    counted = pc.value_counts(values)
    counts = np.asarray(counted.field("counts").to_numpy(zero_copy_only=False), dtype=np.int64)
    if kind is ValueClass.BINARY or not len(counts):
        return {"distinct": len(counts)}
    worth = np.flatnonzero(counts > 1)
    if len(worth) > TOP:  # ties are decided below: keep all that the last of them may have
        worth = worth[counts[worth] >= np.sort(counts[worth])[-TOP]]
    names = counted.field("values").take(pa.array(worth)).to_pylist()
    pairs = sorted(((int(counts[at]), name) for at, name in zip(worth, names, strict=True)), key=_rank)
    return {"distinct": len(counts), "top": tuple(TopValue(cell_of(name, kind), count) for count, name in pairs[:TOP])}


def _rank(pair: tuple[int, object]) -> tuple[int, float, str]:
    count, value = pair
    is_number = isinstance(value, int | float | Decimal) and not isinstance(value, bool)
    number = float(str(value)) if is_number else 0.0
    return -count, math.inf if math.isnan(number) else number, str(value)

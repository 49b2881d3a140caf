"""Measures of rows held in memory, in plain Python: the reference the other measurers are compared to."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal

from forge.model.names import TableName
from forge.model.nearest import did_you_mean
from forge.model.time import as_utc
from forge.quality.measure import Measure, NotMeasured, Reading, Readings

Row = Mapping[str, object]
Predicate = Callable[[Row], bool | None]


class _CannotMeasure(Exception):
    """Said in the reading."""


class MemoryMeasurer:
    """`predicates` gives the SQL texts it understands, as functions: a memory has no SQL of its own."""

    def __init__(
        self,
        rows: Sequence[Row],
        others: Mapping[TableName, Sequence[Row]] | None = None,
        *,
        columns: Iterable[str] | None = None,
        predicates: Mapping[str, Predicate] | None = None,
    ) -> None:
        self._rows = tuple(rows)
        self._others = dict(others or {})
        self._columns = tuple(columns) if columns is not None else tuple({name: 0 for row in rows for name in row})
        self._predicates = dict(predicates or {})

    def measure(self, measures: Sequence[Measure]) -> Readings:
        return {measure: self._reading(measure) for measure in measures}

    def _reading(self, measure: Measure) -> Reading:
        try:
            return self._compute(measure)
        except _CannotMeasure as error:
            return NotMeasured(str(error))
        except (TypeError, re.error) as error:
            return NotMeasured(f"{type(error).__name__}: {error}")

    def _compute(self, measure: Measure) -> Reading:
        rows = self._filtered(measure.where)
        if measure.kind == "rows":
            return len(rows)
        if measure.kind == "false":
            rule = self._predicate(str(measure.arguments[0]))
            return sum(rule(row) is False for row in rows)
        names = [self._name(column) for column in measure.columns]
        if measure.kind == "duplicates":
            keys = _keys(rows, names)
            return len(keys) - len(set(keys))
        if measure.kind == "orphans":
            return self._orphans(_keys(rows, names), measure)
        if measure.kind == "nulls":
            return sum(row.get(names[0]) is None for row in rows)
        values = [_comparable(row[names[0]]) for row in rows if row.get(names[0]) is not None]
        return _of_values(measure, values)

    def _filtered(self, where: str | None) -> tuple[Row, ...]:
        if where is None:
            return self._rows
        keep = self._predicate(where)
        return tuple(row for row in self._rows if keep(row) is True)

    def _predicate(self, sql: str) -> Predicate:
        if sql not in self._predicates:
            raise _CannotMeasure(f"the memory measurer does not know the SQL: {sql}")
        return self._predicates[sql]

    def _name(self, column: str) -> str:
        if not self._rows and not self._columns:
            return column  # an empty table of unknown shape has every column
        return _find(column, self._columns)

    def _orphans(self, keys: list[tuple[object, ...]], measure: Measure) -> int:
        table, *columns = measure.arguments
        if not isinstance(table, TableName) or table not in self._others:
            raise _CannotMeasure(f"there is no table {table}")
        parents = self._others[table]
        known = tuple({name: 0 for row in parents for name in row})
        names = [_find(str(column), known) for column in columns] if known else []
        held = set(_keys(parents, names)) if names else set()
        return sum(key not in held for key in keys)


def _find(column: str, known: Sequence[str]) -> str:
    if column in known:
        return column
    for name in known:
        if name.lower() == column.lower():
            return name
    raise _CannotMeasure(f"there is no column '{column}'. {did_you_mean(column, known) or ''}".strip())


def _keys(rows: Iterable[Row], names: Sequence[str]) -> list[tuple[object, ...]]:
    """Keys without a NULL in them."""
    keys = [tuple(row.get(name) for name in names) for row in rows]
    return [tuple(_same(part) for part in key) for key in keys if None not in key]


def _same(value: object) -> object:
    """NaN equals NaN in a key."""
    return "\0NaN" if _is_nan(value) else _comparable(value)


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _comparable(value: object) -> object:
    return as_utc(value) if isinstance(value, datetime) else value


def _of_values(measure: Measure, values: list[object]) -> Reading:
    match measure.kind:
        case "min":
            return min(values, key=_order, default=None)
        case "max":
            return max(values, key=_order, default=None)
        case "outside_range":
            low, high = (_comparable(bound) for bound in measure.arguments)
            return sum(_outside(value, low, high) for value in values)
        case "outside_set":
            accepted = {_comparable(value) for value in measure.arguments}
            return sum(value not in accepted for value in values)
        case "not_matching":
            pattern = re.compile(str(measure.arguments[0]))
            return sum(pattern.search(_text(value)) is None for value in values)
    raise _CannotMeasure(f"there is no measure '{measure.kind}'")


def _order(value: object) -> tuple[bool, object]:
    return (True, 0) if _is_nan(value) else (False, value)


def _outside(value: object, low: object, high: object) -> bool:
    if _is_nan(value):
        return True
    below = low is not None and value < low  # type: ignore[operator]  # of one type, or TypeError is told
    above = high is not None and value > high  # type: ignore[operator]
    return below or above


def _text(value: object) -> str:
    """As an SQL cast to text writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, str | int) or (isinstance(value, date) and not isinstance(value, datetime)):
        return str(value)
    raise _CannotMeasure(f"the memory measurer writes no {type(value).__name__} as text")

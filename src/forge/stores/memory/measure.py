"""Measures of rows held in memory, in plain Python: the reference the other measurers are compared to."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TypeVar

from forge.model.name_suggestions import did_you_mean
from forge.model.names import TableName
from forge.model.time import as_utc
from forge.quality.measure import MAX_PARTITIONS, Measure, NotMeasured, Reading, Readings
from forge.quality.paths import split_path
from forge.quality.readings import DistinctSketch, FunctionReading, Moments, Quantiles

Row = Mapping[str, object]
Rows = Sequence[Row]
Predicate = Callable[[Row], bool | None]
Partition = tuple[object, ...]
T = TypeVar("T")
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class _CannotMeasure(Exception):
    """Shown in the reading."""


@dataclass(frozen=True, slots=True)
class MeasuredRows:
    """What one measure asks of the rows that it is about; `partition` is that of the rows."""

    measurer: MemoryMeasurer
    measure: Measure
    rows: Rows
    partition: Partition = ()

    @property
    def arguments(self) -> tuple[object, ...]:
        return self.measure.arguments

    def values(self) -> list[object]:
        """Of the column, NULL included."""
        return [self.measurer.value(row, self.measure.columns[0]) for row in self.rows]

    def filled(self) -> list[object]:
        """Without NULL."""
        return [value for value in self.values() if value is not None]

    def key_values(self) -> list[tuple[object, ...]]:
        """Over the columns, those without a NULL in them."""
        return self.measurer.keys(self.rows, self.measure.columns)


class MemoryMeasurer:
    """A memory has no SQL of its own: `predicates` and `queries` give the texts it understands, as functions, and
    `functions` those of the project. `versions` are the rows at other revisions, None where there was none yet;
    `added` those that came since one."""

    def __init__(
        self,
        rows: Rows,
        others: Mapping[TableName, Rows] | None = None,
        *,
        columns: Iterable[str] | None = None,
        predicates: Mapping[str, Predicate] | None = None,
        versions: Mapping[str, Rows | None] | None = None,
        added: Mapping[str, Rows] | None = None,
        queries: Mapping[str, Callable[[Rows], Rows]] | None = None,
        functions: Mapping[str, Callable[..., FunctionReading]] | None = None,
    ) -> None:
        self._rows = tuple(rows)
        self.others = dict(others or {})
        self._columns = tuple(columns) if columns is not None else tuple({name: 0 for row in rows for name in row})
        self._predicates = dict(predicates or {})
        self._versions = dict(versions or {})
        self._added = dict(added or {})
        self.queries = dict(queries or {})
        self.functions = dict(functions or {})

    def measure(self, measures: Sequence[Measure]) -> Readings:
        return {measure: self._reading(measure) for measure in measures}

    def _reading(self, measure: Measure) -> Reading:
        try:
            rows = self._chosen(measure)
            if rows is None:
                return None
            for column in (*measure.columns, *measure.by):
                self._require(column)
            if not measure.by:
                return self._compute(measure, rows)
            parts = self._partitions(measure.by, rows)
            return {part: self._compute(measure, members, part) for part, members in parts.items()}
        except _CannotMeasure as error:
            return NotMeasured(str(error))
        except (TypeError, re.error) as error:
            return NotMeasured(f"{type(error).__name__}: {error}")

    def _chosen(self, measure: Measure) -> Rows | None:
        rows: Rows | None = self._rows
        if measure.at is not None:
            rows = _known(measure.at, self._versions, "version")
        elif measure.since is not None:
            rows = _known(measure.since, self._added, "version")
        if rows is None or measure.where is None:
            return rows
        keep = self.predicate(measure.where)
        return tuple(row for row in rows if keep(row) is True)

    def _partitions(self, by: Sequence[str], rows: Rows) -> dict[Partition, list[Row]]:
        parts: dict[Partition, list[Row]] = {}
        for row in rows:
            part = tuple(math.nan if _is_nan(value) else value for value in (self.value(row, name) for name in by))
            parts.setdefault(part, []).append(row)
        if len(parts) > MAX_PARTITIONS:
            raise _CannotMeasure(f"there are more than {MAX_PARTITIONS:,} partitions")
        return parts

    def _compute(self, measure: Measure, rows: Rows, partition: Partition = ()) -> Reading:
        read = MEMORY_KINDS.get(measure.kind)
        if read is None:
            raise _CannotMeasure(f"there is no measure '{measure.kind}'")
        return read(MeasuredRows(self, measure, rows, partition))

    def predicate(self, sql: str) -> Predicate:
        if sql not in self._predicates:
            raise _CannotMeasure(f"the memory measurer does not know the SQL: {sql}")
        return self._predicates[sql]

    def _require(self, column: str) -> None:
        """Also of a table without rows; one of unknown shape has every column."""
        words = split_path(column)
        paths = [column, *(".".join(words[:n]) for n in range(1, len(words) + 1))]
        if self._columns and not any(_find(path, self._columns) for path in paths):
            raise _CannotMeasure(f"there is no column '{column}'. {did_you_mean(column, self._columns) or ''}".strip())

    def value(self, row: Row, column: str) -> object:
        return _comparable(_look_up(row, column, self._columns))

    def keys(self, rows: Iterable[Row], columns: Sequence[str]) -> list[tuple[object, ...]]:
        """Keys without a NULL in them."""
        keys = [tuple(self.value(row, column) for column in columns) for row in rows]
        return [tuple(_same(part) for part in key) for key in keys if None not in key]


def _known(name: str, known: Mapping[str, T], noun: str) -> T:
    if name not in known:
        raise _CannotMeasure(f"the memory measurer does not know the {noun}: {name}")
    return known[name]


def _look_up(row: Row, column: str, known: Sequence[str]) -> object:
    """The value of a column, or of a field inside its struct; a row may leave out what is NULL."""
    found = _find(column, known or tuple(row))
    if found is not None:
        return row.get(found)
    value: object = row
    names: Sequence[str] = known or tuple(row)
    words = list(split_path(column))
    while words:
        most = 1 if "`" in column else len(words)
        taken, name = next(
            ((n, name) for n in range(most, 0, -1) if (name := _find(".".join(words[:n]), names))), (0, None)
        )
        if name is None or not isinstance(value, Mapping):
            raise _CannotMeasure(f"there is no column '{column}'. {did_you_mean(column, known) or ''}".strip())
        value, words = value.get(name), words[taken:]
        if value is None:
            return None
        if words and not isinstance(value, Mapping):
            raise _CannotMeasure(f"there is no field in {name}, which is {type(value).__name__}")
        names = tuple(value) if isinstance(value, Mapping) else ()
    return value


def _find(column: str, known: Sequence[str]) -> str | None:
    if column in known:
        return column
    return next((name for name in known if name.lower() == column.lower()), None)


def _same(value: object) -> object:
    """NaN equals NaN in a key, and lists and structs are keys too."""
    if isinstance(value, Mapping):
        return tuple((name, _same(part)) for name, part in value.items())
    if isinstance(value, list | tuple):
        return tuple(_same(part) for part in value)
    return "\0NaN" if _is_nan(value) else value


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _comparable(value: object) -> object:
    return as_utc(value) if isinstance(value, datetime) else value


def _number(value: object) -> float:
    if isinstance(value, datetime):
        return (as_utc(value) - _EPOCH).total_seconds()
    if isinstance(value, date):
        return (value - _EPOCH.date()).total_seconds()
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise _CannotMeasure(f"{value!r} is no number")
    return float(value)


def _order(value: object) -> tuple[bool, object]:
    return (True, 0) if _is_nan(value) else (False, value)


def _outside(value: object, low: object, high: object) -> bool:
    if isinstance(value, float) and not math.isfinite(value):
        return True
    below = low is not None and value < low  # type: ignore[operator]  # of one type, or TypeError is raised
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


# --- how each kind of measure is read -----------------------------------------------------------------------------


def _false(asked: MeasuredRows) -> Reading:
    rule = asked.measurer.predicate(str(asked.arguments[0]))
    return sum(rule(row) is False for row in asked.rows)


def _duplicates(asked: MeasuredRows) -> Reading:
    keys = asked.key_values()
    return len(keys) - len(set(keys))


def _orphans(asked: MeasuredRows) -> Reading:
    table, *columns = asked.arguments
    if not isinstance(table, TableName) or table not in asked.measurer.others:
        raise _CannotMeasure(f"there is no table {table}")
    parents = asked.measurer.others[table]
    known = tuple({name: 0 for row in parents for name in row})
    held = {tuple(_same(_comparable(_look_up(row, str(c), known))) for c in columns) for row in parents}
    return sum(key not in held for key in asked.key_values())


def _outside_range(asked: MeasuredRows) -> Reading:
    return _outside_bounds(asked, asked.arguments)


def _outside_ranges(asked: MeasuredRows) -> Reading:
    own = (entry[1:] for entry in asked.arguments if isinstance(entry, tuple) and entry[0] == asked.partition)
    return _outside_bounds(asked, next(own, (None, None)))


def _outside_bounds(asked: MeasuredRows, bounds: tuple[object, ...]) -> Reading:
    low, high = (_comparable(bound) for bound in bounds)
    return sum(_outside(value, low, high) for value in asked.filled())


def _outside_set(asked: MeasuredRows) -> Reading:
    accepted = {_comparable(value) for value in asked.arguments}
    return sum(value not in accepted for value in asked.filled())


def _not_matching(asked: MeasuredRows) -> Reading:
    pattern = re.compile(str(asked.arguments[0]), re.ASCII)  # as in Java, \d and \w are ASCII
    return sum(pattern.search(_text(value)) is None for value in asked.filled())


def _frequencies(asked: MeasuredRows) -> Reading:
    counted, limit = Counter(asked.filled()), asked.arguments[0]
    if isinstance(limit, int) and len(counted) > limit:
        raise _CannotMeasure(f"there are more than {limit:,} different values")
    return dict(counted.most_common())


def _rows_of_query(asked: MeasuredRows) -> Rows:
    return _known(str(asked.arguments[0]), asked.measurer.queries, "query")(asked.rows)


def _query_value(asked: MeasuredRows) -> Reading:
    found = _rows_of_query(asked)
    if len(found) != 1 or len(found[0]) != 1:
        raise _CannotMeasure(f"the query gives {len(found)} rows, and one value is needed")
    return next(iter(found[0].values()))


def _function(asked: MeasuredRows) -> Reading:
    place, pairs, *tables = asked.arguments
    function = _known(str(place), asked.measurer.functions, "function")
    arguments: dict[str, object] = dict(pairs)  # type: ignore[call-overload]  # pairs of name and value
    if tables:
        wanted = {str(table) for table in tables}
        others = asked.measurer.others.items()
        arguments["tables"] = {str(name): rows for name, rows in others if str(name) in wanted}
    return function(asked.rows, **arguments)


MEMORY_KINDS: dict[str, Callable[[MeasuredRows], Reading]] = {
    "rows": lambda asked: len(asked.rows),
    "nulls": lambda asked: sum(value is None for value in asked.values()),
    "min": lambda asked: min(asked.filled(), key=_order, default=None),
    "max": lambda asked: max(asked.filled(), key=_order, default=None),
    "outside_range": _outside_range,
    "outside_ranges": _outside_ranges,
    "outside_set": _outside_set,
    "not_matching": _not_matching,
    "false": _false,
    "duplicates": _duplicates,
    "orphans": _orphans,
    "moments": lambda asked: Moments.of(_number(value) for value in asked.filled()),
    "quantiles": lambda asked: Quantiles.of(_number(value) for value in asked.filled()),
    "distinct": lambda asked: DistinctSketch.of(str(_same(value)) for value in asked.filled()),
    "frequencies": _frequencies,
    "query_rows": lambda asked: len(_rows_of_query(asked)),
    "query_value": _query_value,
    "function": _function,
}

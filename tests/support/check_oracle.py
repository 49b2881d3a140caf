"""What a check must say, in plain Python out of the words of the specification: it reads the mapping that a person
wrote and the rows themselves, and knows nothing of measures, readings or sketches."""

from __future__ import annotations

import bisect
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from typing import Any

Row = Mapping[str, Any]
Rows = Sequence[Row]
PASSED, FAILED, NOT_MEASURED = "passed", "failed", "not measured"
NEAR = "too near to tell"  # a bound that floats may round to either side
_TINY = Fraction(1, 10**9)


class NotThere(Exception):
    """The outcome is "not measured"."""


def outcome_of(
    check: Mapping[str, Any],
    rows: Rows,
    *,
    now: datetime,
    previous: Rows | None = None,
    parents: Rows = (),
    rules: Mapping[str, Callable[[Row], bool | None]] | None = None,
) -> str:
    """Of rows with nested dicts for structs. `rules` are the SQL predicates, as functions."""
    if "where" in check:
        keep = (rules or {})[check["where"]]
        rows = [row for row in rows if keep(row)]
        previous = None if previous is None else [row for row in previous if keep(row)]
    by = check.get("partition_by")
    if by:
        return _over_partitions(check, rows, previous, [by] if isinstance(by, str) else by, now, parents, rules)
    try:
        failed = _FAILS[check["type"]](check, rows, previous, now, parents, rules or {})
    except NotThere:
        return NOT_MEASURED
    return NEAR if failed is None else FAILED if failed else PASSED


def _over_partitions(
    check: Mapping[str, Any],
    rows: Rows,
    previous: Rows | None,
    by: Sequence[str],
    now: datetime,
    parents: Rows,
    rules: Mapping[str, Callable[[Row], bool | None]] | None,
) -> str:
    plain = {key: value for key, value in check.items() if key not in ("partition_by", "where")}
    keys = {_key(row, by) for row in rows}
    before = {_key(row, by) for row in previous or ()}
    kind = check.get("statistical_check", check["type"])
    compares = "max_change_percentage" in check or kind in ("ks_test", "drift")
    outcomes = []
    for key in keys | (before if compares else set()) or {()}:
        mine = [row for row in rows if _key(row, by) == key]
        theirs = [row for row in previous if _key(row, by) == key] if previous is not None and key in before else None
        outcomes.append(outcome_of(plain, mine, now=now, previous=theirs, parents=parents, rules=rules))
    for outcome in (NEAR, FAILED, NOT_MEASURED):
        if outcome in outcomes:
            return outcome
    return PASSED


def _key(row: Row, columns: Iterable[str]) -> tuple[object, ...]:
    return tuple("NaN" if _odd(v) and math.isnan(v) else v for v in (_value(row, column) for column in columns))


def _value(row: Row, column: str) -> Any:
    found: Any = row
    for part in [column] if column in row else column.split("."):
        found = None if found is None else found[part]
    return found


def _values(rows: Rows, column: str) -> list[Any]:
    return [value for value in (_value(row, column) for row in rows) if value is not None]


def _odd(value: object) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def _exact(value: Any) -> Fraction:
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)


def _numbers(rows: Rows, column: str) -> list[Fraction]:
    """Finite ones; times as seconds."""
    found = []
    for value in _values(rows, column):
        if isinstance(value, datetime):
            found.append(Fraction((value - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1), 10**6))
        elif isinstance(value, date):
            found.append(Fraction((value - date(1970, 1, 1)).days * 86400))
        elif not _odd(value):
            found.append(Fraction(value))
    return found


def _too_many(bad: int, of: int, percent: float) -> bool:
    return of > 0 and Fraction(bad * 100, of) > _exact(percent)


def _not_null(check: Mapping[str, Any], rows: Rows, *_: Any) -> bool:
    columns = check["columns"] if check.get("columns") else [check["column"]]
    allowed = check.get("max_null_percentage", 0.0)
    return any(_too_many(len(rows) - len(_values(rows, c)), len(rows), allowed) for c in columns)


def _unique(check: Mapping[str, Any], rows: Rows, *_: Any) -> bool:
    keys = [_key(row, check["columns"]) for row in rows]
    counted = Counter(key for key in keys if None not in key)
    bad = sum(count - 1 for count in counted.values())
    return _too_many(bad, len(rows), check.get("max_violation_percentage", 0.0))


def _set(check: Mapping[str, Any], rows: Rows, *_: Any) -> bool:
    bad = sum(value not in check["values"] for value in _values(rows, check["column"]))
    return _too_many(bad, len(rows), check.get("max_violation_percentage", 0.0))


def _range(check: Mapping[str, Any], rows: Rows, *_: Any) -> bool:
    low, high = check.get("min"), check.get("max")
    bad = 0
    for value in _values(rows, check["column"]):
        below = low is not None and not _odd(value) and value < low
        above = high is not None and not _odd(value) and value > high
        bad += _odd(value) or below or above
    return _too_many(bad, len(rows), check.get("max_violation_percentage", 0.0))


def _regex(check: Mapping[str, Any], rows: Rows, *_: Any) -> bool:
    bad = sum(re.search(check["pattern"], value) is None for value in _values(rows, check["column"]))
    return _too_many(bad, len(rows), check.get("max_violation_percentage", 0.0))


def _volume(check: Mapping[str, Any], rows: Rows, previous: Rows | None, *_: Any) -> bool:
    few = check.get("min_rows") is not None and len(rows) < check["min_rows"]
    many = check.get("max_rows") is not None and len(rows) > check["max_rows"]
    change = check.get("max_change_percentage")
    if change is None or previous is None:
        return few or many
    moved = abs(len(rows) - len(previous))
    return few or many or moved * 100 > _exact(change) * len(previous)


def _freshness(check: Mapping[str, Any], rows: Rows, previous: Rows | None, now: datetime, *_: Any) -> bool:
    values = _values(rows, check.get("timestamp_column", "updated_at"))
    if not values:
        return True
    newest = max(values)
    if not isinstance(newest, datetime):
        newest = datetime(newest.year, newest.month, newest.day, tzinfo=UTC)
    return bool(now - newest > timedelta(hours=check.get("max_age_hours", 24)))


def _referential(
    check: Mapping[str, Any], rows: Rows, previous: Rows | None, now: datetime, parents: Rows, *_: Any
) -> bool:
    theirs = check["references"].split(".", 2)[2]
    known = {row[theirs] for row in parents}
    bad = sum(value not in known for value in _values(rows, check["columns"][0]))
    return _too_many(bad, len(rows), check.get("max_violation_percentage", 0.0))


def _custom(
    check: Mapping[str, Any],
    rows: Rows,
    previous: Rows | None,
    now: datetime,
    parents: Rows,
    rules: Mapping[str, Callable[[Row], bool | None]],
) -> bool:
    bad = sum(rules[check["sql"]](row) is False for row in rows)
    return _too_many(bad, len(rows), check.get("max_violation_percentage", 0.0))


def _nearest_rank(numbers: list[Fraction], share: float) -> Fraction:
    """The smallest number that at least that share does not exceed."""
    return sorted(numbers)[max(math.ceil(_exact(share) * len(numbers)) - 1, 0)]


def _mean_of(numbers: list[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers)


def _variance_of(numbers: list[Fraction]) -> Fraction:
    mean = _mean_of(numbers)
    return sum(((n - mean) ** 2 for n in numbers), Fraction(0)) / (len(numbers) - 1)


def _outliers(check: Mapping[str, Any], rows: Rows, *_: Any) -> bool | None:
    values, numbers = _values(rows, check["column"]), _numbers(rows, check["column"])
    kind = check.get("statistical_check", check["type"])
    odd = len(values) - len(numbers)
    allowed = check.get("max_outlier_percentage", 1.0)
    if not numbers or (kind == "zscore" and (len(numbers) < 2 or len(set(numbers)) == 1)):
        return _too_many(odd, len(values), allowed)
    if kind == "zscore":
        middle, threshold = _mean_of(numbers), _exact(check.get("threshold", 3.0))
        reach = threshold**2 * _variance_of(numbers)
        away = [(n - middle) ** 2 - reach for n in numbers]
        scale = reach
    else:
        first, third = _nearest_rank(numbers, 0.25), _nearest_rank(numbers, 0.75)
        apart = _exact(check.get("threshold", 3.0)) * (third - first)
        away = [max(first - apart - n, n - third - apart) for n in numbers]
        scale = max(abs(first), abs(third), apart)
    sure = sum(one > scale * _TINY for one in away) + odd
    perhaps = sure + sum(abs(one) <= scale * _TINY for one in away)
    least, most = (_too_many(bad, len(values), allowed) for bad in (sure, perhaps))
    return least if least == most else None


def _statistic(check: Mapping[str, Any], rows: Rows, *_: Any) -> bool | None:
    numbers = _numbers(rows, check["column"])
    kind = check.get("statistical_check", check["type"])
    if not numbers or (kind == "std" and len(numbers) < 2):
        raise NotThere
    if kind == "mean":
        found = float(_mean_of(numbers))
    elif kind == "std":
        found = math.sqrt(_variance_of(numbers))
    else:
        found = float(_nearest_rank(numbers, check.get("quantile", 0.5)))
    low, high = check.get("min"), check.get("max")
    if any(b is not None and math.isclose(found, b, rel_tol=1e-9, abs_tol=1e-12) and found != b for b in (low, high)):
        return None
    return (low is not None and found < low) or (high is not None and found > high)


def _rank(ordered: list[Fraction], value: Fraction) -> Fraction:
    return Fraction(bisect.bisect_right(ordered, value), len(ordered))


def distance_of(one: list[Fraction], two: list[Fraction]) -> Fraction:
    first, second = sorted(one), sorted(two)
    return max(abs(_rank(first, v) - _rank(second, v)) for v in {*first, *second})


def _ks(check: Mapping[str, Any], rows: Rows, previous: Rows | None, *_: Any) -> bool | None:
    column = check["column"]
    if previous is None or not (before := _numbers(previous, column)):
        return False
    if not (now := _numbers(rows, column)):
        raise NotThere
    distance = distance_of(now, before)
    limit = _exact(check.get("max_distance", 0.1))
    scaled = float(distance) * math.sqrt(len(now) * len(before) / (len(now) + len(before)))
    # the other form of Kolmogorov's distribution, which converges where the usual one does not
    below = (
        math.sqrt(2 * math.pi)
        / scaled
        * sum(math.exp(-((2 * k - 1) ** 2) * math.pi**2 / (8 * scaled**2)) for k in range(1, 50))
        if scaled
        else 0.0
    )
    chance, wanted = 1 - below, check.get("significance", 0.05)
    if abs(distance - limit) < _TINY or abs(chance - wanted) < 1e-9:
        return None
    return distance > limit and chance < wanted


def _drift(check: Mapping[str, Any], rows: Rows, previous: Rows | None, *_: Any) -> bool | None:
    column = check["column"]
    if previous is None or not (before := _values(previous, column)):
        return False
    now = _values(rows, column)
    if isinstance(before[0], bool | str):
        bins = [({value}, value) for value in set(before)]
        shares = [
            (sum(v in members for v in before) / len(before), sum(v in members for v in now) / max(len(now), 1))
            for members, _ in bins
        ]
        new = sum(v not in set(before) for v in now)
        shares += [(0.0, new / len(now))] if new else []
    else:
        old, new_ = _numbers(previous, column), _numbers(rows, column)
        if not old:
            return False
        now = list(new_)
        edges = sorted({_nearest_rank(old, n / 10) for n in range(1, 10)})

        def place(value: Fraction) -> int:
            return bisect.bisect_left(edges, value)

        was, is_ = Counter(map(place, old)), Counter(map(place, new_))
        shares = [(was[n] / len(old), is_[n] / max(len(new_), 1)) for n in range(len(edges) + 1)]
    if not now:
        raise NotThere
    index = sum((max(a, 1e-4) - max(e, 1e-4)) * math.log(max(a, 1e-4) / max(e, 1e-4)) for e, a in shares)
    limit = check.get("threshold", 0.2)
    return None if math.isclose(index, limit, rel_tol=1e-9) else index > limit


_STATISTICAL = {
    "zscore": _outliers,
    "iqr": _outliers,
    "mean": _statistic,
    "std": _statistic,
    "quantile": _statistic,
    "ks_test": _ks,
    "drift": _drift,
}


def _statistical(check: Mapping[str, Any], *rest: Any) -> bool | None:
    return _STATISTICAL[check["statistical_check"]](check, *rest)


_FAILS: dict[str, Callable[..., bool | None]] = {
    "completeness": _not_null,
    "not_null": _not_null,
    "unique": _unique,
    "uniqueness": _unique,
    "set": _set,
    "accepted_values": _set,
    "range": _range,
    "regex": _regex,
    "volume": _volume,
    "freshness": _freshness,
    "referential": _referential,
    "custom": _custom,
    "statistical": _statistical,
    **_STATISTICAL,
}

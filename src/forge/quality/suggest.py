"""Suggests checks for a table, each with reason and confidence. Coincidences are not made rules: keys need many rows,
value sets few values over many rows, ranges get a margin."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from forge.model.time import as_utc
from forge.quality.check import Check
from forge.quality.profile import NUMBERS, TIMES, ColumnProfile, Profile
from forge.quality.spec import load_check
from forge.quality.values import Family, share, show

Spec = dict[str, object]
FEW_ROWS = 100  # below, what is true of all rows is not significant
REPEATS = 20  # times that a value of a set is seen on average
NULL_ROOM = 3  # times the share of NULLs that is there now
MOST_NULLS = 5.0  # percent; a column with more is meant to have gaps


@dataclass(frozen=True, slots=True)
class CheckSuggestion:
    """`confidence` from 0 to 1: how likely an owner of the table would keep it."""

    spec: Spec
    reason: str
    confidence: float


def suggest_checks(profile: Profile, existing: Iterable[Check] = ()) -> tuple[CheckSuggestion, ...]:
    """Most confident first; without checks that the table already has, whatever their bounds."""
    had = [(check.type, tuple(column.lower() for column in check.targets())) for check in existing]
    found = [one for one in _all(profile) if not _is_had(one, profile, had)]
    return tuple(sorted(found, key=lambda one: -one.confidence))


def _is_had(one: CheckSuggestion, profile: Profile, had: list[tuple[str, tuple[str, ...]]]) -> bool:
    check = load_check(one.spec, table=profile.table, where="suggestion")
    targets = tuple(column.lower() for column in check.targets())
    if check.type == "not_null":  # one check may be of many columns, or of all
        return any(type_ == "not_null" and (not columns or targets[0] in columns) for type_, columns in had)
    return (check.type, targets) in had


def _all(profile: Profile) -> Iterator[CheckSuggestion]:
    if profile.rows == 0:
        return
    yield _rows(profile)
    for column in profile.columns:
        for rule in _RULES:
            suggestion = rule(column, profile)
            if suggestion is not None:
                yield suggestion


def _rows(profile: Profile) -> CheckSuggestion:
    if profile.rows < FEW_ROWS:
        reason = f"it has {show(profile.rows)} {'row' if profile.rows == 1 else 'rows'}; an empty table is a lost load"
        return CheckSuggestion({"type": "row_count", "min": 1}, reason, 0.6)
    least = _two_digits(profile.rows / 2, math.floor)
    reason = f"it has {show(profile.rows)} rows; less than half would be a lost load"
    return CheckSuggestion({"type": "row_count", "min": int(least)}, reason, 0.7)


def _not_null(column: ColumnProfile, profile: Profile) -> CheckSuggestion | None:
    nulls, rows = column.nulls, profile.rows
    if nulls is None or (rows < FEW_ROWS and nulls):
        return None
    if nulls == 0:
        sure = 0.5 if rows < FEW_ROWS else (0.95 if column.is_key_name else 0.85)
        return CheckSuggestion({"type": "not_null", "column": column.name}, f"no NULL in {show(rows)} rows", sure)
    percent = 100 * nulls / rows
    if percent > MOST_NULLS:
        return None
    room = min(max(_two_digits(percent * NULL_ROOM, math.ceil), 0.1), 10.0)
    reason = f"{share(nulls, rows)} are NULL now; {room:g}% leaves room"
    return CheckSuggestion({"type": "not_null", "column": column.name, "max_null_percentage": room}, reason, 0.55)


def _unique(column: ColumnProfile, profile: Profile) -> CheckSuggestion | None:
    if column.duplicates != 0 or profile.rows < FEW_ROWS:
        return None
    if column.nulls and column.nulls > profile.rows / 2:
        return None
    named = column.is_key_name
    if not named and column.family is Family.INTEGER and profile.rows < 10 * FEW_ROWS:
        return None  # few whole numbers differ by chance
    sure = (0.95 if named else 0.6) - (0.1 if profile.rows < 10 * FEW_ROWS else 0.0)
    reason = f"{show(profile.rows)} rows and no value twice" + (", and it is named like a key" if named else "")
    return CheckSuggestion({"type": "unique", "columns": [column.name]}, reason, sure)


def _accepted(column: ColumnProfile, profile: Profile) -> CheckSuggestion | None:
    values = column.values
    if not values or column.masked or column.family not in (Family.STRING, Family.INTEGER):
        return None
    if _foreign_key(column, profile) is not None:
        return None  # the other table knows which values there are
    if len(values) < 2 or profile.rows < max(FEW_ROWS, REPEATS * len(values)) or column.is_id:
        return None
    if column.family is Family.INTEGER and not _is_class(column.name):
        return None  # a quantity from 1 to 5 is a number, not a set
    seen = sum(values.values())
    rare = [value for value, times in values.items() if times * 1000 * len(values) < seen]
    listed = sorted(values, key=lambda value: (-values[value], str(value)))
    reason = f"{len(values)} values over {show(seen)} rows"
    if rare:
        reason += (
            f"; {', '.join(map(str, rare[:3]))} {'is' if len(rare) == 1 else 'are'} rare, look whether that is right"
        )
    room = seen / (REPEATS * len(values))
    sure = (0.85 if room > 10 else 0.7) - (0.2 if rare else 0.0)
    return CheckSuggestion({"type": "accepted_values", "column": column.name, "values": listed}, reason, round(sure, 2))


_CLASSES = ("status", "state", "type", "kind", "category", "class", "level", "flag", "code", "channel", "rating")


def _is_class(name: str) -> bool:
    return any(word in name.lower().split("_") for word in _CLASSES)


_SHARES = ("share", "rate", "ratio", "percent", "percentage", "pct", "probability")


def _range(column: ColumnProfile, profile: Profile) -> CheckSuggestion | None:
    least, greatest = _number(column.least), _number(column.greatest)
    if column.family not in NUMBERS or column.masked or least is None or greatest is None:
        return None
    if column.is_id or profile.rows < FEW_ROWS or _accepted(column, profile) is not None:
        return None
    name = {"type": "range", "column": column.name}
    if any(word in column.name.lower().split("_") for word in _SHARES):
        for most in (1, 100):
            if least >= 0 and greatest <= most:
                reason = f"a share, from {show(column.least)} to {show(column.greatest)}"
                return CheckSuggestion({**name, "min": 0, "max": most}, reason, 0.9)
    low, high = _roomy(least, greatest)
    reason = f"now from {show(column.least)} to {show(column.greatest)}; {_range_text(low, high)} leaves room"
    extreme = column.quantiles.get(0.99)
    middle = column.quantiles.get(0.5)
    sure = 0.65 if least >= 0 else 0.55
    if extreme is not None and middle is not None and greatest - extreme > 10 * max(extreme - middle, 1e-9):
        reason += f"; 99% are at most {show(round(extreme, 6))}, so the greatest may be a mistake itself"
        sure -= 0.2
    return CheckSuggestion({**name, "min": low, "max": high}, reason, round(sure, 2))


def _roomy(least: float, greatest: float) -> tuple[float, float]:
    """Non-negative values stay non-negative; a margin of half the span on each side, in round numbers."""
    room = (greatest - least) / 2 or abs(greatest) / 2 or 1
    low = 0.0 if least >= 0 else _two_digits(least - room, math.floor)
    high = 0.0 if greatest <= 0 else _two_digits(greatest + room, math.ceil)
    return _whole(low), _whole(high)


def _range_text(low: float, high: float) -> str:
    return f"{show(low)} … {show(high)}"


def _two_digits(value: float, rounded: Callable[[float], int]) -> float:
    """Rounded to two significant digits, away from the data."""
    if value == 0:
        return 0.0
    size = Decimal(10) ** (math.floor(math.log10(abs(value))) - 1)
    return float(rounded(float(Decimal(str(value)) / size)) * size)


def _whole(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return float(value) if math.isfinite(value) else None


def _regex(column: ColumnProfile, profile: Profile) -> CheckSuggestion | None:
    form, bad = column.format, column.mismatches
    filled = profile.rows - (column.nulls or 0)
    if form is None or bad is None or profile.rows < FEW_ROWS or bad > 0.01 * filled:
        return None
    spec: Spec = {"type": "regex", "column": column.name, "pattern": form.pattern}
    if bad == 0:
        return CheckSuggestion(spec, f"all {show(filled)} values look like {_article(form.name)}", 0.85)
    reason = f"all but {show(bad)} of {show(filled)} values look like {_article(form.name)}"
    return CheckSuggestion({**spec, "max_violation_percentage": 1}, reason, 0.6)


def _article(name: str) -> str:
    return f"{'an' if name[0] in 'aeioAEIO' else 'a'} {name}"


_FRESH = ("updated", "created", "loaded", "ingested", "modified", "inserted", "ordered", "event", "received", "placed")


def _freshness(column: ColumnProfile, profile: Profile) -> CheckSuggestion | None:
    if column.family not in TIMES or column.greatest is None:
        return None
    words = column.name.lower().split("_")
    if not any(word in words for word in _FRESH) and words[-1] not in ("at", "ts", "timestamp", "time"):
        return None
    age = as_utc(profile.now) - _moment(column.greatest)
    if age < -timedelta(days=1) or age > timedelta(days=14):
        return None  # it lies in the future, or nothing comes any more
    hours = max(48.0, _two_digits(2 * age / timedelta(hours=1), math.ceil))
    reason = f"the newest is {max(age / timedelta(hours=1), 0):,.0f} hours old; {hours:g} leaves room for a missed load"
    named = words[0] in ("updated", "loaded", "ingested", "modified")
    spec: Spec = {"type": "freshness", "timestamp_column": column.name, "max_age_hours": _whole(hours)}
    return CheckSuggestion({**spec, "severity": "warning"}, reason, 0.7 if named else 0.5)


def _moment(value: object) -> datetime:
    if isinstance(value, datetime):
        return as_utc(value)
    assert isinstance(value, date)
    return datetime(value.year, value.month, value.day, tzinfo=UTC)


def _foreign_key(column: ColumnProfile, profile: Profile) -> CheckSuggestion | None:
    whole = [key for key, orphans in column.orphans.items() if orphans == 0 and key.table != profile.table]
    if not whole or (column.distinct or 0) < 2 or profile.rows < FEW_ROWS or column.duplicates == 0:
        return None  # a key of its own is copied from another table, it does not point at one
    key = whole[0]
    values = show(column.distinct) if column.distinct else "all"
    about = "" if column.values is not None or column.duplicates == 0 else "about "
    reason = f"{about}{values} distinct values, all found in {key.table}.{key.column}, a key"
    spec: Spec = {"type": "foreign_key", "columns": [column.name], "references": f"{key.table}.{key.column}"}
    return CheckSuggestion(spec, reason, 0.9)


_RULES = (_not_null, _unique, _accepted, _range, _regex, _freshness, _foreign_key)

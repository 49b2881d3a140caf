"""What changed between two profiles of a table, and by how much."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from forge.catalog.profile.record import ProfiledColumn, TableProfile, TopValue
from forge.catalog.profile.value_class import CellValue

_TABLE = ("row_count", "duplicate_rows")
_COUNTS = ("nulls", "distinct", "zeros", "negatives", "not_finite", "empties")
_VALUES = ("minimum", "maximum", "mean", "stddev", "q1", "median", "q3", "min_length", "max_length", "avg_length")
_CLOSE = 1e-9  # of sums of doubles, which differ by the order in which rows were read


@dataclass(frozen=True, slots=True)
class StatisticChange:
    """Of a column, or (None) of the table. `by` is the difference of numbers; `share` what it is of the old one."""

    column: str | None
    statistic: str
    before: object
    after: object
    by: float | None = None
    share: float | None = None

    def to_dict(self) -> dict[str, object]:
        return {
            "column": self.column,
            "statistic": self.statistic,
            "before": self.before,
            "after": self.after,
            "by": self.by,
            "share": self.share,
        }


@dataclass(frozen=True, slots=True)
class ProfileDiff:
    before: TableProfile
    after: TableProfile
    changes: tuple[StatisticChange, ...]
    added: tuple[str, ...] = ()  # columns
    removed: tuple[str, ...] = ()

    @property
    def same(self) -> bool:
        return not (self.changes or self.added or self.removed)

    def to_dict(self) -> dict[str, object]:
        return {
            "table": str(self.after.table),
            "before": _identity(self.before),
            "after": _identity(self.after),
            "columns_added": list(self.added),
            "columns_removed": list(self.removed),
            "changes": [change.to_dict() for change in self.changes],
        }


def _identity(profile: TableProfile) -> dict[str, object]:
    return {key: value for key, value in profile.to_dict().items() if key != "columns"}


def diff_profiles(before: TableProfile, after: TableProfile) -> ProfileDiff:
    """Columns are matched by name. What is masked in one of them is not compared; neither are counts of a sample with
    those of another number of rows: the share of rows is."""
    old = {column.name: column for column in before.columns}
    new = {column.name: column for column in after.columns}
    changes = list(_of_table(before, after))
    for name in new:
        if name in old:
            changes += _of_column(old[name], new[name], before, after)
    added = tuple(name for name in new if name not in old)
    return ProfileDiff(before, after, tuple(changes), added, tuple(name for name in old if name not in new))


def _of_table(before: TableProfile, after: TableProfile) -> Iterator[StatisticChange]:
    pairs = ((before.row_count, after.row_count), (before.measured.duplicate_rows, after.measured.duplicate_rows))
    for statistic, (old, new) in zip(_TABLE, pairs, strict=True):
        if old is not None and new is not None:
            yield from _change(None, statistic, old, new)


def _of_column(
    old: ProfiledColumn, new: ProfiledColumn, before: TableProfile, after: TableProfile
) -> Iterator[StatisticChange]:
    name = new.name
    yield from _change(name, "type", old.type, new.type)
    sampled = before.sampled or after.sampled
    if not sampled:
        for statistic in _COUNTS:
            yield from _change(name, statistic, getattr(old, statistic), getattr(new, statistic))
    if before.rows_read and after.rows_read:
        shares = old.nulls / before.rows_read, new.nulls / after.rows_read
        yield from _change(name, "null_share", *shares)
    if old.masked or new.masked:
        return
    for statistic in _VALUES:
        yield from _change(name, statistic, getattr(old, statistic), getattr(new, statistic))
    if not sampled and _known(old.top) != _known(new.top):
        yield StatisticChange(name, "top", _shown(old.top), _shown(new.top))


def _known(top: tuple[TopValue, ...]) -> frozenset[CellValue]:
    """That a value occurs more often is seen by the counts; here it matters which ones they are."""
    return frozenset(one.value for one in top)


def _shown(top: tuple[TopValue, ...]) -> list[dict[str, object]]:
    return [one.to_dict() for one in top]


def _change(column: str | None, statistic: str, old: object, new: object) -> Iterator[StatisticChange]:
    if old == new:
        return
    first, second = _number(old), _number(new)
    if first is None or second is None:
        yield StatisticChange(column, statistic, old, new)
    elif not math.isclose(first, second, rel_tol=_CLOSE) or isinstance(old, int):
        by = second - first
        share = by / abs(first) if first else None
        yield StatisticChange(column, statistic, old, new, by, share if share is None or math.isfinite(share) else None)


def _number(value: object) -> float | None:
    """Of a decimal, too, which is text in a profile; dates are compared, not subtracted."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        found = float(str(value)) if isinstance(value, int | float | str) else math.nan
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None

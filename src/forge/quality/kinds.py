"""The kinds of measure. Each is described here once; an engine registers how it computes them, and nothing else asks
for the name of a kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from types import NoneType

from forge.quality.measure import Cost, Measure, Reading
from forge.quality.readings import DistinctSketch, Moments, Quantiles


class MeasureSource(StrEnum):
    """What a measure is computed from."""

    ROWS = "rows"  # of the table
    PROJECT = "project"  # a query or function of the project, which may read any table
    HISTORY = "history"  # metrics of earlier versions; no engine is asked


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureKind:
    """`about`: what the reading is, of which columns and arguments. `cost`: METADATA where Iceberg's manifests can
    answer it; `cost_of_text` replaces it on columns of text, whose bounds manifests cut short.

    `merge`: the reading of a table from those of two parts of it; None where they do not add up. `kept`: the reading
    of a snapshot is kept although it does not add up. `empty`: the reading of no rows."""

    name: str
    about: str
    cost: Cost = Cost.PLAIN
    cost_of_text: Cost | None = None
    source: MeasureSource = MeasureSource.ROWS
    merge: Callable[[Reading, Reading], Reading] | None = None
    kept: bool = False
    empty: Callable[[], Reading] = int
    predicate: bool = False  # arguments[0] is an SQL predicate on the row
    holds_values: bool = False  # of the column: the reading is hidden where they are personal
    rank: int = 2  # which reading of a check is its main number: 1 = rows that break a rule, 3 and more = context


def _sum(type_: type) -> Callable[[Reading, Reading], Reading]:
    def merge(one: Reading, two: Reading) -> Reading:
        if not isinstance(one, type_) or not isinstance(two, type_):
            raise TypeError(f"{one!r} and {two!r} are not both {type_.__name__}")
        return one + two  # type: ignore[operator]  # types that add up

    return merge


def _is_before(one: Reading, two: Reading) -> bool:
    """NaN comes after all else."""
    if one != one or two != two:
        return one == one
    return bool(one < two)  # type: ignore[operator]  # two values of one column


_COUNT = _sum(int)

KINDS: dict[str, MeasureKind] = {
    kind.name: kind
    for kind in (
        MeasureKind(name="rows", about="number of rows: int", cost=Cost.METADATA, merge=_COUNT, rank=4),
        MeasureKind(name="nulls", about="rows where columns[0] is null: int", cost=Cost.METADATA, merge=_COUNT, rank=3),
        MeasureKind(
            name="min",
            about="smallest non-null value of columns[0]",
            cost=Cost.METADATA,
            cost_of_text=Cost.STRING,
            merge=lambda one, two: one if _is_before(one, two) else two,
            empty=NoneType,
            holds_values=True,
            rank=5,
        ),
        MeasureKind(
            name="max",
            about="greatest non-null value of columns[0]",
            cost=Cost.METADATA,
            cost_of_text=Cost.STRING,
            merge=lambda one, two: two if _is_before(one, two) else one,
            empty=NoneType,
            holds_values=True,
            rank=6,
        ),
        MeasureKind(
            name="outside_range",
            about="rows where columns[0] < arguments[0] or > arguments[1] (None = open), or is NaN or infinite: int",
            cost=Cost.METADATA,
            cost_of_text=Cost.PLAIN,
            merge=_COUNT,
            rank=1,
        ),
        MeasureKind(
            name="outside_ranges",
            about="as outside_range, each partition by its own bounds: arguments are (partition, low, high), …",
        ),
        MeasureKind(
            name="outside_set",
            about="rows where columns[0] is not null and not among arguments: int",
            merge=_COUNT,
            rank=1,
        ),
        MeasureKind(
            name="not_matching",
            about="rows where columns[0] is not null and the pattern arguments[0] is found nowhere in it: int",
            merge=_COUNT,
            rank=1,
        ),
        MeasureKind(
            name="false",
            about="rows where the SQL predicate arguments[0] is false (null is not false): int",
            merge=_COUNT,
            predicate=True,
            rank=1,
        ),
        MeasureKind(
            name="duplicates",
            about="rows beyond the first of each distinct non-null key over columns: int",
            cost=Cost.NARROW,
            kept=True,
            rank=1,
        ),
        MeasureKind(
            name="orphans",
            about="rows whose key over columns is non-null and missing in table arguments[0], columns arguments[1:]: "
            "int",
            cost=Cost.NARROW,
            rank=1,
        ),
        MeasureKind(
            name="moments",
            about="number, mean and sum of squared deviations of the finite values of columns[0], times as seconds "
            "since 1970 in UTC: Moments",
            merge=_sum(Moments),
            empty=Moments,
            holds_values=True,
        ),
        MeasureKind(
            name="quantiles",
            about="a sketch of the finite values of columns[0], times as seconds since 1970 in UTC: Quantiles",
            cost=Cost.STRING,
            merge=_sum(Quantiles),
            empty=lambda: Quantiles.of(()),
            holds_values=True,
        ),
        MeasureKind(
            name="distinct",
            about="a sketch of the distinct non-null values of columns[0]: Distinct",
            cost=Cost.STRING,
            merge=_sum(DistinctSketch),
            empty=lambda: DistinctSketch.of(()),
        ),
        MeasureKind(
            name="frequencies",
            about="how often each value of columns[0] occurs, NULL left out: dict of at most arguments[0] values, the "
            "most frequent first; NotMeasured where there are more",
            cost=Cost.NARROW,
            empty=dict,
            holds_values=True,
        ),
        MeasureKind(
            name="history",
            about="values of the metric arguments[0] at earlier versions: tuple of Point",
            source=MeasureSource.HISTORY,
        ),
        MeasureKind(
            name="query_rows",
            about="number of rows that the query arguments[0] gives: int",
            cost=Cost.NARROW,
            source=MeasureSource.PROJECT,
            rank=1,
        ),
        MeasureKind(
            name="query_value",
            about="the one value that the query arguments[0] gives",
            cost=Cost.NARROW,
            source=MeasureSource.PROJECT,
        ),
        MeasureKind(
            name="function",
            about="what the project's Python function arguments[0] (`file.py:name`), called with arguments[1] (pairs "
            "of name and value) and the tables arguments[2:], says of the table: Called",
            cost=Cost.NARROW,
            source=MeasureSource.PROJECT,
        ),
    )
}
_UNKNOWN = MeasureKind(name="unknown", about="no engine computes it")


def kind_of(measure: Measure) -> MeasureKind:
    return KINDS.get(measure.kind, _UNKNOWN)


def reading_of_no_rows(measure: Measure) -> Reading:
    """A partition without rows is left out by measurers."""
    return kind_of(measure).empty()


def has_sql(measure: Measure) -> bool:
    """Whether it carries SQL of the user that is evaluated on each row, and may break on one."""
    return measure.where is not None or kind_of(measure).predicate


def sql_of(measure: Measure) -> tuple[str, ...]:
    """The SQL of the user that is evaluated on each row."""
    filters = () if measure.where is None else (measure.where,)
    return (*filters, str(measure.arguments[0])) if kind_of(measure).predicate else filters

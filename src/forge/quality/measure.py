"""A measure says what to compute about a table; an engine computes it; a check judges the reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Cost(StrEnum):
    """Measures of one cost class are computed together in one scan; classes are kept apart because one aggregate
    of a dearer class takes whole-stage code generation away from all its neighbours."""

    METADATA = "metadata"  # may be answered from Iceberg manifests, else falls to PLAIN
    PLAIN = "plain"  # count, sum of conditions, min/max of numbers and times
    STRING = "string"  # min/max of strings, sketches
    NARROW = "narrow"  # a job of its own: exact uniqueness, foreign keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """`kind` is one of KINDS. `columns` are what it reads (a field of a struct as `address.city`); `arguments` are its
    parameters, hashable; `where` is an SQL filter on the rows.

    `by`: one reading for each value of these columns, as a dict from the tuple of their values. `since`: only the rows
    of files that were added since that version of the table. `at`: of that version instead of the one being judged.
    Both name a revision, or PREVIOUS, the version before.

    A measure `at` a version that there is not yet (before the first one) reads None. With `by`, partitions of which no
    row counts may be left out, and more than MAX_PARTITIONS are NotMeasured."""

    kind: str
    columns: tuple[str, ...] = ()
    arguments: tuple[object, ...] = ()
    where: str | None = None
    by: tuple[str, ...] = ()
    since: str | None = None
    at: str | None = None


PREVIOUS = "previous"
MAX_PARTITIONS = 10_000


# kind → what the reading is
KINDS: dict[str, str] = {
    "rows": "number of rows: int",
    "nulls": "rows where columns[0] is null: int",
    "min": "smallest non-null value of columns[0]",
    "max": "greatest non-null value of columns[0]",
    "outside_range": "rows where columns[0] < arguments[0] or > arguments[1] (None = open), or is NaN or infinite: int",
    "outside_ranges": "as outside_range, each partition by its own bounds: arguments are (partition, low, high), …",
    "outside_set": "rows where columns[0] is not null and not among arguments: int",
    "not_matching": "rows where columns[0] is not null and the pattern arguments[0] is found nowhere in it: int",
    "false": "rows where the SQL predicate arguments[0] is false (null is not false): int",
    "duplicates": "rows beyond the first of each distinct non-null key over columns: int",
    "orphans": "rows whose key over columns is non-null and missing in table arguments[0], columns arguments[1:]: int",
    "moments": "number, mean and sum of squared deviations of the finite values of columns[0], times as seconds since "
    "1970 in UTC: Moments",
    "quantiles": "a sketch of the finite values of columns[0], times as seconds since 1970 in UTC: Quantiles",
    "distinct": "a sketch of the distinct non-null values of columns[0]: Distinct",
    "frequencies": "how often each value of columns[0] occurs, NULL left out: dict of at most arguments[0] values, the "
    "most frequent first; NotMeasured where there are more",
    "history": "values of the metric arguments[0] at earlier versions: tuple of Point",
    "query_rows": "number of rows that the query arguments[0] gives: int",
    "query_value": "the one value that the query arguments[0] gives",
    "function": "what the project's Python function arguments[0] (`file.py:name`), called with arguments[1] (pairs of "
    "name and value) and the tables arguments[2:], says of the table: Called",
}


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """A reading that could not be taken, and why. One broken measure never takes the others down."""

    reason: str


Reading = object  # a plain Python value, or NotMeasured
Readings = Mapping[Measure, Reading]

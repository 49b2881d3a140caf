"""A measure declares what to compute about a table; an engine computes it; a check judges the reading."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal


class Cost(StrEnum):
    """Measures of one cost class are computed together in one scan. Classes are separate because one expensive
    aggregate disables whole-stage code generation for all others."""

    METADATA = "metadata"  # may be answered from Iceberg manifests, else falls to PLAIN
    PLAIN = "plain"  # count, sum of conditions, min/max of numbers and times
    STRING = "string"  # min/max of strings, sketches
    NARROW = "narrow"  # a job of its own: exact uniqueness, foreign keys


MeasureTier = Literal["manifests", "kept", "new files", "history", "scan", "sketches", "narrow"]
"""Where readings come from, as displayed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """`kind` is the name of one of `kinds.KINDS`. `columns` are what it reads (a field of a struct as `address.city`);
    `arguments` are its parameters, hashable; `where` is an SQL filter on the rows.

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


@dataclass(frozen=True, slots=True)
class NotMeasured:
    """A measure that could not be computed, and why. It never affects other measures."""

    reason: str


Reading = object  # a plain Python value, or NotMeasured
Readings = Mapping[Measure, Reading]

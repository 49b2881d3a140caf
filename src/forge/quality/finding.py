"""Input and output of a check's judgement besides readings: its context, and its finding."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.measure import Measure, Readings
from forge.quality.paths import is_within
from forge.quality.values import plain


@dataclass(frozen=True, slots=True)
class Context:
    """Where and when a check is judged. Values of `masked` columns stay out of messages and details."""

    table: TableName
    schema: Schema
    now: datetime
    masked: frozenset[str] = frozenset()

    def hides(self, column: str) -> bool:
        """True also for a field of a masked column."""
        return any(is_within(column, name) for name in self.masked)


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check once all it needs was measured."""

    failed: bool
    message: str
    thresholds: Mapping[str, object] = field(default_factory=dict)
    note: str | None = None
    hidden: frozenset[Measure] = frozenset()  # readings that must not be shown
    more: Mapping[str, object] = field(default_factory=dict)  # what else goes into the details


def shown_readings(columns: tuple[str, ...], own: Readings, hidden: frozenset[Measure]) -> dict[str, object]:
    """For the details of a check on these columns."""
    return {_name(measure, columns): plain(own[measure]) for measure in own if measure not in hidden}


def _name(measure: Measure, columns: tuple[str, ...]) -> str:
    """`nulls`, `nulls(a)` where the check reads more than one column, `rows at previous` of another version."""
    many = len(columns) != 1 and len(measure.columns) == 1
    kind = f"{measure.kind}({measure.columns[0]})" if many else measure.kind
    return f"{kind} at {measure.at}" if measure.at else kind

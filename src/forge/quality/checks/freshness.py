"""Age of the newest row."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar

from forge.model.schema import Schema
from forge.model.time import as_utc
from forge.quality.check import Check, Context, Finding
from forge.quality.keys import Key, Keys, column, hours
from forge.quality.measure import Measure, Readings
from forge.quality.paths import type_of
from forge.quality.values import Family, family_of, show


@dataclass(frozen=True, slots=True)
class FreshnessCheck(Check):
    """The newest value of `timestamp_column` is at most `max_age_hours` old on the run's clock. A date is taken as
    its beginning, in UTC. No value at all is a failure: data that cannot be dated is not fresh."""

    type: ClassVar[str] = "freshness"
    words: ClassVar[tuple[str, ...]] = ("freshness",)
    keys: ClassVar[Keys] = {
        "timestamp_column": Key(column, "timestamp_column", label="Time column"),
        "max_age_hours": Key(hours, "max_age_hours", label="Hours at most"),
    }

    timestamp_column: str = "updated_at"
    max_age_hours: float = 24.0

    def targets(self) -> tuple[str, ...]:
        return (self.timestamp_column,)

    def unfit(self, schema: Schema) -> str | None:
        type_ = type_of(schema, self.timestamp_column)
        if family_of(type_) in (Family.DATE, Family.TIMESTAMP):
            return None
        return f"freshness needs a date or a timestamp, and {self.timestamp_column} is {type_}"

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({self.measure("max", (self.timestamp_column,))})

    def decide(self, readings: Readings, context: Context) -> Finding:
        newest = readings[self.measure("max", (self.timestamp_column,))]
        thresholds = {"max_age_hours": self.max_age_hours, "now": context.now}
        if newest is None:
            return Finding(True, f"{self.timestamp_column}: there is no value, so the age is unknown", thresholds)
        if isinstance(newest, datetime):
            moment = as_utc(newest)
        elif isinstance(newest, date):
            moment = datetime(newest.year, newest.month, newest.day, tzinfo=UTC)
        else:
            raise TypeError(f"the newest {self.timestamp_column} is {newest!r}, not a time")
        age = as_utc(context.now) - moment
        limit = f"{self.max_age_hours:g} hours"
        message = f"{self.timestamp_column}: newest is {show(newest)}, "
        if age < timedelta(0):
            return Finding(False, f"{message}which is in the future", thresholds)
        failed = age / timedelta(hours=1) > self.max_age_hours
        message += f"{age / timedelta(hours=1):,.1f} hours old; "
        return Finding(failed, message + (f"more than {limit}" if failed else f"{limit} are allowed"), thresholds)

"""The checks. A new one is a class here, a line in CHECKS, its keys in `spec.py`, and a test."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from typing import ClassVar

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.model.time import as_utc
from forge.quality.check import NULLS_NOTE, Check, Context, Finding, count_in, exceeds, tell
from forge.quality.measure import Measure, NotMeasured, Readings
from forge.quality.values import ORDERED, Family, Unfit, family_of, lower_bound, member, share, show, upper_bound


def _type_of(schema: Schema, column: str) -> str:
    found = schema.get(column)
    return found.type if found else ""


def _nulls_said(readings: Readings, measure: Measure) -> str:
    nulls = readings.get(measure)
    if not isinstance(nulls, int) or nulls == 0:
        return ""
    return f"; {show(nulls)} NULL{'s are' if nulls > 1 else ' is'} not counted"


@dataclass(frozen=True, slots=True)
class NotNull(Check):
    """At most `max_null_percentage` of each column may be NULL. No columns named: all columns."""

    type: ClassVar[str] = "not_null"
    words: ClassVar[tuple[str, ...]] = ("not_null", "completeness")

    columns: tuple[str, ...] = ()
    max_null_percentage: float = 0.0

    def targets(self) -> tuple[str, ...]:
        return self.columns

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return tuple(Measure("nulls", (column,), where=self.where) for column in self.columns or schema.names)

    def decide(self, readings: Readings, context: Context) -> Finding:
        rows = count_in(readings, self.rows())
        allowed = self.max_null_percentage
        nulls = {m.columns[0]: count_in(readings, m) for m in self.violations(context.schema)}
        over = {column: bad for column, bad in nulls.items() if exceeds(bad, rows, allowed)}
        if len(over) > 1 or (over and len(nulls) > 1):
            listed = ", ".join(f"{column} {show(bad)} ({share(bad, rows)})" for column, bad in over.items())
            message = f"NULL in {len(over)} of {len(nulls)} columns over {show(rows)} rows: {listed}"
        else:
            bad = max(nulls.values(), default=0)
            message = tell(self, bad, rows, ("no NULL", "is NULL", "are NULL"), allowed)
        return Finding(bool(over), message, {"max_null_percentage": allowed})

    def subject(self) -> str:
        return ", ".join(self.columns) or "all columns"


@dataclass(frozen=True, slots=True)
class Unique(Check):
    """No key over `columns` stands in two rows. A key with a NULL in it is no key."""

    type: ClassVar[str] = "unique"
    words: ClassVar[tuple[str, ...]] = ("unique", "uniqueness")

    columns: tuple[str, ...]

    def targets(self) -> tuple[str, ...]:
        return self.columns

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (Measure("duplicates", self.columns, where=self.where),)

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        phrases = ("no key twice", "repeats the key of another row", "repeat the key of another row")
        message = tell(self, bad, rows, phrases)
        return Finding(bad > 0, message, note="Keys with a NULL in them are not counted")


@dataclass(frozen=True, slots=True)
class AcceptedValues(Check):
    """Every value is one of `values`."""

    type: ClassVar[str] = "accepted_values"
    words: ClassVar[tuple[str, ...]] = ("accepted_values", "set")

    column: str
    values: tuple[object, ...]
    max_violation_percentage: float = 0.0

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def _members(self, schema: Schema) -> tuple[object, ...]:
        type_ = _type_of(schema, self.column)
        return tuple(dict.fromkeys(member(value, type_) for value in self.values if value is not None))

    def unfit(self, schema: Schema) -> str | None:
        try:
            self._members(schema)
        except Unfit as error:
            return f"values: {error}"
        return None

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (Measure("outside_set", (self.column,), self._members(schema), self.where),)

    def extras(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({Measure("nulls", (self.column,), where=self.where)})

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        shown = ", ".join(str(value) for value in self.values[:8])
        if len(self.values) > 8:
            shown += f" and {len(self.values) - 8} more"
        allowed = self.max_violation_percentage
        phrases = (f"all among {shown}", f"is not among {shown}", f"are not among {shown}")
        message = tell(self, bad, rows, phrases, allowed)
        message += _nulls_said(readings, Measure("nulls", (self.column,), where=self.where))
        thresholds = {"values": list(self.values), "max_violation_percentage": allowed}
        return Finding(exceeds(bad, rows, allowed), message, thresholds, NULLS_NOTE)


@dataclass(frozen=True, slots=True)
class Range(Check):
    """Every value lies in [min, max]; None is open. NaN lies in no range."""

    type: ClassVar[str] = "range"
    words: ClassVar[tuple[str, ...]] = ("range",)

    column: str
    min: object = None
    max: object = None
    max_violation_percentage: float = 0.0

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def _bounds(self, schema: Schema) -> tuple[object, object]:
        type_ = _type_of(schema, self.column)
        if family_of(type_) is Family.STRING and not all(isinstance(b, str | None) for b in (self.min, self.max)):
            raise Unfit(f"a number is no bound of {self.column}, which is a {type_}; cast it, or quote the bound")
        low = None if self.min is None else lower_bound(self.min, type_)
        high = None if self.max is None else upper_bound(self.max, type_)
        return low, high

    def unfit(self, schema: Schema) -> str | None:
        type_ = _type_of(schema, self.column)
        if family_of(type_) not in ORDERED:
            return f"a range is of numbers, dates, times or text, and {self.column} is {type_}"
        try:
            self._bounds(schema)
        except Unfit as error:
            return str(error)
        return None

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (Measure("outside_range", (self.column,), self._bounds(schema), self.where),)

    def extras(self, schema: Schema) -> frozenset[Measure]:
        return frozenset(Measure(kind, (self.column,), where=self.where) for kind in ("min", "max", "nulls"))

    def _phrase(self) -> str:
        if self.min is None:
            return f"above {self.max}"
        return f"below {self.min}" if self.max is None else f"outside {self.min} … {self.max}"

    def _extremes(self, readings: Readings, context: Context) -> str:
        """Which end broke, so that the reader sees the size of it."""
        low, high = self._bounds(context.schema)
        least, most = (readings.get(Measure(kind, (self.column,), where=self.where)) for kind in ("min", "max"))
        said = ""
        if _beyond(low, least):
            said += f"; smallest is {show(least)}"
        if _beyond(most, high) or most != most:  # NaN is not itself
            said += f"; greatest is {show(most)}"
        return said

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        allowed = self.max_violation_percentage
        phrase = self._phrase()
        message = tell(self, bad, rows, (f"none {phrase}", f"is {phrase}", f"are {phrase}"), allowed)
        hidden: frozenset[Measure] = frozenset()
        if context.hides(self.column):
            hidden = frozenset(m for m in self.extras(context.schema) if m.kind != "nulls")
        elif bad:
            message += self._extremes(readings, context)
        message += _nulls_said(readings, Measure("nulls", (self.column,), where=self.where))
        thresholds = {"min": self.min, "max": self.max, "max_violation_percentage": allowed}
        return Finding(exceeds(bad, rows, allowed), message, thresholds, NULLS_NOTE, hidden)


def _beyond(great: object, small: object) -> bool:
    """Whether great > small, where both are there and can be compared."""
    if great is None or small is None or isinstance(great, NotMeasured) or isinstance(small, NotMeasured):
        return False
    try:
        return bool(great > small)  # type: ignore[operator]  # two values of one column's type
    except TypeError:
        return False


@dataclass(frozen=True, slots=True)
class Regex(Check):
    """`pattern`, a Java regular expression, is found in every value; anchor it with ^ and $ to match the whole."""

    type: ClassVar[str] = "regex"
    words: ClassVar[tuple[str, ...]] = ("regex",)

    column: str
    pattern: str
    max_violation_percentage: float = 0.0

    def targets(self) -> tuple[str, ...]:
        return (self.column,)

    def unfit(self, schema: Schema) -> str | None:
        type_ = _type_of(schema, self.column)
        return f"{self.column} is {type_}, which has no text" if family_of(type_) is Family.OTHER else None

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (Measure("not_matching", (self.column,), (self.pattern,), self.where),)

    def extras(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({Measure("nulls", (self.column,), where=self.where)})

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        allowed = self.max_violation_percentage
        phrases = (f"all match {self.pattern}", f"does not match {self.pattern}", f"do not match {self.pattern}")
        message = tell(self, bad, rows, phrases, allowed)
        message += _nulls_said(readings, Measure("nulls", (self.column,), where=self.where))
        thresholds = {"pattern": self.pattern, "max_violation_percentage": allowed}
        return Finding(exceeds(bad, rows, allowed), message, thresholds, NULLS_NOTE)


@dataclass(frozen=True, slots=True)
class RowCount(Check):
    """The number of rows lies in [min, max]; None is open."""

    type: ClassVar[str] = "row_count"
    words: ClassVar[tuple[str, ...]] = ("row_count", "volume")

    min: int | None = None
    max: int | None = None

    def targets(self) -> tuple[str, ...]:
        return ()

    def decide(self, readings: Readings, context: Context) -> Finding:
        rows = count_in(readings, self.rows())
        where = f" where {self.where}" if self.where else ""
        said = f"{show(rows)} {'row' if rows == 1 else 'rows'}{where}"
        few = self.min is not None and rows < self.min
        many = self.max is not None and rows > self.max
        if few:
            said += f", fewer than {show(self.min)}"
        if many:
            said += f", more than {show(self.max)}"
        return Finding(few or many, said, {"min": self.min, "max": self.max})


@dataclass(frozen=True, slots=True)
class Freshness(Check):
    """The newest value of `timestamp_column` is at most `max_age_hours` old on the run's clock. A date is taken as
    its beginning, in UTC. No value at all is a failure: data that cannot be dated is not fresh."""

    type: ClassVar[str] = "freshness"
    words: ClassVar[tuple[str, ...]] = ("freshness",)

    timestamp_column: str = "updated_at"
    max_age_hours: float = 24.0

    def targets(self) -> tuple[str, ...]:
        return (self.timestamp_column,)

    def unfit(self, schema: Schema) -> str | None:
        type_ = _type_of(schema, self.timestamp_column)
        if family_of(type_) in (Family.DATE, Family.TIMESTAMP):
            return None
        return f"freshness needs a date or a timestamp, and {self.timestamp_column} is {type_}"

    def needs(self, schema: Schema) -> frozenset[Measure]:
        return frozenset({Measure("max", (self.timestamp_column,), where=self.where)})

    def decide(self, readings: Readings, context: Context) -> Finding:
        newest = readings[Measure("max", (self.timestamp_column,), where=self.where)]
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
        said = f"{self.timestamp_column}: newest is {show(newest)}, "
        if age < timedelta(0):
            return Finding(False, f"{said}which is in the future", thresholds)
        failed = age > timedelta(hours=self.max_age_hours)
        said += f"{age / timedelta(hours=1):,.1f} hours old; "
        return Finding(failed, said + (f"more than {limit}" if failed else f"{limit} are allowed"), thresholds)


@dataclass(frozen=True, slots=True)
class ForeignKey(Check):
    """Every key over `columns` stands in `references` of `table`. A key with a NULL in it refers to nothing."""

    type: ClassVar[str] = "foreign_key"
    words: ClassVar[tuple[str, ...]] = ("foreign_key", "referential")

    columns: tuple[str, ...]
    table: TableName
    references: tuple[str, ...]
    max_violation_percentage: float = 0.0

    def targets(self) -> tuple[str, ...]:
        return self.columns

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (Measure("orphans", self.columns, (self.table, *self.references), self.where),)

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        allowed = self.max_violation_percentage
        target = f"{self.table}.{', '.join(self.references)}"
        phrases = (f"all found in {target}", f"is missing in {target}", f"are missing in {target}")
        message = tell(self, bad, rows, phrases, allowed)
        thresholds = {"references": target, "max_violation_percentage": allowed}
        return Finding(exceeds(bad, rows, allowed), message, thresholds, "Keys with a NULL in them are not counted")


@dataclass(frozen=True, slots=True)
class Expression(Check):
    """`sql`, a predicate on a row, is false for no row. NULL is not false."""

    type: ClassVar[str] = "expression"
    words: ClassVar[tuple[str, ...]] = ("expression", "custom")

    sql: str
    max_violation_percentage: float = 0.0

    def targets(self) -> tuple[str, ...]:
        return ()

    def subject(self) -> str:
        return self.name or self.sql

    def check_id(self, table: TableName) -> str:
        plain_id = Check.check_id(self, table)
        return plain_id if self.name else Check.check_id(Expression(self.sql, name=self.sql, where=self.where), table)

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        return (Measure("false", (), (self.sql,), self.where),)

    def decide(self, readings: Readings, context: Context) -> Finding:
        bad = count_in(readings, self.violations(context.schema)[0])
        rows = count_in(readings, self.rows())
        allowed = self.max_violation_percentage
        rule = f": {self.sql}" if self.name else ""
        phrases = ("none breaks the rule", f"breaks the rule{rule}", f"break the rule{rule}")
        message = tell(self, bad, rows, phrases, allowed)
        thresholds = {"sql": self.sql, "max_violation_percentage": allowed}
        return Finding(exceeds(bad, rows, allowed), message, thresholds, "Rows where it is NULL are not counted")


CHECKS: tuple[type[Check], ...] = (
    NotNull,
    Unique,
    AcceptedValues,
    Range,
    Regex,
    RowCount,
    Freshness,
    ForeignKey,
    Expression,
)

BY_WORD: dict[str, type[Check]] = {word: check for check in CHECKS for word in check.words}

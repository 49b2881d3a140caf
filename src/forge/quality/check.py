"""What every check has in common. A check is data: it says what to measure and how to judge the readings, and touches
no engine, so that it can be tested, printed, hashed and stored without one."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import ClassVar

from forge.model.names import TableName
from forge.model.nearest import did_you_mean
from forge.model.schema import Schema
from forge.quality.measure import Measure, NotMeasured, Readings
from forge.quality.remedy import Action
from forge.quality.values import plain, share, show
from forge.quality.verdict import Outcome, Severity, Verdict

NULLS_NOTE = "NULLs are not counted"


class OnNotMeasured(StrEnum):
    BLOCK = "block"
    WARN = "warn"


@dataclass(frozen=True, slots=True)
class Context:
    """Where and when a check is judged. Values of `masked` columns are kept out of messages and details."""

    table: TableName
    schema: Schema
    now: datetime
    masked: frozenset[str] = frozenset()

    def hides(self, column: str) -> bool:
        return column.lower() in {name.lower() for name in self.masked}


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found once all it needs was measured."""

    failed: bool
    message: str
    thresholds: Mapping[str, object] = field(default_factory=dict)
    note: str | None = None
    hidden: frozenset[Measure] = frozenset()  # readings that must not be shown


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(ABC):
    """A subclass says `targets`, `violations`, `needs` and `decide`; the rest is here."""

    type: ClassVar[str]
    words: ClassVar[tuple[str, ...]]  # what a project file may call it

    severity: Severity = Severity.ERROR
    name: str | None = None
    where: str | None = None
    partition_by: tuple[str, ...] = ()  # judged for each of their values; the check fails where one of them does
    since: str | None = None  # only rows of files added since that revision, or PREVIOUS
    on_not_measured: OnNotMeasured = OnNotMeasured.BLOCK
    on_failure: tuple[Action, ...] = ()
    auto: bool = False  # carry `on_failure` out at once instead of proposing it

    @abstractmethod
    def targets(self) -> tuple[str, ...]:
        """The columns it names."""

    @abstractmethod
    def decide(self, readings: Readings, context: Context) -> Finding:
        """Called only when there is no fault and all of `needs` was measured."""

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        """The measures that count bad rows, from which a sample of them can be taken."""
        return ()

    def needs(self, schema: Schema) -> frozenset[Measure]:
        """Without these it cannot be judged."""
        return frozenset({self.rows(), *self.violations(schema)})

    def then(self, readings: Readings, schema: Schema) -> frozenset[Measure]:
        """What else must be measured, once `needs` is known: bounds of outliers come from a mean. Most need nothing."""
        return frozenset()

    def bad(self, readings: Readings, schema: Schema) -> tuple[Measure, ...]:
        """The measures that count bad rows once all is known; for most `violations` says it before."""
        return self.violations(schema)

    def others(self) -> frozenset[TableName]:
        """Tables it looks up beside its own."""
        return frozenset()

    def measure(self, kind: str, columns: tuple[str, ...] = (), *arguments: object, at: str | None = None) -> Measure:
        """A measure of the rows that this check is about."""
        return Measure(kind, columns, arguments, self.where, self.partition_by, self.since, at)

    def extras(self, schema: Schema) -> frozenset[Measure]:
        """These only make the message better."""
        return frozenset()

    def unfit(self, schema: Schema) -> str | None:
        """Why its parameters do not suit the columns, all of which exist."""
        return None

    def fault(self, schema: Schema) -> str | None:
        """Why it cannot be measured on a table of this schema."""
        for column in self.targets():
            if schema.get(column) is None:
                near = did_you_mean(column, schema.names) or f"The columns are {', '.join(schema.names)}."
                return f"there is no column '{column}'. {near}"
        return self.unfit(schema)

    def measures(self, schema: Schema) -> frozenset[Measure]:
        if self.fault(schema) is not None:
            return frozenset()
        return self.needs(schema) | self.extras(schema)

    def judge(self, readings: Readings, context: Context) -> Verdict:
        fault = self.fault(context.schema)
        if fault is not None:
            return self.not_measured(fault, context)
        for measure in sorted(self.needs(context.schema), key=str):
            match readings.get(measure, NotMeasured("no reading was taken")):
                case NotMeasured(reason):
                    return self.not_measured(reason, context)
        return self._verdict(self.decide(readings, context), readings, context)

    def rows(self) -> Measure:
        return Measure("rows", where=self.where)

    @property
    def blocking(self) -> bool:
        return self.severity in (Severity.ERROR, Severity.CRITICAL)

    def subject(self) -> str:
        return ", ".join(self.targets()) or self.name or self.type

    def check_id(self, table: TableName) -> str:
        """Readable and the same in every run: core.orders.amount.range. Name and filter tell apart what else would
        be called the same."""
        parts = [str(table), "+".join(self.targets()), self.type, _slug(self.name), _slug(self.where)]
        return ".".join(part for part in parts if part)

    def not_measured(self, reason: str, context: Context) -> Verdict:
        return Verdict(
            check_id=self.check_id(context.table),
            check_type=self.type,
            table=str(context.table),
            columns=self.targets(),
            outcome=Outcome.NOT_MEASURED,
            severity=self.severity,
            message=f"{self.subject()}: not measured: {reason}",
            blocks=self.blocking and self.on_not_measured is OnNotMeasured.BLOCK,
            details={**self._identity(), "reason": reason},
        )

    def _verdict(self, finding: Finding, readings: Readings, context: Context) -> Verdict:
        shown = sorted(self.measures(context.schema) - finding.hidden, key=str)
        details: dict[str, object] = {
            **self._identity(),
            "readings": {_reading_name(m, self): plain(readings[m]) for m in shown if _taken(m, readings)},
            "thresholds": plain(dict(finding.thresholds)),
        }
        if finding.note:
            details["note"] = finding.note
        return Verdict(
            check_id=self.check_id(context.table),
            check_type=self.type,
            table=str(context.table),
            columns=self.targets(),
            outcome=Outcome.FAILED if finding.failed else Outcome.PASSED,
            severity=self.severity,
            message=finding.message,
            blocks=finding.failed and self.blocking,
            details=details,
        )

    def _identity(self) -> dict[str, object]:
        return {key: value for key, value in (("name", self.name), ("where", self.where)) if value}


def _taken(measure: Measure, readings: Readings) -> bool:
    return measure in readings and not isinstance(readings[measure], NotMeasured)


def _reading_name(measure: Measure, check: Check) -> str:
    """`nulls`, or `nulls(a)` where the check reads several columns."""
    many = len(check.targets()) != 1 and len(measure.columns) == 1
    return f"{measure.kind}({measure.columns[0]})" if many else measure.kind


def _slug(text: str | None) -> str:
    if not text:
        return ""
    return re.sub(r"\W+", "_", text.lower()).strip("_")[:40].rstrip("_")


def count_in(readings: Readings, measure: Measure) -> int:
    """A count that was measured; what is not a count is a fault of the measurer and is said as such."""
    value = readings[measure]
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"the reading of {measure.kind} is {value!r}, not a count")
    return value


def exceeds(bad: int, rows: int, allowed: float) -> bool:
    """Whether `bad` of `rows` is more than `allowed` percent, without the rounding of floats."""
    return bad * 100 > Decimal(str(allowed)) * rows


def tell(check: Check, bad: int, rows: int, phrases: tuple[str, str, str], allowed: float = 0.0) -> str:
    """`amount: 1,204 of 50,000 rows (2.41%) are outside 0 … 5000`. The phrases are of no bad row, one, and more."""
    clean, singular, plural = phrases
    where = f" where {check.where}" if check.where else ""
    noun = "row" if rows == 1 else "rows"
    if rows == 0:
        return f"{check.subject()}: there are no rows{where}"
    if bad == 0:
        return f"{check.subject()}: {show(rows)} {noun}{where}, {clean}"
    tolerance = f", {show(float(allowed))}% is allowed" if allowed else ""
    counted = f"{show(bad)} of {show(rows)} {noun} ({share(bad, rows)}{tolerance})"
    return f"{check.subject()}: {counted}{where} {singular if bad == 1 else plural}"

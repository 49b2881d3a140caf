"""The base class of checks. A check is data: it declares what to measure and how to judge the readings, and touches no
engine, so that it can be tested, printed, hashed and stored without one."""

from __future__ import annotations

import hashlib
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, ClassVar

from forge.model.names import TableName
from forge.model.schema import Schema
from forge.quality.finding import Context as Context
from forge.quality.finding import Finding as Finding
from forge.quality.finding import shown_readings
from forge.quality.keys import Keys
from forge.quality.measure import Measure, NotMeasured, Readings
from forge.quality.partitions import find_in_partitions
from forge.quality.paths import UnknownField, find_field
from forge.quality.remedy import Action
from forge.quality.values import Family, family_of, plain, share, show
from forge.quality.verdict import Outcome, Severity, Verdict

NULLS_NOTE = "NULLs are not counted"
_SHOWN = 20  # columns in a message
_LONG = 200  # letters of columns in an id


class OnNotMeasured(StrEnum):
    BLOCK = "block"
    WARN = "warn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Check(ABC):
    """A subclass declares `keys`, `targets`, `violations`, `needs` and `decide`; the rest is here."""

    type: ClassVar[str]
    words: ClassVar[tuple[str, ...]]  # what a project file may call it
    label: ClassVar[str] = ""  # in forms; without one, its type
    keys: ClassVar[Keys] = {}  # its keys in a project file, in addition to those of every check
    without: ClassVar[frozenset[str]] = frozenset()  # keys of every check that mean nothing for it

    severity: Severity = Severity.ERROR
    id: str | None = None  # its identity, whatever else of it changes
    name: str | None = None
    where: str | None = None
    partition_by: tuple[str, ...] = ()  # judged for each of their values; the check fails where one of them does
    since: str | None = None  # only rows of files added since that revision, or PREVIOUS
    on_not_measured: OnNotMeasured = OnNotMeasured.BLOCK
    on_failure: tuple[Action, ...] = ()
    auto: bool = False  # carry `on_failure` out at once instead of proposing it

    @classmethod
    def settle(cls, fields: dict[str, Any]) -> list[str]:
        """Errors across the keys, each already parsed into `fields`; may complete them."""
        return []

    def targets(self) -> tuple[str, ...]:
        """The columns it names."""
        return ()

    @abstractmethod
    def decide(self, readings: Readings, context: Context) -> Finding | NotMeasured:
        """Called only without faults and when all of `needs` was measured. With `partition_by` called for each
        partition, with its readings."""

    def violations(self, schema: Schema) -> tuple[Measure, ...]:
        """The measures that count bad rows, from which a sample of them can be taken."""
        return ()

    def needs(self, schema: Schema) -> frozenset[Measure]:
        """The measures it cannot be judged without."""
        return frozenset({self.rows(), *self.violations(schema)})

    def then(self, readings: Readings, schema: Schema) -> frozenset[Measure]:
        """Measures of a second round, once `needs` is known, such as bounds of outliers from a mean. Most checks have
        none."""
        return frozenset()

    def bad(self, readings: Readings, schema: Schema) -> tuple[Measure, ...]:
        """The measures that count bad rows once all readings are known; for most checks the same as `violations`."""
        return self.violations(schema)

    def others(self) -> frozenset[TableName]:
        """Other tables it reads."""
        return frozenset()

    def measure(self, kind: str, columns: tuple[str, ...] = (), *arguments: object, at: str | None = None) -> Measure:
        """A measure restricted to the rows that this check covers. At another version all rows count."""
        since = self.since if at is None else None
        return Measure(
            kind=kind, columns=columns, arguments=arguments, where=self.where, by=self.partition_by, since=since, at=at
        )

    def extras(self, schema: Schema) -> frozenset[Measure]:
        """Optional measures that only improve the message."""
        return frozenset()

    def unfit(self, schema: Schema) -> str | None:
        """Why its parameters do not suit the columns, all of which exist."""
        return None

    def fault(self, schema: Schema) -> str | None:
        """Why it cannot be measured on a table of this schema."""
        try:
            for column in self.targets():
                find_field(schema, column)
            for column in self.partition_by:
                type_ = find_field(schema, column).type
                if family_of(type_) is Family.OTHER:
                    return f"{column} is {type_}, and partitions are by text, numbers, dates, times or booleans"
        except UnknownField as error:
            return str(error)
        return self.unfit(schema)

    def measures(self, schema: Schema) -> frozenset[Measure]:
        if self.fault(schema) is not None:
            return frozenset()
        return self.needs(schema) | self.extras(schema)

    def judge(self, readings: Readings, context: Context) -> Verdict:
        fault = self.fault(context.schema)
        if fault is not None:
            return self.not_measured(fault, context)
        needed = self.needs(context.schema)
        if (reason := _missing(needed, readings)) is not None:
            return self.not_measured(reason, context)
        later = self.then(readings, context.schema)
        if (reason := _missing(later, readings)) is not None:
            return self.not_measured(reason, context)
        wanted = needed | self.extras(context.schema) | later
        own = {measure: readings[measure] for measure in sorted(wanted, key=str) if _was_measured(measure, readings)}
        found = find_in_partitions(self, own, context) if self.partition_by else self.decide(own, context)
        if isinstance(found, NotMeasured):
            return self.not_measured(found.reason, context)
        return self._verdict(found, own, context)

    def rows(self) -> Measure:
        return self.measure("rows")

    @property
    def blocking(self) -> bool:
        return self.severity in (Severity.ERROR, Severity.CRITICAL)

    def subject(self) -> str:
        return _listed(self.targets()) or self.name or self.type

    def check_id(self, table: TableName) -> str:
        """Readable and stable across runs: core.orders.amount.range. Name, filter, partitions and `since` distinguish
        checks that would have the same id, unless an explicit id is given."""
        if self.id:
            return f"{table}.{_slug(self.id)}"
        parts = [str(table), _joined(self.targets()), self.type, _slug(self.name), _slug(self.where)]
        parts += [f"by_{_slug(' '.join(self.partition_by))}" if self.partition_by else ""]
        parts += [f"since_{_slug(self.since)}" if self.since else ""]
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

    def _verdict(self, finding: Finding, own: Readings, context: Context) -> Verdict:
        details: dict[str, object] = {
            **self._identity(),
            "readings": {} if self.partition_by else shown_readings(self.targets(), own, finding.hidden),
            "thresholds": plain(dict(finding.thresholds)),
            **{key: plain(value) for key, value in finding.more.items()},
        }
        if finding.note:
            details["note"] = finding.note
        if hidden := [column for column in (*self.targets(), *self.partition_by) if context.hides(column)]:
            details["personal"] = hidden  # so that who shows it later knows that it names none of their values
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
        values = {"name": self.name, "where": self.where, "partition_by": list(self.partition_by), "since": self.since}
        return {key: value for key, value in values.items() if value}


def _missing(measures: Iterable[Measure], readings: Readings) -> str | None:
    """Why one of them was not measured."""
    for measure in sorted(measures, key=str):
        match readings.get(measure, NotMeasured("no reading was taken")):
            case NotMeasured(reason):
                return reason
    return None


def _was_measured(measure: Measure, readings: Readings) -> bool:
    return measure in readings and not isinstance(readings[measure], NotMeasured)


def _listed(columns: tuple[str, ...]) -> str:
    more = f" and {len(columns) - _SHOWN:,} more" if len(columns) > _SHOWN else ""
    return ", ".join(columns[:_SHOWN]) + more


def _joined(columns: tuple[str, ...]) -> str:
    """a+b; of very many columns the first ones and a hash of the rest."""
    whole = "+".join(columns)
    if len(whole) <= _LONG:
        return whole
    mark = hashlib.sha256(whole.encode()).hexdigest()[:8]
    return f"{whole[:_LONG].rpartition('+')[0] or whole[:_LONG]}+{mark}"


def _slug(text: str | None) -> str:
    if not text:
        return ""
    return re.sub(r"\W+", "_", text.lower()).strip("_")[:40].rstrip("_")


def count_in(readings: Readings, measure: Measure) -> int:
    """A measured count; anything else is an error of the measurer and raised as such."""
    value = readings[measure]
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"the reading of {measure.kind} is {value!r}, not a count")
    return value


def exceeds(bad: int, rows: int, allowed: float) -> bool:
    """Whether `bad` of `rows` is more than `allowed` percent, without floating-point rounding."""
    return bad * 100 > Decimal(str(allowed)) * rows


def count_sentence(check: Check, bad: int, rows: int, phrases: tuple[str, str, str], allowed: float = 0.0) -> str:
    """`amount: 1,204 of 50,000 rows (2.41%) are outside 0 … 5000`. The phrases are for no bad row, one, and more."""
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

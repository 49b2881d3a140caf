"""Port for row-level repairs of one table. Rows are identified by file and position, so that no key is needed; only
files with changes are rewritten."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from forge.flows.ports import Stage
from forge.flows.runs.engine import Pin
from forge.flows.versioning.tables import TableFiles
from forge.model.errors import ForgeError
from forge.model.names import RunId, TableName
from forge.quality.check import Check
from forge.quality.measure import Readings
from forge.quality.remedy import ImputeMethod
from forge.versioning.field import Fields

FILE, POSITION, CHECKS = "forge_file", "forge_pos", "forge_checks"
"""What `Engine.failing_rows` adds to the columns of the table."""
SIDE_RUN, SIDE_TIME = "forge_run", "forge_quarantined_at"
"""The columns of a quarantine table in addition to those of the table and the ids of the checks."""


@dataclass(frozen=True, slots=True)
class RepairTarget:
    """A version of a table, published or staged."""

    table: TableName
    pin: Pin
    files: TableFiles
    run_id: RunId


@dataclass(frozen=True, slots=True)
class RowFailures:
    """The rows that fail these checks, by readings of the same version. `parts`: for checks with `since`, the part of
    the table meant."""

    checks: tuple[tuple[str, Check], ...]  # with their ids
    readings: Readings
    others: Mapping[TableName, Pin] = field(default_factory=dict)
    parts: Mapping[str, Pin] = field(default_factory=dict)

    def by_part(self, whole: Pin) -> tuple[tuple[Pin, tuple[tuple[str, Check], ...]], ...]:
        """The checks, grouped by the rows they cover."""
        found: dict[Pin, list[tuple[str, Check]]] = {}
        for check_id, check in self.checks:
            part = self.parts.get(check.since, whole) if check.since else whole
            found.setdefault(part, []).append((check_id, check))
        return tuple((pin, tuple(checks)) for pin, checks in found.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class CellFill:
    """Values for cells: NULLs of `columns`; with `failing`, only in failing rows, and there any value of columns in
    `bad`."""

    columns: tuple[str, ...]
    method: ImputeMethod
    value: object = None
    key: tuple[str, ...] = ()
    order_by: tuple[str, ...] = ()
    failing: RowFailures | None = None
    bad: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class QuarantineStamp:
    """The marks of a quarantined row."""

    run_id: str
    time: datetime


class RowRepair(Protocol):
    """A planned repair; nothing is written yet."""

    @property
    def changed(self) -> int: ...
    @property
    def deleted(self) -> int: ...
    @property
    def counts(self) -> Mapping[str, int]:
        """Quarantined rows by check; filled cells by column."""

    @property
    def values(self) -> Mapping[str, object]:
        """By column, the filled value, where there is a single one."""

    def write(self, stage: Stage) -> None:
        """Writes the table without deleted and with changed rows, on top of the stage."""

    def set_aside(self, stage: Stage, fields: Fields, names: Mapping[str, str], stamp: QuarantineStamp) -> None:
        """Appends the deleted rows to another table with these `fields`; `names` maps the columns."""

    def release(self) -> None:
        """Releases resources kept for writing."""


class RepairWork(Protocol):
    """On the driver for small tables, on Spark for others; same results. Raises where the driver cannot do it."""

    def take_out(self, target: RepairTarget, failing: RowFailures) -> RowRepair:
        """Removes the rows that fail."""

    def fill(self, target: RepairTarget, fill: CellFill) -> RowRepair: ...
    def deduplicate(self, target: RepairTarget, key: tuple[str, ...], order_by: tuple[str, ...]) -> RowRepair:
        """Of rows with the same key, keeps the last by `order_by`; ties by file and position. Rows with a NULL in the
        key stay."""


def unfit_value(value: object, column: str, type_: str) -> ForgeError:
    return ForgeError(
        "E749",
        f"{value!r} is no {type_}, which is the type of {column}",
        fix=f"Give a value of type {type_}, or quote it: value: '…'.",
    )


def unfit_type(method: str, column: str, type_: str, fits: str) -> ForgeError:
    return ForgeError(
        "E749",
        f"There is no {method} of {column}, which is {type_}",
        why=f"The {method} is taken of {fits}.",
        fix="Use another method: constant, median, mode or forward_fill.",
    )

"""The port for work on the rows of one table that a remediation changes. Rows are known by file and place, so that a
table needs no key; only files in which something changes are written anew."""

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
"""What a quarantine table has beside the columns of the table and the ids of the checks."""


@dataclass(frozen=True, slots=True)
class Target:
    """A version of a table, published or staged, to work on."""

    table: TableName
    pin: Pin
    files: TableFiles
    run_id: RunId


@dataclass(frozen=True, slots=True)
class Failing:
    """The rows that fail these checks, by what was read of the same version. `parts` are for checks of new rows only:
    by their `since`, the part of the table that is meant."""

    checks: tuple[tuple[str, Check], ...]  # with their ids
    readings: Readings
    others: Mapping[TableName, Pin] = field(default_factory=dict)
    parts: Mapping[str, Pin] = field(default_factory=dict)

    def by_part(self, whole: Pin) -> tuple[tuple[Pin, tuple[tuple[str, Check], ...]], ...]:
        """The checks, by the rows they are about."""
        found: dict[Pin, list[tuple[str, Check]]] = {}
        for check_id, check in self.checks:
            part = self.parts.get(check.since, whole) if check.since else whole
            found.setdefault(part, []).append((check_id, check))
        return tuple((pin, tuple(checks)) for pin, checks in found.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """What is put into cells: NULLs of `columns`; where `failing` is given, only in rows that fail, and there whatever
    the cell holds where the column is among `bad`."""

    columns: tuple[str, ...]
    method: ImputeMethod
    value: object = None
    key: tuple[str, ...] = ()
    order_by: tuple[str, ...] = ()
    failing: Failing | None = None
    bad: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a row in quarantine is marked with."""

    run_id: str
    time: datetime


class Repaired(Protocol):
    """What would change; nothing is written yet."""

    @property
    def changed(self) -> int: ...
    @property
    def deleted(self) -> int: ...
    @property
    def told(self) -> Mapping[str, int]:
        """Of rows set aside: by check; of cells filled: by column."""
        ...

    @property
    def values(self) -> Mapping[str, object]:
        """By column, the one value that was put in, where there is one."""
        ...

    def write(self, stage: Stage) -> None:
        """The table without what is deleted, with what is changed, on top of the stage."""
        ...

    def set_aside(self, stage: Stage, fields: Fields, names: Mapping[str, str], stamp: Stamp) -> None:
        """The deleted rows appended to another table, which has these `fields`; `names` says what each column of the
        table is called there."""
        ...

    def release(self) -> None:
        """Let go of what was kept for writing."""
        ...


class RepairWork(Protocol):
    """On the driver for small tables, on Spark for the others; the same answers from both. NeedsEngine where the driver
    cannot."""

    def take_out(self, target: Target, failing: Failing) -> Repaired:
        """Without the rows that fail."""
        ...

    def fill(self, target: Target, fill: Fill) -> Repaired: ...
    def deduplicate(self, target: Target, key: tuple[str, ...], order_by: tuple[str, ...]) -> Repaired:
        """Of rows with one key, the one that comes last by `order_by`; of such as are alike in that, the one in the
        last file and place. Rows with a NULL in the key stay."""
        ...


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

"""What a project wants of its contracts, tables and columns: the `governance:` of its settings as frozen data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Literal

from forge.contracts.contract import ViolationSeverity


class Enforcement(StrEnum):
    OFF = "off"
    WARN = "warn"
    STRICT = "strict"


@dataclass(frozen=True, slots=True)
class Level:
    """A platform file above the project: enterprise, domain. Its contracts stand above those of the project."""

    name: str  # the file, as messages name it
    folder: Path
    set: tuple[str, ...] = ()  # files, from `folder`; none: all of contracts/ there


@dataclass(frozen=True, slots=True)
class Naming:
    """Patterns are regular expressions that a whole name has to match."""

    schemas: str | None = None
    tables: str | None = None
    columns: str | None = None
    by_table: Mapping[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    severity: ViolationSeverity = "error"


@dataclass(frozen=True, slots=True)
class Coverage:
    min_checks: int = 1
    unique_key: bool = False
    min_percentage: float = 100.0
    only: tuple[str, ...] = ()
    severity: ViolationSeverity = "error"


@dataclass(frozen=True, slots=True)
class Documentation:
    tables: bool = True
    columns: bool = True
    owner: bool = False
    min_percentage: float = 100.0
    only: tuple[str, ...] = ()
    severity: ViolationSeverity = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a fact has to be; all that is said has to hold."""

    matches: str | None = None
    equals: tuple[object, ...] = ()  # none or one: null is a value, too
    one_of: tuple[object, ...] = ()
    contains: tuple[object, ...] = ()  # none or one
    min: float | None = None
    max: float | None = None
    exists: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Where all of `when` holds, all of `require` has to and nothing of `forbid` may."""

    name: str
    message: str = ""
    fix: str = ""
    each: Literal["table", "column"] = "table"
    only: tuple[str, ...] = ()
    when: Mapping[str, Condition] = field(default_factory=dict)
    require: Mapping[str, Condition] = field(default_factory=dict)
    forbid: Mapping[str, Condition] = field(default_factory=dict)
    severity: ViolationSeverity = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Governance:
    """Policies are tuples because those of a platform file hold beside the project's own."""

    enforcement: Enforcement | None = None  # None: not set, which is reported like warn
    drift_enabled: bool = True
    drift_enforcement: Enforcement | None = None  # None: as `enforcement`
    inheritance: Literal["strict", "permissive"] = "strict"
    auto_generation: Literal["off", "propose", "write"] = "off"
    required_for: tuple[str, ...] = ()
    naming: tuple[Naming, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    documentation: tuple[Documentation, ...] = ()
    custom: tuple[Rule, ...] = ()
    levels: tuple[Level, ...] = ()  # above the project, the outermost first

    @property
    def is_off(self) -> bool:
        return self.enforcement is Enforcement.OFF

    @property
    def is_strict(self) -> bool:
        return self.enforcement is Enforcement.STRICT

    @property
    def profile(self) -> str:
        """Of the linter."""
        return "strict" if self.is_strict else "standard"

    @property
    def drift(self) -> Enforcement:
        """What a difference between contract and table does where a project is compiled."""
        if self.is_off or not self.drift_enabled:
            return Enforcement.OFF
        return self.drift_enforcement or self.enforcement or Enforcement.WARN

    def requires_contract(self, table: str) -> bool:
        return named(table, self.required_for)


def named(table: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns is about the table; letter case makes no difference."""
    return any(fnmatchcase(table.lower(), pattern.strip().lower()) for pattern in patterns)

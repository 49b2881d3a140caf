"""The `governance:` section of the settings as frozen data."""

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
class PlatformLevel:
    """A platform file above the project: enterprise, domain. Its contracts are parents of the project's."""

    name: str  # the file, as messages name it
    folder: Path
    set: tuple[str, ...] = ()  # files, from `folder`; none: all of contracts/ there


@dataclass(frozen=True, slots=True)
class NamingPolicy:
    """Regular expressions that a whole name must match."""

    schemas: str | None = None
    tables: str | None = None
    columns: str | None = None
    by_table: Mapping[str, str] = field(default_factory=dict)
    only: tuple[str, ...] = ()
    severity: ViolationSeverity = "error"


@dataclass(frozen=True, slots=True)
class CoveragePolicy:
    min_checks: int = 1
    unique_key: bool = False
    min_percentage: float = 100.0
    only: tuple[str, ...] = ()
    severity: ViolationSeverity = "error"


@dataclass(frozen=True, slots=True)
class DocumentationPolicy:
    tables: bool = True
    columns: bool = True
    owner: bool = False
    min_percentage: float = 100.0
    only: tuple[str, ...] = ()
    severity: ViolationSeverity = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCondition:
    """Constraints on a fact; all must hold."""

    matches: str | None = None
    equals: tuple[object, ...] = ()  # none or one: null is a value, too
    one_of: tuple[object, ...] = ()
    contains: tuple[object, ...] = ()  # none or one
    min: float | None = None
    max: float | None = None
    exists: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule:
    """Where all of `when` holds, all of `require` must hold and nothing of `forbid` may."""

    name: str
    message: str = ""
    fix: str = ""
    each: Literal["table", "column"] = "table"
    only: tuple[str, ...] = ()
    when: Mapping[str, FactCondition] = field(default_factory=dict)
    require: Mapping[str, FactCondition] = field(default_factory=dict)
    forbid: Mapping[str, FactCondition] = field(default_factory=dict)
    severity: ViolationSeverity = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Governance:
    """Policies are tuples because those of a platform file apply in addition to the project's own."""

    enforcement: Enforcement | None = None  # None: not set, which is reported like warn
    drift_enabled: bool = True
    drift_enforcement: Enforcement | None = None  # None: as `enforcement`
    inheritance: Literal["strict", "permissive"] = "strict"
    auto_generation: Literal["off", "propose", "write"] = "off"
    required_for: tuple[str, ...] = ()
    naming: tuple[NamingPolicy, ...] = ()
    coverage: tuple[CoveragePolicy, ...] = ()
    documentation: tuple[DocumentationPolicy, ...] = ()
    custom: tuple[PolicyRule, ...] = ()
    levels: tuple[PlatformLevel, ...] = ()  # above the project, the outermost first

    @property
    def is_off(self) -> bool:
        return self.enforcement is Enforcement.OFF

    @property
    def is_strict(self) -> bool:
        return self.enforcement is Enforcement.STRICT

    @property
    def profile(self) -> str:
        """The linter's profile."""
        return "strict" if self.is_strict else "standard"

    @property
    def drift(self) -> Enforcement:
        """How drift between contract and table is enforced at compile time."""
        if self.is_off or not self.drift_enabled:
            return Enforcement.OFF
        return self.drift_enforcement or self.enforcement or Enforcement.WARN

    def requires_contract(self, table: str) -> bool:
        return matches_any(table, self.required_for)


def matches_any(table: str, patterns: tuple[str, ...]) -> bool:
    """Whether one of the patterns matches the table; case-insensitive."""
    return any(fnmatchcase(table.lower(), pattern.strip().lower()) for pattern in patterns)

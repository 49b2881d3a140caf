"""A data contract of the Open Data Contract Standard (ODCS) v3, as frozen data."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from forge.contracts.document.file import Document

# What each version of the standard calls a type. 3.0.0 and 3.0.1 follow the grammar of 3.0.2.
_TYPES_3_0 = ("string", "date", "number", "integer", "object", "array", "boolean")
_TYPES_3_1 = (*_TYPES_3_0, "timestamp", "time")
_TYPES_3_2 = (*_TYPES_3_1, "map", "vector")
LOGICAL_TYPES: Mapping[str, tuple[str, ...]] = {
    "v3.0.0": _TYPES_3_0,
    "v3.0.1": _TYPES_3_0,
    "v3.0.2": _TYPES_3_0,
    "v3.1.0": _TYPES_3_1,
    "v3.2.0": _TYPES_3_2,
}

_PERSONAL = frozenset({"pii", "phi", "spi", "personal"})


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is written."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


ViolationSeverity = Literal["error", "warning", "info"]
WEAKER_THAN_PARENT, PARENT_NOT_FOUND, BREAKING_CHANGE = "E510", "E511", "E520"  # codes that are told apart


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A finding about a contract, or about a table that should follow one."""

    code: str  # empty where a finding has none: a nullability difference
    severity: ViolationSeverity
    file: str
    line: int
    column: int
    path: str  # what is meant, inside the contract: schema[0].properties[2].logicalType
    message: str
    fix: str = ""

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    def to_dict(self) -> dict[str, object]:
        return {
            "code": f"FORGE-{self.code}" if self.code else "",
            "severity": self.severity,
            "file": self.file,
            "line": self.line,
            "column": self.column,
            "path": self.path,
            "message": self.message,
            "fix": self.fix,
        }


@dataclass(frozen=True, slots=True)
class QualityRule:
    """One entry of `quality`, as written. An `implementation` for Forge is parsed already."""

    rule: Mapping[str, object]
    place: Place


@dataclass(frozen=True, slots=True)
class Relationship:
    """One entry of `relationships`, as written; that of a property has no `from`."""

    written: Mapping[str, object]
    place: Place


@dataclass(frozen=True, slots=True)
class Note:
    """Something the contract says that Forge does not enforce, and why."""

    place: Place
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlaProperty:
    """One entry of `slaProperties`, as written; forge.contracts.sla says what it promises."""

    property: str
    value: object = None
    value_ext: object = None
    unit: str | None = None
    element: str | None = None
    driver: str | None = None
    id: str | None = None
    place: Place = Place("", 1)
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    name: str
    logical_type: str | None = None
    physical_type: str | None = None
    physical_name: str | None = None
    required: bool = False
    unique: bool = False
    primary_key: bool = False
    primary_key_position: int | None = None
    description: str = ""
    classification: str | None = None
    tags: tuple[str, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict)  # logicalTypeOptions
    allowed_values: tuple[object, ...] = ()  # enum, since v3.2
    quality: tuple[QualityRule, ...] = ()
    notes: tuple[Note, ...] = ()  # found while loading: parts of the property that are not enforced
    is_column: bool = True  # False for a measure of the semantic layer, which no table holds
    file: str = ""
    line: int = 1
    column_number: int = 1
    path: str = ""
    id: str | None = None
    properties: tuple[Property, ...] = ()  # of an object
    items: Property | None = None  # of an array
    map_key: Property | None = None
    map_value: Property | None = None
    custom: Mapping[str, object] = field(default_factory=dict)  # customProperties by name
    relationships: tuple[Relationship, ...] = ()

    @property
    def column(self) -> str:
        """The column's name in the table."""
        return self.physical_name or self.name

    @property
    def place(self) -> Place:
        return Place(self.file, self.line, self.column_number)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableContract:
    table: str  # core.orders; without a schema where neither the contract nor its file name says it
    description: str = ""
    properties: tuple[Property, ...] = ()
    quality: tuple[QualityRule, ...] = ()
    file: str = ""
    line: int = 1
    column_number: int = 1
    path: str = ""
    name: str = ""  # as the contract calls it
    id: str | None = None
    custom: Mapping[str, object] = field(default_factory=dict)
    relationships: tuple[Relationship, ...] = ()

    def get(self, column: str) -> Property | None:
        """The property of a column; names differ in case only."""
        return next((p for p in self.columns if p.column.lower() == column.lower()), None)

    @property
    def columns(self) -> tuple[Property, ...]:
        return tuple(p for p in self.properties if p.is_column)

    @property
    def place(self) -> Place:
        return Place(self.file, self.line, self.column_number)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contract:
    id: str
    version: str
    api_version: str
    name: str | None = None
    status: str | None = None
    domain: str | None = None
    owner: str | None = None
    file: str = ""
    tables: tuple[TableContract, ...] = ()
    tags: tuple[str, ...] = ()
    sla: tuple[SlaProperty, ...] = ()
    custom: Mapping[str, object] = field(default_factory=dict)
    document: Document | None = field(default=None, repr=False, compare=False)  # what it was read from

    @property
    def extends(self) -> tuple[str, ...]:
        """The contracts that it names as parents in `forge.extends`: ids, names or files beside it."""
        named = self.custom.get("forge.extends")
        return tuple(str(each) for each in named) if isinstance(named, list) else (str(named),) if named else ()


def pii_columns(contract: TableContract) -> frozenset[str]:
    """Columns that the contract calls personal, by classification (`pii`, `phi`) or by tag (`pii`, `pii:email`). One
    with such a field inside it is so as a whole."""
    return frozenset(p.column for p in contract.columns if _holds_personal(p))


def _holds_personal(of: Property) -> bool:
    if any(_is_personal(text) for text in (of.classification or "", *of.tags)):
        return True
    inside = (*of.properties, of.items, of.map_key, of.map_value)
    return any(_holds_personal(each) for each in inside if each is not None)


def _is_personal(text: str) -> bool:
    words = [word for word in re.split(r"[^a-z0-9]+", text.lower()) if word]
    return bool(_PERSONAL.intersection(words)) and not {"none", "no", "non", "not", "false"}.intersection(words)

"""A data contract of the Open Data Contract Standard (ODCS) v3, as frozen data."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from forge.model.classification import ClassificationLevel, strictest
from forge.model.record_json import record_json

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
class FilePlace:
    """File, line and column."""

    file: str
    line: int
    column: int = 1

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


ViolationSeverity = Literal["error", "warning", "info"]
WEAKER_THAN_PARENT, PARENT_NOT_FOUND, BREAKING_CHANGE = "E510", "E511", "E520"  # codes that callers distinguish


FindingSource = Literal["lint", "inheritance", "version", "drift", "policy"]
"""What found a violation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Violation:
    """A finding about a contract, or about a table bound by one."""

    code: str  # empty where a finding has none: a nullability difference
    severity: ViolationSeverity
    file: str
    line: int
    column: int
    path: str  # path inside the contract: schema[0].properties[2].logicalType
    message: str
    fix: str = ""

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    def to_dict(self) -> dict[str, object]:
        return {**record_json(self), "code": f"FORGE-{self.code}" if self.code else ""}


@dataclass(frozen=True, slots=True)
class QualityRule:
    """One entry of `quality`, as written. An `implementation` for Forge is already parsed."""

    rule: Mapping[str, object]
    place: FilePlace


@dataclass(frozen=True, slots=True)
class ContractRelationship:
    """One entry of `relationships`, as written; that of a property has no `from`."""

    written: Mapping[str, object]
    place: FilePlace


@dataclass(frozen=True, slots=True)
class Note:
    """A term of the contract that Forge does not enforce, and why."""

    place: FilePlace
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SlaProperty:
    """One entry of `slaProperties`, as written; `forge.contracts.sla` interprets it."""

    property: str
    value: object = None
    unit: str | None = None
    element: str | None = None
    driver: str | None = None
    id: str | None = None
    place: FilePlace = FilePlace("", 1)
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContractProperty:
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
    is_column: bool = True  # False for a measure of the semantic layer, which is in no table
    file: str = ""
    line: int = 1
    column_number: int = 1
    path: str = ""
    id: str | None = None
    properties: tuple[ContractProperty, ...] = ()  # of an object
    items: ContractProperty | None = None  # of an array
    map_key: ContractProperty | None = None
    map_value: ContractProperty | None = None
    custom: Mapping[str, object] = field(default_factory=dict)  # customProperties by name
    relationships: tuple[ContractRelationship, ...] = ()

    @property
    def column(self) -> str:
        """The column's name in the table."""
        return self.physical_name or self.name

    @property
    def place(self) -> FilePlace:
        return FilePlace(self.file, self.line, self.column_number)


@dataclass(frozen=True, slots=True, kw_only=True)
class TableContract:
    table: str  # core.orders; without a schema where neither the contract nor its file name has one
    description: str = ""
    properties: tuple[ContractProperty, ...] = ()
    quality: tuple[QualityRule, ...] = ()
    file: str = ""
    line: int = 1
    column_number: int = 1
    path: str = ""
    name: str = ""  # as the contract calls it
    id: str | None = None
    custom: Mapping[str, object] = field(default_factory=dict)
    relationships: tuple[ContractRelationship, ...] = ()

    @property
    def columns(self) -> tuple[ContractProperty, ...]:
        return tuple(p for p in self.properties if p.is_column)

    @property
    def place(self) -> FilePlace:
        return FilePlace(self.file, self.line, self.column_number)


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
        """Parents named in `forge.extends`: ids, names or files next to it."""
        named = self.custom.get("forge.extends")
        return tuple(str(each) for each in named) if isinstance(named, list) else (str(named),) if named else ()


def pii_columns(contract: TableContract) -> frozenset[str]:
    """Personal columns by classification (`pii`, `phi`) or tag (`pii`, `pii:email`). A column with such a nested field
    is personal as a whole."""
    return frozenset(p.column for p in contract.columns if _holds_personal(p))


def declared_level(contract: TableContract) -> ClassificationLevel | None:
    """The strictest that its columns and their fields are classified with. A public one says nothing of others."""
    words = {text for column in contract.columns for text in _classifications(column)}
    levels = (level for level in ClassificationLevel if level is not ClassificationLevel.PUBLIC)
    return strictest(level for level in levels if str(level) in words)


def _classifications(of: ContractProperty) -> Iterator[str]:
    if of.classification:
        yield of.classification.strip().lower()
    for each in (*of.properties, of.items, of.map_key, of.map_value):
        if each is not None:
            yield from _classifications(each)


def _holds_personal(of: ContractProperty) -> bool:
    if any(_is_personal(text) for text in (of.classification or "", *of.tags)):
        return True
    inside = (*of.properties, of.items, of.map_key, of.map_value)
    return any(_holds_personal(each) for each in inside if each is not None)


def _is_personal(text: str) -> bool:
    words = [word for word in re.split(r"[^a-z0-9]+", text.lower()) if word]
    return bool(_PERSONAL.intersection(words)) and not {"none", "no", "non", "not", "false"}.intersection(words)

"""Records of the source files that were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from forge.lineage.extract.definition import ColumnDefinition, ForeignKeyDefinition, TableDefinition


@dataclass(frozen=True, slots=True)
class SourceGap:
    """`code`: the source line."""

    line: int
    reason: str
    code: str = ""

    def to_dict(self) -> dict[str, object]:
        return {"line": self.line or None, "reason": self.reason, "code": self.code}


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceRecord:
    """One file. `root`: the ingested folder; `digest`: of the content; `uses`: definitions of the tables it refers
    to, so that a change of either triggers a new read."""

    root: str
    path: str
    language: str
    digest: str
    read_at: datetime
    seconds: float = 0.0
    statements: int = 0
    understood: int = 0
    queries: int = 0
    edges: int = 0
    gaps: tuple[SourceGap, ...] = ()
    definitions: tuple[TableDefinition, ...] = ()
    uses: Mapping[str, str] = field(default_factory=dict)

    @property
    def producer(self) -> str:
        return producer_of(self.root, self.path)

    @property
    def id(self) -> str:
        return file_id(self.root, self.path)

    @property
    def coverage(self) -> float:
        """The share of its statements that were understood whole; of a file without any, all."""
        return self.understood / self.statements if self.statements else 1.0

    def to_dict(self) -> dict[str, object]:
        return {
            "id": self.id,
            "root": self.root,
            "path": self.path,
            "language": self.language,
            "read_at": self.read_at.isoformat(),
            "seconds": self.seconds,
            "statements": self.statements,
            "understood": self.understood,
            "queries": self.queries,
            "coverage": self.coverage,
            "edges": self.edges,
            "gaps": [gap.to_dict() for gap in self.gaps],
        }


PRODUCER = "code:"  # of what was read out of a file


def file_id(root: str, path: str) -> str:
    return path if root in ("", ".") else f"{root.rstrip('/')}/{path}"


def producer_of(root: str, path: str) -> str:
    return PRODUCER + file_id(root, path)


class SourceStore(Protocol):
    def sources(self, root: str | None = None) -> tuple[SourceRecord, ...]:
        """By root and path."""

    def keep(self, records: Sequence[SourceRecord]) -> None:
        """In place of what was kept of the same files."""

    def forget(self, root: str, paths: Sequence[str]) -> None: ...


def definition_json(one: TableDefinition) -> dict[str, Any]:
    return {
        "name": one.name,
        "columns": [[column.name, column.type, column.nullable] for column in one.columns],
        "kind": one.kind,
        "file": one.file,
        "line": one.line,
        "primary_key": list(one.primary_key),
        "foreign_keys": [[list(key.columns), key.table, list(key.references)] for key in one.foreign_keys],
        "inferred": one.inferred,
    }


def definition_from(value: Mapping[str, Any]) -> TableDefinition:
    return TableDefinition(
        name=value["name"],
        columns=tuple(ColumnDefinition(name, type_, nullable) for name, type_, nullable in value["columns"]),
        kind=value["kind"],
        file=value["file"],
        line=value["line"],
        primary_key=tuple(value["primary_key"]),
        foreign_keys=tuple(
            ForeignKeyDefinition(tuple(own), table, tuple(theirs)) for own, table, theirs in value["foreign_keys"]
        ),
        inferred=value["inferred"],
    )

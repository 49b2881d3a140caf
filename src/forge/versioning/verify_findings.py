"""The findings of `verify`."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from forge.model.names import CommitId, TableName

BrokenKind = Literal[
    "commit",
    "tree",
    "branch",
    "tag",
    "signature",
    "ref",
    "metadata",
    "table tree",
    "table",
    "partition spec",
    "snapshot",
    "schema",
    "manifest",
    "manifest list",
    "view",
    "file",
    "entries",
    "rows",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokenObject:
    """An object that differs from what was committed."""

    kind: BrokenKind
    object: str  # its id, name or path
    where: str
    expected: str
    actual: str | None  # None: it is missing
    commit: CommitId | None = None  # the oldest that holds it
    table: TableName | None = None


@dataclass(slots=True)
class VerifyFindings:
    """At most `limit` of them, in order, without duplicates."""

    limit: int
    _found: dict[tuple[str, str], BrokenObject] = field(default_factory=dict)

    def add(self, broken: BrokenObject) -> None:
        if len(self._found) < self.limit:
            self._found.setdefault((broken.kind, broken.object), broken)

    def found(self) -> tuple[BrokenObject, ...]:
        return tuple(self._found.values())

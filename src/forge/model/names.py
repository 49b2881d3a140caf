"""Names as distinct types, so that swapped arguments do not type-check."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NewType

from forge.model.errors import ForgeError

BranchName = NewType("BranchName", str)
CommitId = NewType("CommitId", str)
RunId = NewType("RunId", str)
SnapshotId = NewType("SnapshotId", int)

_PART = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True, order=True)
class TableName:
    """`schema.table`: the name of a table for users, transforms and records."""

    schema: str
    name: str

    @classmethod
    def parse(cls, text: str) -> TableName:
        parts = text.strip().split(".")
        if len(parts) != 2 or not all(_PART.fullmatch(part) for part in parts):
            raise ForgeError(
                "E101",
                f"'{text}' is not a table name",
                why="A table is named schema.table, with letters, digits and underscores.",
                fix="Write it like core.orders.",
            )
        return cls(parts[0].lower(), parts[1].lower())

    def __str__(self) -> str:
        return f"{self.schema}.{self.name}"


def find_table_names(texts: Iterable[str]) -> frozenset[TableName]:
    """Those of the texts that name a table."""
    found = set()
    for text in texts:
        try:
            found.add(TableName.parse(text))
        except ForgeError:
            continue
    return frozenset(found)


@dataclass(frozen=True, slots=True, order=True)
class ColumnName:
    """`schema.table.column`, or a column of something outside the lake (`table` is then its own name). `field`: a
    part of a struct, `city` or `home.city`; empty for the whole column."""

    table: str
    column: str
    field: str = ""

    def __str__(self) -> str:
        return f"{self.table}.{self.column}.{self.field}" if self.field else f"{self.table}.{self.column}"


@dataclass(frozen=True, slots=True, order=True)
class CatalogName:
    """The name of a table's row in the Iceberg catalog. Differs from its table name while it is staged or exists on
    a branch only."""

    namespace: str
    name: str

    def __str__(self) -> str:
        return f"{self.namespace}.{self.name}"

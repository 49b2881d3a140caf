"""A small real connector, on sqlite3: what flows and faces of sources need of one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from forge.federation.relation import RelationName, SourceColumn, SourceRelation
from forge.federation.source import Source
from forge.model.errors import ForgeError
from forge.model.types import parse_type
from forge.wiring.federation import FederationParts

_TYPES = {"INTEGER": "bigint", "REAL": "double"}


class SqliteSource:
    def __init__(self, source: Source, root: Path, secret: Callable[[str], str]) -> None:
        self._source = source
        self._file = root / source.path
        for reference in (source.user, source.password):
            if reference:
                secret(reference)

    def _rows(self, sql: str, *values: object) -> list[tuple[Any, ...]]:
        if not self._file.is_file():
            raise ForgeError("E308", f"The source {self._source.name} cannot be reached", why="There is no such file.")
        with closing(sqlite3.connect(self._file)) as connection:
            return connection.execute(sql, values).fetchall()

    def test(self) -> str:
        ((version,),) = self._rows("SELECT sqlite_version()")
        return f"SQLite {version}"

    def relations(self) -> tuple[RelationName, ...]:
        names = self._rows("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
        return tuple(RelationName(self._source.name, ("main", name)) for (name,) in names)

    def describe(self, path: tuple[str, ...]) -> SourceRelation | None:
        columns = self._rows("SELECT name, type, [notnull] FROM pragma_table_info(?)", path[-1])
        if not columns:
            return None
        name = RelationName(self._source.name, ("main", path[-1]))
        return SourceRelation(
            name,
            tuple(
                SourceColumn(
                    column, parse_type(_TYPES.get(type_, "string")), nullable=not required, native=type_.lower()
                )
                for column, type_, required in columns
            ),
        )

    def read(self, asked: object, schema: object, batch_rows: int = 65_536) -> Any:
        raise NotImplementedError

    def cancel(self) -> None: ...
    def close(self) -> None: ...


def lay_shop(file: Path) -> Path:
    """Two tables; `alter` changes them."""
    file.parent.mkdir(parents=True, exist_ok=True)
    alter(
        file,
        "CREATE TABLE customers (id INTEGER NOT NULL, email TEXT, city TEXT)",
        "CREATE TABLE orders (id INTEGER NOT NULL, amount REAL)",
        "INSERT INTO customers VALUES (1, 'ada@example.com', 'London')",
    )
    return file


def alter(file: Path, *statements: str) -> None:
    with closing(sqlite3.connect(file)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def open_with_sqlite(patch: pytest.MonkeyPatch) -> None:
    """All sources are opened by this connector."""
    from forge.model.secret import resolve_secret

    def opened(parts: FederationParts, source: Source) -> SqliteSource:
        environ = parts.wiring.environ
        return SqliteSource(source, parts.wiring.root, lambda reference: resolve_secret(reference, environ))

    patch.setattr(FederationParts, "_open", opened)

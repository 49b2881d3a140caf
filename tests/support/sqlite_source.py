"""A small shop in a file of SQLite, as any source: what flows and faces of sources need of one."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from forge.federation.source import ConnectorKind, Source, sqlite_url
from forge.flows.federation.ports import SourceConnector
from forge.stores.connectors import open_connector
from forge.wiring.federation import FederationParts


def open_sqlite(source: Source, root: Path, secret: Callable[[str], str]) -> SourceConnector:
    """Any source as a file of SQLite; its secrets are looked up as those of its own kind would be."""
    for reference in (source.user, source.password):
        if reference:
            secret(reference)
    path = source.path or "data/till.db"
    as_file = replace(
        source, connector=ConnectorKind.SQLITE, path=path, url=sqlite_url(path), schema="", user=None, password=None
    )
    return open_connector(as_file, root, secret)


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
    """Sources of servers, too, are files of SQLite."""
    from forge.model.secret import resolve_secret

    def opened(parts: FederationParts, source: Source) -> SourceConnector:
        environ = parts.wiring.environ
        return open_sqlite(source, parts.wiring.root, lambda reference: resolve_secret(reference, environ))

    patch.setattr(FederationParts, "_open", opened)

"""Statements that SQLAlchemy compiled for one SQLite database serve all others of the process.

Each test has a database of its own, and an engine caches for itself: a sixth of the time of tests on a database went
into compiling the same statements again."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection, Engine, event
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache


def share_statements() -> None:
    compiled: LRUCache[Any, Any] = LRUCache(3000)
    # The dialect is a part of the cache's key, and all of this class say the same.
    dialect: Any = SQLiteDialect_pysqlite
    dialect.__eq__ = lambda self, other: type(self) is type(other)
    dialect.__hash__ = lambda self: hash(type(self))

    @event.listens_for(Engine, "engine_connect")
    def connected(connection: Connection) -> None:
        if isinstance(connection.dialect, SQLiteDialect_pysqlite):
            connection.execution_options(compiled_cache=compiled)

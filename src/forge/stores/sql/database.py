"""The database: SQLite or PostgreSQL, opened, migrated, with translated errors."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError

from forge.flows.upkeep.private_files import private_file
from forge.model.errors import DatabaseUnreachableError, DatabaseVersionError, ForgeError
from forge.stores.sql.failures import safe_url as safe_url
from forge.stores.sql.failures import translated, unreachable
from forge.stores.sql.migrations import REVISIONS, VERSION_TABLE

BUSY_SECONDS: float = 30
# Connections: the server has 40 threads, and writers that wait for the database must not keep readers out.
_KEPT, _MORE = 10, 40
_LOCK = 0x464F524745  # "FORGE": the advisory lock that lets one process migrate a PostgreSQL database


def open_database(url: str, *, synced: bool = True) -> Engine:
    """The engine, after a successful connection. Not `synced`: SQLite transactions do not wait for the disk, to
    measure the cost of that."""
    parsed = parse_url(url)
    engine = _sqlite(parsed, synced=synced) if parsed.get_backend_name() == "sqlite" else _postgres(parsed)
    with reading(engine) as connection:
        connection.execute(text("SELECT 1"))
    return engine


def parse_url(url: str) -> URL:
    try:
        parsed = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise ForgeError(
            "E105",
            "The database URL cannot be read",
            why="It is not of the form scheme://user@host/name.",
            fix="Write database: sqlite, or postgresql+psycopg://user@host/name.",
        ) from error
    if parsed.get_backend_name() not in ("sqlite", "postgresql"):
        raise ForgeError(
            "E105",
            f"Forge cannot keep its records in {parsed.get_backend_name()}",
            why="SQLite and PostgreSQL are supported.",
            fix="Write database: sqlite, or postgresql+psycopg://user@host/name.",
        )
    return parsed


def _sqlite(url: URL, *, synced: bool) -> Engine:
    if url.database and url.database != ":memory:":
        try:
            if not url.database.startswith("file:"):
                private_file(Path(url.database))
        except OSError as error:
            raise unreachable(url, error) from error
    engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS}, **_pool(url))

    @event.listens_for(engine, "connect")
    def connect(connection: sqlite3.Connection, record: object) -> None:
        # SQLAlchemy's recipe: the driver must not begin transactions by itself, or BEGIN IMMEDIATE comes too late.
        connection.isolation_level = None
        connection.execute(f"PRAGMA busy_timeout={int(BUSY_SECONDS * 1000)}")
        _use_wal(connection)
        connection.execute("PRAGMA synchronous=NORMAL")
        connection.execute("PRAGMA foreign_keys=ON")

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        # A writer that begins as a reader cannot wait for another writer: SQLite refuses it at once.
        options = connection.get_execution_options()
        write = options.get("forge_write", False)
        if write:
            # NORMAL: a power cut may undo the last transactions, whole ones. FULL: none that has been committed.
            level = "FULL" if synced and options.get("forge_durable") else "NORMAL"
            connection.exec_driver_sql(f"PRAGMA synchronous={level}")
        connection.exec_driver_sql("BEGIN IMMEDIATE" if write else "BEGIN")

    return engine


def _pool(url: URL) -> dict[str, int]:
    """A database in memory is one connection, without a pool to size."""
    return {"pool_size": _KEPT, "max_overflow": _MORE} if url.database not in (None, "", ":memory:") else {}


def _use_wal(connection: sqlite3.Connection) -> None:
    """The switch to WAL does not wait for other processes, so it is retried."""
    deadline = time.monotonic() + BUSY_SECONDS
    while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        try:
            if connection.execute("PRAGMA journal_mode=WAL").fetchone()[0] in ("wal", "memory"):
                return
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _postgres(url: URL) -> Engine:
    url = url.set(drivername="postgresql+psycopg")
    arguments: dict[str, Any] = {
        "connect_timeout": 10,
        "options": f"-c lock_timeout={BUSY_SECONDS}s -c timezone=UTC {url.query.get('options', '')}".strip(),
    }
    try:
        return create_engine(url, connect_args=arguments, pool_pre_ping=True, pool_size=_KEPT, max_overflow=_MORE)
    except ModuleNotFoundError as error:
        raise DatabaseUnreachableError(
            "PostgreSQL needs a driver that is not installed",
            why=f"The module {error.name} is missing.",
            fix="pip install 'forge[postgres]'",
        ) from error


@contextmanager
def reading(engine: Engine) -> Iterator[Connection]:
    with _translated_errors(engine), engine.connect() as connection:
        yield connection


@contextmanager
def writing(engine: Engine, *, durable: bool = False) -> Iterator[Connection]:
    """One write transaction: committed at the end, rolled back on any exception. `durable`: it is on disk when it
    ends, as always in PostgreSQL."""
    options = engine.execution_options(forge_write=True, forge_durable=durable)
    with _translated_errors(engine), options.begin() as connection:
        yield connection


@contextmanager
def _translated_errors(engine: Engine) -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        raise translated(engine.url, error, BUSY_SECONDS) from error


def migrate(engine: Engine) -> None:
    """Migrate the database to the newest revision. One SELECT where it is up to date."""
    if is_migrated(engine):
        return
    with writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        _upgrade(connection)


def is_migrated(engine: Engine) -> bool:
    """Whether the database is reachable and at the newest revision."""
    return _revision(engine) == REVISIONS[-1]


def _revision(engine: Engine) -> str | None:
    try:
        with engine.connect() as connection:
            row = connection.execute(text(f"SELECT version_num FROM {VERSION_TABLE}")).first()  # noqa: S608, a constant
    except DBAPIError as error:
        if "no such table" in str(error.orig) or getattr(error.orig, "sqlstate", None) == "42P01":
            return None
        raise translated(engine.url, error, BUSY_SECONDS) from error
    revision = None if row is None else str(row[0])
    if revision is not None and revision not in REVISIONS:
        raise DatabaseVersionError(
            "The database was written by a newer version of Forge",
            where=safe_url(engine.url),
            why=f"It is at migration {revision}; this Forge knows {REVISIONS[-1]} and older.",
            fix="pip install --upgrade forge",
        )
    return revision


def _upgrade(connection: Connection) -> None:
    """Alembic reads the version again under the lock, so that the second of two processes has nothing to do."""
    from alembic import command
    from alembic.config import Config

    config = Config()
    folder = Path(__file__).parent / "migrations"
    config.set_main_option("script_location", str(folder).replace("%", "%%"))
    config.set_main_option("path_separator", "os")
    config.attributes["connection"] = connection
    command.upgrade(config, "head")

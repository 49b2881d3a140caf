"""Databases that queries read as sources: a real server or file of each kind, with what differs between them."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from mariadb_server import PASSWORD, USER, MariadbServer

from forge.federation.plan import SourceQuery
from forge.federation.source import ConnectorKind, Source
from forge.flows.federation.ports import SourceConnector
from forge.stores.connectors import open_connector
from forge.versioning.arrow_types import arrow_type

SECRETS = {"env:USER": USER, "env:PASSWORD": PASSWORD, "env:WRONG": "not-the-secret-7f3a", "env:PG": "postgres"}


@dataclass(frozen=True)
class SourceWorld:
    kind: str
    source: Source
    root: Path
    execute: Callable[[str], None]  # as who may write
    mark: Callable[[int], str]  # the placeholder of the nth value
    schema: str  # of tables that name none; empty: the kind has no schemas
    endless: str  # a query that gives rows for as long as one asks
    stuck: str  # a query that thinks for a long time before its first row
    many: str  # 500,000 rows of 400 letters
    running: Callable[[], int]  # how many of these run in the server now

    def open(self, **changed: Any) -> SourceConnector:
        return open_connector(replace(self.source, **changed), self.root, SECRETS.__getitem__)

    def path(self, table: str) -> tuple[str, ...]:
        return (self.schema, table) if self.schema else (table,)

    def quoted(self, *names: str) -> str:
        sign = "`" if self.kind == "mysql" else '"'
        return ".".join(sign + name.replace(sign, sign * 2) + sign for name in names)

    def named(self, table: str) -> str:
        """As it stands in a query."""
        return self.quoted(*self.path(table))

    def select(self, connector: SourceConnector, table: str, *columns: str) -> pa.Table:
        """All rows, asked for as the planner would."""
        relation = connector.describe(self.path(table))
        assert relation is not None
        wanted = [one for one in relation.columns if not columns or one.name in columns]
        names = ", ".join(f"t.{self.quoted(one.name)}" for one in wanted)
        schema = pa.schema([(one.name, arrow_type(one.type)) for one in wanted])
        text = f"SELECT {names} FROM {self.named(table)} AS t"
        return connector.read(SourceQuery(text.replace("%", "%%") if self.kind == "mysql" else text), schema).read_all()


def sqlite_world(folder: Path) -> SourceWorld:
    file = folder / "shop ü%20#.db"  # signs that mean something in an address

    def execute(text: str) -> None:
        with closing(sqlite3.connect(file)) as connection:
            connection.executescript(text)

    execute("PRAGMA journal_mode = WAL")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    return SourceWorld(
        "sqlite",
        Source("shop", ConnectorKind.SQLITE, url=f"sqlite:{file.name}"),
        folder,
        execute,
        lambda number: "?",
        "",
        endless,
        f"SELECT i FROM ({endless}) WHERE i < 0",
        f"SELECT i, printf('%.400c', 'x') AS s FROM ({endless} LIMIT 500000)",
        lambda: 0,
    )


def postgres_world(url: str, folder: Path) -> SourceWorld:
    import psycopg

    plain = url.replace("+psycopg", "")

    def execute(text: str) -> None:
        with psycopg.connect(plain, autocommit=True) as connection:
            connection.execute(text)

    def running() -> int:
        with psycopg.connect(plain) as connection:
            found = connection.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND application_name = 'forge'"
                " AND datname = current_database()"
            ).fetchone()
        return int(found[0]) if found else 0

    return SourceWorld(
        "postgresql",
        Source("shop", ConnectorKind.POSTGRESQL, url=plain.replace("postgres@", ""), user="env:PG"),
        folder,
        execute,
        lambda number: f"${number}",
        "public",
        "SELECT generate_series(1, 2000000000)::bigint AS i",
        "SELECT 1::bigint AS i FROM pg_sleep(600)",
        "SELECT generate_series(1, 500000)::bigint AS i, repeat('x', 400) AS s",
        running,
    )


def mariadb_world(server: MariadbServer, database: str, folder: Path) -> SourceWorld:
    with server.connect() as connection, connection.cursor() as cursor:
        cursor.execute(f"CREATE DATABASE {database} CHARACTER SET utf8mb4")

    def execute(text: str) -> None:
        with server.connect(database) as connection, connection.cursor() as cursor:
            for statement in text.split(";\n"):
                cursor.execute(statement)

    def running() -> int:
        with server.connect() as connection, connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM information_schema.processlist WHERE user = %s AND command = 'Query' AND db = %s",
                (USER, database),
            )
            return int(cursor.fetchone()[0])

    return SourceWorld(
        "mysql",
        Source(
            "shop",
            ConnectorKind.MYSQL,
            url=f"mariadb://127.0.0.1:{server.port}/{database}",
            user="env:USER",
            password="env:PASSWORD",
        ),
        folder,
        execute,
        lambda number: "%s",
        database,
        "SELECT CAST(seq AS SIGNED) AS i FROM seq_1_to_2000000000",
        "SELECT CAST(sleep(600) AS SIGNED) AS i",
        "SELECT CAST(seq AS SIGNED) AS i, repeat('x', 400) AS s FROM seq_1_to_500000",
        running,
    )


def rows_of(table: pa.Table) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = table.to_pylist()
    return found

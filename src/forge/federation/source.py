"""A source: a database or a folder of files that queries can read beside the tables of the lake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum

LAKE = "lake"  # the source of the lake's own tables, which nobody declares


class ConnectorKind(StrEnum):
    POSTGRESQL = "postgresql"
    MYSQL = "mysql"  # MariaDB, too
    SQLITE = "sqlite"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Source:
    """`url` has no user and no password: these are references (`env:NAME`, `file:/path`), resolved when the source is
    opened. `readers`: the users who may read it; none named: everyone who may read the lake. `hidden`: columns that
    read as NULL, as `table.column` or `schema.table.column`, in small letters."""

    name: str
    connector: ConnectorKind
    _: KW_ONLY
    url: str = ""
    path: str = ""  # of files: a file, a folder or a pattern, relative to the project
    format: str = ""  # of files: csv, json or parquet
    columns: Mapping[str, str] = field(default_factory=dict)  # of csv and json files: name → type
    schema: str = ""  # where `name.table` is looked for; the connector has its own default
    user: str | None = None
    password: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    readers: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    description: str = ""
    file: str = ""  # where it is declared; empty: it was created by a command or over HTTP
    line: int = 0

"""A source: a database, a folder of files or an API that queries can read beside the tables of the lake."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import datetime
from enum import StrEnum

from forge.federation.credentials import Credential
from forge.federation.policy import ColumnMask, RowFilter
from forge.federation.rest import RestTable

LAKE = "lake"  # the source of the lake's own tables, which nobody declares
VIRTUAL = "virtual"  # before the names of virtual tables; no source has it


class ConnectorKind(StrEnum):
    POSTGRESQL = "postgresql"
    MYSQL = "mysql"  # MariaDB, too
    SQLITE = "sqlite"
    FILES = "files"
    DELTA = "delta"  # a table of Delta Lake, or a folder of them
    REST = "rest"  # an API that answers GET with JSON
    JDBC = "jdbc"  # any other database, by its JDBC driver

    @property
    def needs_spark(self) -> bool:
        """Whether nothing else reads it."""
        return self is ConnectorKind.JDBC


class SourceOrigin(StrEnum):
    """Where a source was created; there alone it is changed."""

    FILE = "file"
    COMMAND = "command"
    HTTP = "http"


@dataclass(frozen=True, slots=True)
class Source:
    """`url` has no user and no password: these are references (`env:NAME`, `file:/path`), resolved when the source is
    opened. `readers`: the users who may read it; none named: everyone who may read the lake. `hidden`: columns that
    read as NULL, as `table.column` or `schema.table.column`, in small letters. `masks` and `rows`: what of it is for
    whom."""

    name: str
    connector: ConnectorKind
    _: KW_ONLY
    url: str = ""
    path: str = ""  # of files: a file, a folder or a pattern, relative to the project or s3a://; of others one place
    format: str = ""  # of files: csv, json or parquet
    columns: Mapping[str, str] = field(default_factory=dict)  # of csv and json files: name → type
    tables: Mapping[str, RestTable] = field(default_factory=dict)  # of an API, by name
    schema: str = ""  # where `name.table` is looked for; the connector has its own default
    user: str | None = None
    password: str | None = None
    options: Mapping[str, str] = field(default_factory=dict)
    credentials: tuple[Credential, ...] = ()  # of users and roles; where there are any, queries take no others
    readers: tuple[str, ...] = ()
    hidden: frozenset[str] = frozenset()
    masks: tuple[ColumnMask, ...] = ()
    rows: tuple[RowFilter, ...] = ()
    description: str = ""
    cache_ttl_seconds: int = 0  # how old kept results may be where the source cannot tell whether it has changed
    origin: SourceOrigin = SourceOrigin.FILE
    file: str = ""  # where it is declared; empty: it was created by a command or over HTTP
    line: int = 0

    @property
    def where(self) -> str | None:
        """`file:line` of its declaration."""
        return f"{self.file}:{self.line}" if self.file else None

    @property
    def has_rules(self) -> bool:
        """Whether anything of it is kept back from anybody who may read it."""
        return bool(self.hidden or self.masks or self.rows)

    @property
    def keys(self) -> dict[str, object]:
        """What was declared, by the keys of a file."""
        every: dict[str, object] = {
            "name": self.name,
            "connector": self.connector.value,
            "url": self.url,
            "path": self.path,
            "format": self.format,
            "columns": dict(self.columns),
            "tables": {name: table.to_dict() for name, table in self.tables.items()},
            "schema": self.schema,
            "user": self.user,
            "password": self.password,
            "options": dict(self.options),
            "credentials": {one.who: one.to_dict() for one in self.credentials},
            "readers": list(self.readers),
            "hidden": sorted(self.hidden),
            "masks": [one.to_dict() for one in self.masks],
            "rows": [one.to_dict() for one in self.rows],
            "description": self.description,
            "cache_ttl_seconds": self.cache_ttl_seconds,
        }
        if self.connector is ConnectorKind.SQLITE:
            del every["url"]  # it is made of the path
        return {key: value for key, value in every.items() if value}


def sqlite_url(path: str) -> str:
    return f"jdbc:sqlite:{path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DeclaredSource:
    """A source with its history. `version` counts its changes; of one in a file it is 0."""

    source: Source
    version: int = 0
    created_at: datetime | None = None
    created_by: str = ""
    updated_at: datetime | None = None
    updated_by: str = ""

    @property
    def name(self) -> str:
        return self.source.name

    def to_dict(self) -> dict[str, object]:
        """`where`: the file and line of its declaration, if it is in one."""
        source = self.source
        return {
            "name": source.name,
            "connector": source.connector.value,
            "url": source.url,
            "path": source.path,
            "format": source.format,
            "columns": dict(source.columns),
            "tables": {name: table.to_dict() for name, table in source.tables.items()},
            "schema": source.schema,
            "user": source.user,
            "password": source.password,
            "options": dict(source.options),
            "readers": list(source.readers),
            "hidden": sorted(source.hidden),
            "masks": [one.to_dict() for one in source.masks],
            "rows": [one.to_dict() for one in source.rows],
            "description": source.description,
            "cache_ttl_seconds": source.cache_ttl_seconds,
            "origin": source.origin.value,
            "where": source.where,
            "version": self.version,
            "created_at": self.created_at.isoformat() if self.created_at else None,
            "created_by": self.created_by,
            "updated_at": self.updated_at.isoformat() if self.updated_at else None,
            "updated_by": self.updated_by,
        }

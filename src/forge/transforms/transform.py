"""A transform: how one table is made from others. A source is a transform whose input is outside the lake."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, field
from enum import StrEnum
from typing import Any, Literal

from forge.model.names import TableName


class TransformKind(StrEnum):
    FULL = "full"
    APPEND = "append"
    BY_TIME_RANGE = "incremental_by_time_range"
    BY_UNIQUE_KEY = "incremental_by_unique_key"
    VIEW = "view"


@dataclass(frozen=True, slots=True)
class InputRef:
    """One place where a table is read. Lines and columns count from 1."""

    table: TableName
    line: int
    column: int = 1


@dataclass(frozen=True, slots=True)
class SqlQuery:
    """The text of the file; the header comment is part of it, so that line numbers are the file's."""

    text: str
    parameters: tuple[str, ...] = ()  # names of the :parameters it uses
    of_project: bool = True  # False: it was given from outside, and is judged before it runs


@dataclass(frozen=True, slots=True)
class PythonFunction:
    function: Callable[..., Any]
    arguments: Mapping[str, TableName]  # argument name → input
    wants_context: bool


@dataclass(frozen=True, slots=True)
class FileSource:
    format: Literal["csv", "json", "parquet"]
    path: str  # absolute or relative to the project; may hold globs
    columns: Mapping[str, str] = field(default_factory=dict)  # name → Spark type
    options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JdbcSource:
    url: str
    table: str | None = None
    query: str | None = None
    user: str | None = None  # a secret reference, env: or file:
    password: str | None = None  # a secret reference
    options: Mapping[str, str] = field(default_factory=dict)
    _: KW_ONLY
    source: str = ""  # the declared source whose connection it is; its url is empty until that is known


@dataclass(frozen=True, slots=True)
class ConnectorSource:
    """A table of a declared source, as its connector reads it: of a database, of Delta Lake, or an endpoint of an API.
    `declared`: the
    source, by the keys of its file."""

    source: str
    declared: Mapping[str, object]
    table: str | None = None  # None: the source is the table
    columns: Mapping[str, str] = field(default_factory=dict)  # name → Spark type, where they are declared

    @property
    def name(self) -> str:
        return f"{self.source}.{self.table}" if self.table else self.source


Body = SqlQuery | PythonFunction | FileSource | JdbcSource | ConnectorSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Transform:
    output: TableName
    body: Body
    file: str  # relative to the project, with forward slashes
    line: int
    code_hash: str  # changes when the code or an option that matters for the data changes
    kind: TransformKind = TransformKind.FULL
    inputs: tuple[TableName, ...] = ()
    unique_key: tuple[str, ...] = ()
    time_column: str | None = None
    partitioned_by: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    owner: str | None = None
    description: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)  # column → description
    checks: tuple[Mapping[str, object], ...] = ()  # as written; forge.quality reads them
    check_lines: tuple[int, ...] = ()  # of each check, for messages about it
    references: tuple[InputRef, ...] = ()  # where each input is named, for messages about it

    @property
    def where(self) -> str:
        return f"{self.file}:{self.line}"

    def line_of_input(self, table: TableName) -> int:
        return next((reference.line for reference in self.references if reference.table == table), self.line)

    @property
    def is_source(self) -> bool:
        return isinstance(self.body, FileSource | JdbcSource | ConnectorSource)

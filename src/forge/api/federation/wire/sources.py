"""Wire models of declared sources."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StrictInt

from forge.api.wire import ErrorView, Name, Page, Text, Wire
from forge.federation.policy_keys import MOST_RULES
from forge.federation.rest_keys import MOST_TABLES
from forge.federation.source_keys import MOST, MOST_CACHED_SECONDS

ConnectorWord = Literal["postgresql", "mysql", "sqlite", "files", "delta", "rest", "jdbc"]
FileFormatWord = Literal["csv", "json", "parquet"]
_Seconds = Annotated[StrictInt, Field(ge=0, le=MOST_CACHED_SECONDS)]
_Line = Annotated[str, Field(max_length=1000)]
_Columns = Annotated[dict[Name, Name], Field(max_length=5000)]
_Parameters = Annotated[dict[Name, _Line], Field(max_length=MOST)]
_Options = Annotated[dict[Name, _Line], Field(max_length=MOST)]
_Readers = Annotated[list[Name], Field(max_length=MOST)]
_Hidden = Annotated[list[Name], Field(max_length=5 * MOST)]
_Names = Annotated[list[Name], Field(max_length=200)]
MaskWord = Literal["null", "hash", "partial", "year"]


class MaskRule(Wire):
    """What is read instead of the values of a column: by the users and roles of `for`, by all but those of `except`, or
    by everyone. `column`: table.column, or schema.table.column."""

    column: Name
    as_: MaskWord = Field(alias="as")
    for_: _Names | None = Field(default=None, alias="for")
    except_: _Names | None = Field(default=None, alias="except")


class RowRule(Wire):
    """Which rows of a table are read, likewise: those of which `filter`, a condition on its columns, is true."""

    table: Name
    filter: Annotated[str, Field(max_length=4_000, examples=["region = 'EU'"])]
    for_: _Names | None = Field(default=None, alias="for")
    except_: _Names | None = Field(default=None, alias="except")


_Masks = Annotated[list[MaskRule], Field(max_length=MOST_RULES)]
_Rows = Annotated[list[RowRule], Field(max_length=MOST_RULES)]


class RestPagingView(Wire):
    """`parameter` says which page, `size_parameter` how many records it has. `next`: where the answer has the next
    cursor or link; a link without it is in the header Link. `first`: the number of the first page."""

    type: Literal["none", "page", "offset", "cursor", "link"] = "none"
    parameter: _Line | None = None
    size_parameter: _Line | None = None
    size: StrictInt | None = Field(default=None, ge=0, le=1_000_000)
    first: StrictInt | None = Field(default=None, ge=0, le=1_000_000)
    next: _Line | None = None


class RestTableView(Wire):
    """An endpoint of an API. `records`: where the answer has the list. `fields`: where a record has a column, if not
    under its name. `parameters` are part of each request. `filters`: the parameter by which the API finds a value of
    a column."""

    path: _Line
    columns: _Columns
    records: _Line | None = None
    fields: _Columns | None = None
    parameters: _Parameters | None = None
    filters: _Parameters | None = None
    paging: RestPagingView | None = None


_Tables = Annotated[dict[Name, RestTableView], Field(max_length=MOST_TABLES)]


class DeclaredSourceView(Wire):
    """`id` is its name. `may_read`: whether the caller may. What leads to the source is null for a token that may only
    read. `where`: the file and line of its declaration. `cache_ttl_seconds`: how old kept results may be where the
    source cannot tell whether it has changed."""

    id: str
    name: str
    connector: ConnectorWord
    description: str
    cache_ttl_seconds: int
    origin: Literal["file", "command", "http"]
    may_read: bool
    where: str | None
    version: int
    created_at: datetime | None
    created_by: str
    updated_at: datetime | None
    updated_by: str
    url: str | None
    path: str | None
    format: str | None
    columns: dict[str, str] | None
    tables: dict[str, RestTableView] | None
    schema_: str | None = Field(alias="schema")
    user: str | None
    password: str | None
    options: dict[str, str] | None
    readers: list[str] | None
    hidden: list[str] | None
    masks: list[MaskRule] | None
    rows: list[RowRule] | None


class DeclaredSourceList(Page[DeclaredSourceView]):
    """`errors`: what is wrong with sources of files, and names that are taken; for who may write."""

    errors: list[ErrorView] = []


class SourceUserView(Wire):
    """`name`: of a virtual table, the table that a load writes, or a saved query, whose `id` it has. `through`: the
    virtual tables between it and the source."""

    kind: Literal["virtual_table", "load", "saved_query"]
    name: str
    id: str
    owner: str
    is_shared: bool
    through: list[str]
    where: str | None


class SourceCreate(Wire):
    """A source to be, by the keys of a file. `user` and `password` are references to environment variables that the
    operator allows: env:FORGE_SOURCE_CRM."""

    name: Name
    connector: ConnectorWord
    url: _Line | None = None
    path: _Line | None = None
    format: FileFormatWord | None = None
    columns: _Columns | None = None
    tables: _Tables | None = None
    schema_: Name | None = Field(default=None, alias="schema")
    user: Name | None = None
    password: Name | None = None
    options: _Options | None = None
    readers: _Readers | None = None
    hidden: _Hidden | None = None
    masks: _Masks | None = None
    rows: _Rows | None = None
    description: Text | None = None
    cache_ttl_seconds: _Seconds | None = None


class SourcePatch(Wire):
    """What is left out stays as it is; null takes it away. `expected_version`: that which was read; another one is
    refused (409)."""

    expected_version: StrictInt | None = Field(default=None, ge=0)
    connector: ConnectorWord | None = None
    url: _Line | None = None
    path: _Line | None = None
    format: FileFormatWord | None = None
    columns: _Columns | None = None
    tables: _Tables | None = None
    schema_: Name | None = Field(default=None, alias="schema")
    user: Name | None = None
    password: Name | None = None
    options: _Options | None = None
    readers: _Readers | None = None
    hidden: _Hidden | None = None
    masks: _Masks | None = None
    rows: _Rows | None = None
    description: Text | None = None
    cache_ttl_seconds: _Seconds | None = None


class SourceColumnView(Wire):
    """`native`: the type in the source's own words. `hidden`: it reads as NULL. `mask`: what is read instead of its
    values, by who asks."""

    name: str
    type: str
    native: str
    nullable: bool
    hidden: bool
    mask: MaskWord | None


class ColumnsQuestion(Wire):
    """Files that do not say their columns, as a source would name them."""

    path: _Line
    format: FileFormatWord | None = None
    options: _Options | None = None


class ProposedColumn(Wire):
    name: str
    type: str


class ProposedColumnsView(Wire):
    """By the first rows of `file`, in its order. `options`: those by which it was read."""

    file: str
    columns: list[ProposedColumn]
    options: dict[str, str]


class SourceTableView(Wire):
    """`table`: its path in the source. `rows` and `bytes` are estimates of the source."""

    table: str
    rows: int | None
    bytes: int | None
    key: list[str]
    columns: list[SourceColumnView]


class SourceChangeView(Wire):
    """`column` is null for a table that was added or removed. `before` and `after` are types."""

    table: str
    column: str | None
    change: Literal["added", "removed", "retyped"]
    before: str | None
    after: str | None


class SourceTestView(Wire):
    """`answered`: what did. `tables` and `changes` are null for who may not read the source."""

    source: str
    answered: str
    tables: int | None
    changes: list[SourceChangeView] | None


class SourceDriftView(Wire):
    """`seen_at` is null where nobody had looked at the source before."""

    source: str
    seen_at: datetime | None
    changes: list[SourceChangeView]

"""Wire models of virtual tables."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StrictBool, StrictInt

from forge.api.federation.wire.sources import SourceChangeView
from forge.api.versioning.wire.refs import SampleColumn
from forge.api.wire import ErrorView, Name, Page, Text, Wire
from forge.federation.source_keys import MOST

_Expression = Annotated[str, Field(max_length=4000)]
_Names = Annotated[list[Name], Field(max_length=5 * MOST)]


class VirtualSourceWire(Wire):
    """`connector_id`: a source, `lake`, or `virtual` for another virtual table. `column_mappings`: a name of the
    virtual table → the column of the source that it means."""

    alias: Name
    connector_id: Name
    table_name: Name = ""
    schema_name: Name = ""
    database_name: Name = ""
    column_mappings: Annotated[dict[Name, Name], Field(max_length=5000)] = {}


class VirtualColumnWire(Wire):
    """Either `source_column` (alias.column) or `expression`, which needs a `data_type`."""

    name: Name
    data_type: Annotated[str, Field(max_length=1000)] = ""
    source_column: Name = ""
    expression: _Expression = ""
    nullable: StrictBool = True


class JoinConditionWire(Wire):
    left: Name
    right: Name
    op: Literal["=", "<>", "<", "<=", ">", ">=", "<=>"] = "="


class VirtualJoinWire(Wire):
    left_alias: Name
    right_alias: Name
    join_type: Literal["inner", "left", "right", "full"] = "inner"
    conditions: Annotated[list[JoinConditionWire], Field(max_length=MOST)]


_Sources = Annotated[list[VirtualSourceWire], Field(min_length=1, max_length=20)]
_Columns = Annotated[list[VirtualColumnWire], Field(min_length=1, max_length=2000)]
_Joins = Annotated[list[VirtualJoinWire], Field(max_length=20)]
_Filters = Annotated[list[_Expression], Field(max_length=MOST)]
_Operations = Annotated[list[Literal["SELECT"]], Field(min_length=1, max_length=1)]
_Seconds = Annotated[int, Field(ge=0, le=366 * 86_400)]


class VirtualTableView(Wire):
    """`id` is its name; queries say virtual.name. `may_read`: whether the caller may read it and all its sources. What
    it is made of is null for who may not read it and may only read; so are readers and hidden columns for every token
    that may only read. `where`: the file and line of its declaration."""

    id: str
    name: str
    description: str
    sources: list[VirtualSourceWire] | None
    columns: list[VirtualColumnWire] | None
    joins: list[VirtualJoinWire] | None
    default_filters: list[str] | None
    cache_enabled: bool
    cache_ttl_seconds: int
    allowed_operations: list[Literal["SELECT"]]
    readers: list[str] | None
    hidden: list[str] | None
    origin: Literal["file", "command", "http"]
    may_read: bool
    where: str | None
    version: int
    created_at: datetime | None
    created_by: str
    updated_at: datetime | None
    updated_by: str


class VirtualTableDetail(VirtualTableView):
    """`sql`: the SELECT that it stands for; null where what it is made of is."""

    sql: str | None


class VirtualTableSql(Wire):
    """`types`: of columns of its result, as an answer to the query has them: for those that are computed and have no
    CAST."""

    sql: Annotated[str, Field(max_length=100_000, examples=["SELECT id, city FROM crm.customers"])]
    types: Annotated[dict[Name, Annotated[str, Field(max_length=1000)]], Field(max_length=2000)] = {}


class VirtualTableDraftView(Wire):
    """A virtual table but for its name."""

    sources: list[VirtualSourceWire]
    columns: list[VirtualColumnWire]
    joins: list[VirtualJoinWire]
    default_filters: list[str]


class VirtualTableList(Page[VirtualTableView]):
    """`errors`: what is wrong with files, and names that are taken; for who may write."""

    errors: list[ErrorView] = []


class VirtualTableCreate(Wire):
    """A virtual table to be, by the keys of a file."""

    name: Name
    description: Text = ""
    sources: _Sources
    columns: _Columns
    joins: _Joins = []
    default_filters: _Filters = []
    cache_enabled: StrictBool = True
    cache_ttl_seconds: _Seconds = 3600
    allowed_operations: _Operations = ["SELECT"]
    readers: _Names = []
    hidden: _Names = []


class VirtualTablePatch(Wire):
    """What is left out stays as it is; lists are replaced whole. `expected_version`: that which was read; another one
    is refused (409)."""

    expected_version: StrictInt | None = Field(default=None, ge=0)
    description: Text | None = None
    sources: _Sources | None = None
    columns: _Columns | None = None
    joins: _Joins | None = None
    default_filters: _Filters | None = None
    cache_enabled: StrictBool | None = None
    cache_ttl_seconds: _Seconds | None = None
    allowed_operations: _Operations | None = None
    readers: _Names | None = None
    hidden: _Names | None = None


class VirtualTableDriftView(Wire):
    """`seen_at` is null where nobody had looked at its sources before. `changes`: of the columns that it reads."""

    virtual_table: str
    seen_at: datetime | None
    changes: list[SourceChangeView]


class VirtualRowsView(Wire):
    """Values that JSON cannot hold exactly (decimals, times, binary) are texts. `commit`: of the tables of the lake;
    all pages are of it."""

    virtual_table: str
    commit: str | None
    columns: list[SampleColumn]
    items: list[dict[str, object]]
    next_cursor: str | None
    has_more: bool
    engine: Literal["in-process", "spark"]
    why: str

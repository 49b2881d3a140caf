"""Wire models of queries over the lake and the sources."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import Field, StrictBool, StrictFloat, StrictInt, StrictStr

from forge.api.wire import Name, Wire

EngineChoice = Literal["auto", "in-process", "spark"]
EngineWord = Literal["in-process", "spark"]
_Name = Annotated[str, Field(max_length=64, pattern=r"^[A-Za-z_][A-Za-z0-9_]*$")]
_Value = StrictBool | StrictInt | StrictFloat | Annotated[StrictStr, Field(max_length=10_000)] | None
QueryParameters = Annotated[dict[_Name, _Value], Field(max_length=100)]


class QueryQuestion(Wire):
    """A SELECT. `parameters` are values of :name, and never become SQL; a declared one may be a text of its type, and
    has its default. `at`: branch, tag, commit or time at which tables of the lake are read."""

    sql: Annotated[str, Field(max_length=100_000, examples=["SELECT * FROM core.orders WHERE amount > :least"])]
    parameters: QueryParameters = {}
    at: Name | None = None
    engine: EngineChoice = "auto"
    cache: bool = True  # false: no kept result is taken, and none is kept


RowForm = Literal["both", "rows", "items"]


class QueryOrder(QueryQuestion):
    """`explain`: the answer also has the plan. `form`: rows as lists of values, as objects by the names of their
    columns (`items`), or both; an Arrow stream has neither. `timeout`: seconds after which it is ended, in its sources
    too; `server.reads.seconds` ends it where that is less."""

    limit: Annotated[int, Field(ge=1, le=100_000)] = 1000
    timeout: Annotated[float, Field(gt=0, le=86_400, examples=[30])] | None = None
    explain: bool = False
    form: RowForm = "both"


class EngineView(Wire):
    name: EngineWord
    why: str


class ColumnSourceView(Wire):
    """`column`: as the lineage graph names it: crm.public.customers.email."""

    column: str
    transformation: str
    expression: str


class OutputLineageView(Wire):
    """A column of the result, and the columns that arrive in it."""

    column: str
    sources: list[ColumnSourceView]


class JoinedTableView(Wire):
    """`rows`: estimated; null where nobody knows, or not all of them are for who asks."""

    table: str
    rows: int | None


class JoinOrderView(Wire):
    """Tables as they are joined, where that is not the order of the text."""

    tables: list[JoinedTableView]
    why: str


class PlanView(Wire):
    """`nodes`: the tree, its root the result; `sources`: what each is asked; `decisions`: each part of the query,
    pushed or why not; `join_orders`: where joins are not computed in the order of the text. A text that Spark computes
    as it came has none of these."""

    executor: EngineView
    sql: str | None = None
    whole: bool | None = None  # one source computes all of it
    nodes: dict[str, Any] | None = None
    sources: list[dict[str, Any]]
    rest: str | None = None
    decisions: list[dict[str, Any]] = []
    join_orders: list[JoinOrderView] = []
    lineage: list[OutputLineageView] | None = None
    cache: str | None = None  # of an explanation: hit, miss, off, or not cacheable and why


class ResultColumn(Wire):
    """`masked`: a column of that name reads as null in what was asked."""

    name: str
    type: str
    masked: bool = False


class QueryResultView(Wire):
    """A value that JSON cannot hold exactly (decimals, times, binary) is a text. `rows_read`: out of each source,
    of a kept result of none. `cache`: hit, miss, off, or not cacheable and why. `kept_until`: the result is kept no
    longer; null: it is not kept."""

    columns: list[ResultColumn]
    rows: list[list[Any]] | None = None
    items: list[dict[str, Any]] | None = None  # the same rows, by the names of their columns
    truncated: bool  # more rows follow
    has_more: bool
    engine: EngineWord
    why: str
    rows_read: dict[str, int]
    ms: int
    cache: str
    kept_until: datetime | None = None
    plan: PlanView | None = None

"""Wire models of the query builder."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictBool

from forge.api.wire import Wire
from forge.federation.builder.query import Aggregate, Connective, JoinWord, Operator, ValueKind

MOST = 10_000  # of a list: more than a text of LONGEST letters can hold
LONGEST = 20_000
_Word = Annotated[str, Field(max_length=LONGEST)]


class BuilderText(Wire):
    sql: Annotated[
        str, Field(max_length=LONGEST, examples=["SELECT city, count(*) AS n FROM crm.customers GROUP BY city"])
    ]


class ComposedView(Wire):
    sql: str


class BuilderTerm(Wire):
    """A column, or an aggregate of it; `count` of all rows has no column. `table`: the alias, or the last part of the
    table's name; empty where the column alone says which."""

    column: _Word = ""
    table: _Word = ""
    aggregate: Aggregate | None = None


class BuilderPair(Wire):
    left: BuilderTerm
    right: BuilderTerm


class BuilderTable(Wire):
    """`join`: to the tables before it, on columns that are equal; the first has none."""

    path: Annotated[list[_Word], Field(min_length=1, max_length=3, examples=[["core", "orders"]])]
    alias: _Word = ""
    join: JoinWord | None = None
    on: Annotated[list[BuilderPair], Field(max_length=MOST)] = []


class BuilderOutput(Wire):
    term: BuilderTerm
    alias: _Word = ""


class BuilderValue(Wire):
    """As it is typed, without quotes; of a parameter its name."""

    kind: ValueKind
    text: Annotated[str, Field(max_length=LONGEST)]


class BuilderCondition(Wire):
    term: BuilderTerm
    operator: Operator
    values: Annotated[list[BuilderValue], Field(max_length=MOST)] = []


_Group = Annotated[list[BuilderCondition], Field(min_length=1, max_length=MOST)]


class BuilderFilter(Wire):
    """`connective` stands between the groups, the other one between the tests of a group."""

    connective: Connective = "and"
    groups: Annotated[list[_Group], Field(max_length=MOST)] = []


class BuilderOrder(Wire):
    """`term` may be the alias of a column of the result."""

    term: BuilderTerm
    descending: StrictBool = False


class BuilderQueryView(Wire):
    """`columns` empty: all of them."""

    tables: Annotated[list[BuilderTable], Field(min_length=1, max_length=MOST)]
    columns: Annotated[list[BuilderOutput], Field(max_length=MOST)] = []
    distinct: StrictBool = False
    where: BuilderFilter = BuilderFilter()
    group_by: Annotated[list[BuilderTerm], Field(max_length=MOST)] = []
    having: BuilderFilter = BuilderFilter()
    order_by: Annotated[list[BuilderOrder], Field(max_length=MOST)] = []
    limit: Annotated[int, Field(ge=0, lt=1_000_000_000)] | None = None


class NotShownView(Wire):
    """`where`: `query:2:8`, line and column."""

    what: str
    where: str | None


class QueryOutlineView(Wire):
    """Either `query` or `not_shown`. `has_comments`: they are not in the query, so a SQL made of it has none."""

    query: BuilderQueryView | None = None
    not_shown: NotShownView | None = None
    has_comments: bool = False

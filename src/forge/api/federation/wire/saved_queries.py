"""Wire models of saved queries."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, StrictBool, StrictInt

from forge.api.federation.wire.query import QueryParameters
from forge.api.wire import Name, Page, Text, Wire

_QueryName = Annotated[Name, Field(min_length=1, examples=["Orders by city"])]
_Sql = Annotated[str, Field(min_length=1, max_length=100_000, examples=["SELECT * FROM core.orders"])]


class SavedQueryView(Wire):
    """`is_own`: the caller saved it, and may change it. Who runs it asks with his own rights."""

    id: str
    name: str
    description: str
    sql: str
    parameters: QueryParameters
    at: str | None
    is_shared: bool
    owner: str
    is_own: bool
    version: int
    created_at: datetime
    updated_at: datetime


class SavedQueryList(Page[SavedQueryView]):
    pass


class SavedQueryCreate(Wire):
    """`name`: one of each owner. `is_shared`: whoever may query sees it, too."""

    name: _QueryName
    sql: _Sql
    description: Text = ""
    parameters: QueryParameters = {}
    at: Name | None = None
    is_shared: StrictBool = False


class SavedQueryPatch(Wire):
    """What is left out stays as it is. `expected_version`: that which was read; another one is refused (409)."""

    expected_version: StrictInt | None = Field(default=None, ge=1)
    name: _QueryName | None = None
    sql: _Sql | None = None
    description: Text | None = None
    parameters: QueryParameters | None = None
    at: Name | None = None
    is_shared: StrictBool | None = None

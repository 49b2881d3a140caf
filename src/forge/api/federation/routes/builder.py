"""/api/v1/federation/query/outline and /compose: SQL as the query builder shows it, and back. Nothing runs."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import TypeAdapter

from forge.api.auth import QUERIES, ThePrincipal
from forge.api.federation.wire.builder import (
    BuilderQueryView,
    BuilderText,
    ComposedView,
    NotShownView,
    QueryOutlineView,
)
from forge.federation.builder.compose import compose
from forge.federation.builder.outline import NotShown
from forge.federation.builder.query import BuilderQuery
from forge.flows.federation.builder import outline_text

router = APIRouter(prefix=QUERIES.rstrip("/"), tags=["federation queries"])
_QUERY = TypeAdapter(BuilderQuery)


@router.post("/outline")
def outline_query(body: BuilderText, caller: ThePrincipal) -> QueryOutlineView:
    """The tables, columns, filters and order of a SELECT, or the first part of it that a builder cannot show."""
    outline = outline_text(body.sql)
    if isinstance(outline.found, NotShown):
        return QueryOutlineView(not_shown=NotShownView(what=outline.found.what, where=outline.where))
    query = BuilderQueryView.model_validate(outline.found)
    return QueryOutlineView(query=query, has_comments=outline.has_comments)


@router.post("/compose")
def compose_query(body: BuilderQueryView, caller: ThePrincipal) -> ComposedView:
    """The SQL of a query of the builder. `outline` of it is the same query."""
    return ComposedView(sql=compose(_QUERY.validate_python(body.model_dump())))

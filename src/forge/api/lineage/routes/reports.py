"""/api/v1/lineage: statistics, order, ERD and diff of the graph, and impact analysis."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Query, Response

from forge.api.lineage.reports import (
    diff_view,
    erd_view,
    first_tables,
    impact_view,
    order_view,
    stats_view,
)
from forge.api.lineage.routes.graph import At, Confidence, Entity, Expressions, look_at
from forge.api.lineage.wire.reports import (
    MOST_AFFECTED,
    ColumnChange,
    ErdView,
    ImpactView,
    LineageDiffView,
    LineageStatsView,
    OrderView,
    SchemaChanges,
)
from forge.api.paging import AWindow
from forge.api.site import TheSite
from forge.api.versioning.paths import lineage_router
from forge.flows.lineage.erd import find_erd
from forge.flows.lineage.impact import report_impact, report_schema
from forge.lineage.impact.change import ProposedChange

router = lineage_router()

Revision = Annotated[
    str, Query(max_length=255, description="A time, a snapshot of the lineage, a branch, a tag, a commit or HEAD~2.")
]


@router.get("/diff")
def lineage_diff(
    site: TheSite,
    a: Revision,
    b: Revision = "HEAD",
    limit: Annotated[int, Query(ge=1, le=1000, description="How many of each kind of change at most.")] = 200,
    include_transformations: Expressions = True,
) -> LineageDiffView:
    """Nodes and edges that were added, removed and changed from `a` to `b`."""
    return diff_view(look_at(site, a), look_at(site, b), (a, b), limit, with_expressions=include_transformations)


@router.get("/stats")
def lineage_stats(site: TheSite, at: At = "HEAD") -> LineageStatsView:
    """The graph in numbers."""
    return stats_view(look_at(site, at), at)


@router.get("/order")
def lineage_order(site: TheSite, window: AWindow, at: At = "HEAD") -> OrderView:
    """Tables in the order of their dependencies, what comes first first; those of a cycle are one step."""
    return order_view(look_at(site, at), window)


_DRAWN: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "As JSON, or drawn.",
        "content": {"text/plain": {"schema": {"type": "string"}}, "image/svg+xml": {"schema": {"type": "string"}}},
    }
}


@router.get("/erd", response_model=ErdView, responses=_DRAWN)
def lineage_erd(
    site: TheSite,
    schema: Annotated[str | None, Query(max_length=300, description="Without it all.", examples=["core"])] = None,
    format: Literal["json", "mermaid", "dot", "svg"] = "json",
    at: At = "HEAD",
    limit: Annotated[int, Query(ge=1, le=2000, description="How many tables at most.")] = 300,
) -> ErdView | Response:
    """Tables of a schema with their columns and keys, and how they belong together."""
    whole = find_erd(look_at(site, at), schema)
    erd = first_tables(whole, limit)
    match format:
        case "mermaid":
            return Response(erd.to_mermaid(), media_type="text/plain")
        case "dot":
            return Response(erd.to_dot(), media_type="text/plain")
        case "svg":
            return Response(erd.to_svg(), media_type="image/svg+xml")
    return erd_view(erd, len(whole.tables))


@router.get("/impact")
def impact(
    site: TheSite,
    focus: Entity,
    change: Annotated[str, Query(max_length=100, examples=["drop"])] = "drop",
    to: Annotated[str | None, Query(max_length=255, description="The new name or type.")] = None,
    at: At = "HEAD",
    depth: Annotated[int | None, Query(ge=1, le=1000, description="Without it all the way down.")] = None,
    min_confidence: Confidence = None,
    limit: Annotated[int, Query(ge=1, le=MOST_AFFECTED, description="How many, the worst first.")] = 500,
) -> ImpactView:
    """What would break if a table or column were changed so. The same as POST /impact/column, with an address."""
    asked = ProposedChange.of(change, focus, to)
    report = report_impact(look_at(site, at), asked, depth=depth, min_confidence=min_confidence)
    return impact_view(report, limit)


@router.post("/impact/column")
def column_impact(body: ColumnChange, site: TheSite) -> ImpactView:
    """What would break if a column were changed so. Nothing is changed: a token that may only read is enough."""
    asked = ProposedChange.of(body.change_type, body.column_id, body.to)
    view = look_at(site, body.at)
    report = report_impact(view, asked, depth=body.depth, min_confidence=body.min_confidence)
    return impact_view(report, body.limit)


@router.post("/impact/schema")
def schema_impact(body: SchemaChanges, site: TheSite) -> ImpactView:
    """What would break if a table were changed so, all changes together. A change without a column is of the table."""
    changes = [ProposedChange.of(one.change_type, one.column_name or "", one.new_value) for one in body.changes]
    view = look_at(site, body.at)
    report = report_schema(view, body.table_id, changes, depth=body.depth, min_confidence=body.min_confidence)
    return impact_view(report, body.limit)

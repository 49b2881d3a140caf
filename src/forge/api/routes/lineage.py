"""/api/v1/lineage: where columns come from and where they go."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query, Response

from forge.api.lineage_views import facts_of, find_picture, graph_view
from forge.api.quality_views import see
from forge.api.site import Site, TheSite
from forge.api.wire.lineage import GraphView
from forge.model.names import TableName

router = APIRouter(prefix="/api/v1/lineage", tags=["lineage"])

At = Annotated[str, Query(max_length=255, description="Branch, commit, HEAD~2 or time.")]
Depth = Annotated[int, Query(ge=1, le=50)]
Confidence = Annotated[float, Query(ge=0, le=1)]
Direction = Literal["upstream", "downstream", "both"]
SURE_ENOUGH = 0.5


@router.get("/graph", response_model=GraphView)
def graph(
    site: TheSite,
    root_id: Annotated[str, Query(max_length=500, description="A table or a column.", examples=["core.orders.amount"])],
    direction: Direction = "both",
    depth: Depth = 5,
    min_confidence: Confidence = SURE_ENOUGH,
    at: At = "HEAD",
) -> Response:
    """Only what is reached from the root, with the touched columns of each table."""
    return _answer(site, root_id, at, direction=direction, depth=depth, min_confidence=min_confidence)


@router.get("/tables/{table_id}/lineage", response_model=GraphView)
def table_lineage(
    table_id: Annotated[str, Path(max_length=300)],
    site: TheSite,
    column_level: bool = False,
    depth: Depth = 5,
    at: At = "HEAD",
) -> Response:
    """Both directions, by table or by column."""
    table = TableName.parse(table_id)
    return _answer(site, str(table), at, depth=depth, by_table=not column_level)


@router.get("/columns/{column_id}/lineage", response_model=GraphView)
def column_lineage(
    column_id: Annotated[str, Path(max_length=500, examples=["core.orders.amount"])],
    site: TheSite,
    include_transformations: bool = True,
    depth: Depth = 5,
    at: At = "HEAD",
) -> Response:
    """Both directions of one column; without transformations, edges carry no expression."""
    return _answer(site, column_id, at, depth=depth, with_expressions=include_transformations)


def _answer(
    site: Site,
    root: str,
    at: str,
    *,
    depth: int,
    direction: Direction = "both",
    min_confidence: float = SURE_ENOUGH,
    by_table: bool = False,
    with_expressions: bool = True,
) -> Response:
    root = root.strip()

    def make() -> GraphView:
        seen = see(site, at)
        facts = facts_of(site, seen)
        picture = find_picture(
            site,
            seen,
            facts,
            root,
            direction=direction,
            depth=depth,
            min_confidence=min_confidence,
            by_table=by_table,
        )
        return graph_view(picture, at, facts, with_expressions=with_expressions)

    key = ("lineage", root, at, direction, depth, min_confidence, by_table, with_expressions)
    return site.memo.respond(site.wiring.metadata, key, make)

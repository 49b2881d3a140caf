"""/api/v1/lineage: upstream and downstream lineage of tables and columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Path, Query, Response

from forge.api.lineage.views import (
    MOST_ENTITIES,
    GraphRequest,
    facts_of,
    find_layout,
    found_view,
    graph_view,
    lineage_view,
    visible_tables,
)
from forge.api.lineage.wire.graph import (
    DirectionWord,
    EdgeWord,
    GraphView,
    LevelWord,
    LineageView,
    NodeView,
    NodeWord,
    PathsView,
)
from forge.api.paging import decode_cursor, encode_cursor, offset_of
from forge.api.site import Site, TheSite
from forge.api.versioning.paths import lineage_router
from forge.api.wire import Page
from forge.flows.lineage.reader import GraphReader, open_graph
from forge.lineage.edge import level_of
from forge.lineage.graph.traversal import Path as LineagePath
from forge.lineage.kind import EdgeType
from forge.lineage.node import GraphLevel, NodeType

router = lineage_router()

At = Annotated[
    str, Query(max_length=255, description="A time, a snapshot of the lineage, a branch, a tag, a commit or HEAD~2.")
]
Depth = Annotated[int, Query(ge=1, le=1000)]
Confidence = Annotated[float | None, Query(ge=0, le=1, description="Edges that are less sure are not followed.")]
Indirect = Annotated[bool, Query(description="Follow joins, filters, groups and orders of rows, too.")]
NodeTypes = Annotated[list[NodeWord], Query(max_length=20, description="Only these; repeated.")]
EdgeTypes = Annotated[list[EdgeWord], Query(max_length=20, description="Follow only these; repeated.")]
Names = Annotated[list[str], Query(max_length=50, description="Only these; repeated.")]
Entity = Annotated[str, Query(min_length=1, max_length=1000, examples=["core.orders.amount"])]
Expressions = Annotated[bool, Query(description="Without them no code is told: neither expressions nor statements.")]
PathId = Annotated[str, Path(max_length=1000, description="Percent-encoded.", examples=["core.orders.amount"])]


@dataclass(frozen=True, slots=True)
class _Bounds:
    """How much of what is reached: `limit` entities, nearest first, after those of the pages before."""

    limit: int
    offset: int


async def _bounds(  # async, for a plain function would cost a thread per request
    limit: Annotated[int, Query(ge=1, le=MOST_ENTITIES, description="How many entities at most, nearest first.")] = 500,
    cursor: Annotated[str | None, Query(max_length=100, description="`next_cursor` of the page before.")] = None,
) -> _Bounds:
    return _Bounds(limit, offset_of(cursor) if cursor else 0)


Bounds = Annotated[_Bounds, Depends(_bounds)]


@router.get("/graph", response_model=GraphView)
def graph(
    site: TheSite,
    bounds: Bounds,
    root_id: Entity,
    direction: DirectionWord = "both",
    depth: Depth = 5,
    node_types: NodeTypes = [],  # noqa: B006
    edge_types: EdgeTypes = [],  # noqa: B006
    min_confidence: Confidence = None,
    indirect: Indirect = False,
    at: At = "HEAD",
    layout: Literal["layered"] = "layered",
    level: LevelWord = "column",
    schema: Names = [],  # noqa: B006
    file: Names = [],  # noqa: B006
    intermediate: bool = False,
    transforms: bool = False,
    include_transformations: Expressions = True,
) -> Response:
    """Only what is reached from the root, with the touched columns of each table. Types of nodes, schemas and files
    choose what is shown; types of edges and confidence also where the walk goes. `transforms`: also the transforms,
    pipelines and jobs that make the data; so do `node_types=transform` and its like."""
    wanted = GraphRequest(
        root=root_id.strip(),
        direction=direction,
        depth=depth,
        min_confidence=min_confidence,
        indirect=indirect,
        level=GraphLevel(level),
        node_types=tuple(map(NodeType, node_types)),
        edge_types=tuple(map(EdgeType, edge_types)),
        schemas=tuple(schema),
        files=tuple(file),
        intermediate=intermediate,
        limit=bounds.limit,
        offset=bounds.offset,
        transforms=transforms,
    )
    return _answer(site, wanted, at, with_expressions=include_transformations)


@router.get("/tables/{table_id:path}/lineage", response_model=LineageView)
def table_lineage(
    table_id: PathId,
    site: TheSite,
    bounds: Bounds,
    column_level: bool = False,
    depth: Depth = 5,
    min_confidence: Confidence = None,
    indirect: Indirect = False,
    at: At = "HEAD",
    include_transformations: Expressions = True,
) -> Response:
    """Both directions, by table or by column."""
    level = GraphLevel.COLUMN if column_level else GraphLevel.TABLE
    wanted = GraphRequest(
        root=table_id.strip(),
        depth=depth,
        min_confidence=min_confidence,
        indirect=indirect,
        level=level,
        limit=bounds.limit,
        offset=bounds.offset,
    )
    return _answer(site, wanted, at, with_expressions=include_transformations, listed=True)


@router.get("/columns/{column_id:path}/lineage", response_model=LineageView)
def column_lineage(
    column_id: PathId,
    site: TheSite,
    bounds: Bounds,
    include_transformations: Expressions = True,
    depth: Depth = 5,
    min_confidence: Confidence = None,
    indirect: Indirect = False,
    at: At = "HEAD",
) -> Response:
    """Both directions of one column; without transformations, edges carry no expression."""
    wanted = GraphRequest(
        root=column_id.strip(),
        depth=depth,
        min_confidence=min_confidence,
        indirect=indirect,
        limit=bounds.limit,
        offset=bounds.offset,
    )
    return _answer(site, wanted, at, with_expressions=include_transformations, listed=True)


def look_at(site: Site, at: str) -> GraphReader:
    return open_graph(site.wiring.lineage.graph, None if at == "HEAD" else at)


def _answer(site: Site, wanted: GraphRequest, at: str, *, with_expressions: bool, listed: bool = False) -> Response:
    view = look_at(site, at)

    def make() -> GraphView:
        seen = visible_tables(site, at)
        found, facts = find_layout(site, view, seen, wanted), facts_of(site, seen)
        show = lineage_view if listed else graph_view
        return show(found, at, facts, with_expressions=with_expressions)

    key = ("lineage", view.ports.store.revision(), wanted, at, with_expressions, listed)
    return site.memo.respond(site.wiring.metadata, key, make)


@router.get("/paths")
def lineage_paths(
    site: TheSite,
    source: Entity,
    target: Entity,
    count: Annotated[int, Query(ge=1, le=20)] = 3,
    depth: Annotated[int | None, Query(ge=1, le=1000, description="At most so many hops.")] = None,
    min_confidence: Confidence = None,
    indirect: Indirect = False,
    at: At = "HEAD",
    include_transformations: Expressions = True,
) -> PathsView:
    """The most confident paths along which data goes from one entity to the other, best first."""
    view = look_at(site, at)
    start, end = view.find(source).id, view.find(target).id
    found = view.paths(start, end, count=count, depth=depth, min_confidence=min_confidence, indirect=indirect)
    shown = [_path_dict(path, include_transformations) for path in found]
    return PathsView.model_validate({"source": start, "target": end, "paths": shown})


def _path_dict(path: LineagePath, with_expressions: bool) -> dict[str, object]:
    hops = [hop.to_dict() for hop in path.hops]
    if not with_expressions:
        hops = [{**hop, "expression": ""} for hop in hops]
    return {**path.to_dict(), "hops": hops, "level": level_of(path.confidence)}


@router.get("/search")
def search_lineage(
    site: TheSite,
    query: Annotated[str, Query(max_length=255, description="Words that the id holds; none for all.")] = "",
    node_types: NodeTypes = [],  # noqa: B006
    limit: Annotated[int, Query(ge=1, le=500, description="How many at most.")] = 50,
    cursor: Annotated[str | None, Query(max_length=2000, description="`next_cursor` of the page before.")] = None,
    at: At = "HEAD",
) -> Page[NodeView]:
    """Nodes of the graph, by id; `in_catalog`: a table or view of the lake, which has a page of its own."""
    view = look_at(site, at)
    after = decode_cursor("i", cursor) if cursor else ""
    found = view.search(query, tuple(map(NodeType, node_types)), limit=limit + 1, after=after)
    more = len(found) > limit
    tree = visible_tables(site, at).tree
    return Page(
        items=[found_view(node, tree) for node in found[:limit]],
        next_cursor=encode_cursor("i", found[limit - 1].id) if more else None,
        has_more=more,
    )

"""Single edges of the lineage graph: HTTP views and claims built from requests."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from forge.api.lineage.views import edge_view
from forge.api.lineage.wire.changes import EdgeCreate, EdgesCreate, NodeCreate, RecordedView
from forge.api.lineage.wire.graph import EdgeDetail, EdgeLife, ProducerView
from forge.flows.lineage.reader import GraphReader
from forge.lineage.edge import IndirectType, Transformation, level_of
from forge.lineage.errors import BadEdgeError, NotInGraphError
from forge.lineage.facts.claim import EdgeClaim, NodeClaim, WriteCounts
from forge.lineage.facts.fact import EdgeVersion, at_time
from forge.lineage.graph.request import TraversalRequest
from forge.lineage.graph.traversal import Link
from forge.lineage.kind import RELATIONSHIP_OF, EdgeKind, EdgeRelationship, EdgeType, relationship_of
from forge.lineage.node import TABLE_LIKE, UNPREFIXED, Entity, GraphLevel, NodeType

MAX_COLUMN_EDGES = 100
_INSIDE = (NodeType.COLUMN, NodeType.FIELD)
_ALIASES = {"direct": Transformation.IDENTITY, "expression": Transformation.TRANSFORMATION}


def edge_detail(view: GraphReader, edge_id: str, *, with_expressions: bool = True) -> EdgeDetail:
    """One edge with all that is known of it; of one between tables also the edges between their columns."""
    try:
        lives = view.lives(edge_id)
    except NotInGraphError:
        lifted = _lifted(view, edge_id)
        if lifted is None:
            raise
        detail = EdgeDetail(**dict(edge_view(lifted)))
    else:
        detail = _detail(at_time(lives, view.at) or lives[-1], lives)
    behind = [edge_view(link) for link in _behind(view, detail.source, detail.target)]
    detail = detail.model_copy(update={"behind": behind})
    return detail if with_expressions else _without_expressions(detail)


def _detail(now: EdgeVersion, lives: Sequence[EdgeVersion]) -> EdgeDetail:
    return EdgeDetail.model_validate(
        {
            **now.to_dict(),
            "producers": [ProducerView.of(fact, level=level_of(fact.confidence)) for fact in now.facts],
            "history": [_life(version) for version in reversed(lives)],
        }
    )


def _life(version: EdgeVersion) -> EdgeLife:
    return EdgeLife.of(version, producers=sorted({fact.producer for fact in version.facts}))


def _without_expressions(detail: EdgeDetail) -> EdgeDetail:
    """Expressions and statements contain code."""
    blank = {"expression": ""}
    return detail.model_copy(
        update={
            **blank,
            "evidence": [one.model_copy(update={"statement": ""}) for one in detail.evidence],
            "producers": [one.model_copy(update=blank) for one in detail.producers],
            "history": [one.model_copy(update=blank) for one in detail.history],
            "behind": [one.model_copy(update=blank) for one in detail.behind],
        }
    )


def _lifted(view: GraphReader, edge_id: str) -> Link | None:
    """An unrecorded edge between two tables, derived from their column edges."""
    source, _, target = edge_id.rpartition("#")[0].partition("->")
    if not target or source not in view.store.numbers([source]):
        return None
    lifted = view.answers.walk(
        TraversalRequest(
            start=source, direction="downstream", depth=1, edges=view.edges_taken(0.0), level=GraphLevel.TABLE
        )
    ).links
    return next((link for link in lifted if link.id == edge_id), None)


def _behind(view: GraphReader, source: str, target: str) -> tuple[Link, ...]:
    """The edges from columns of one table to columns of another; none where the ends are no tables."""
    numbers = view.store.numbers([source, target])
    nodes = view.store.nodes(list(numbers.values()))
    if not all(end in numbers and nodes[numbers[end]].type in TABLE_LIKE for end in (source, target)):
        return ()
    near = view.answers.walk(
        TraversalRequest(start=source, direction="downstream", depth=1, edges=view.edges_taken(0.0))
    )
    inside = {item.node.id for item in near.items if item.table == target and item.column}
    return tuple(link for link in near.links if link.target in inside)[:MAX_COLUMN_EDGES]


def claims_of(view: GraphReader, body: EdgesCreate) -> tuple[tuple[EdgeClaim, ...], tuple[NodeClaim, ...]]:
    """What a request declares. An end that is neither known nor declared keeps its name: recording refuses it."""
    nodes = tuple(NodeClaim(_declared(node), node.attributes) for node in body.nodes)
    entities = {node.entity.id: node.entity for node in nodes}
    named = {end for edge in body.edges for end in (edge.source, edge.target)} - entities.keys()
    numbers = view.store.numbers(sorted(named))
    known = view.store.nodes(list(numbers.values()))
    entities |= {name: known[number].entity for name, number in numbers.items()}
    return tuple(_claim(edge, entities) for edge in body.edges), nodes


def _claim(edge: EdgeCreate, entities: dict[str, Entity]) -> EdgeClaim:
    transformation = _ALIASES.get(edge.transformation) or Transformation(edge.transformation)
    return EdgeClaim(
        source=entities.get(edge.source, Entity(NodeType.TABLE, edge.source)),
        target=entities.get(edge.target, Entity(NodeType.TABLE, edge.target)),
        kind=_kind(edge, transformation),
        transformation=transformation,
        expression=edge.expression,
        masking=edge.masking,
        confidence=edge.confidence,
        valid_from=edge.valid_from,
        valid_to=edge.valid_to,
        metadata=edge.metadata,
    )


def _kind(edge: EdgeCreate, transformation: Transformation) -> EdgeKind:
    subtype = IndirectType(edge.subtype) if edge.subtype else None
    if edge.relationship is not None:
        return EdgeKind(EdgeType(edge.type), EdgeRelationship(edge.relationship), subtype)
    if edge.type != "derives_from":
        return EdgeKind(EdgeType(edge.type), None, subtype)
    usual = RELATIONSHIP_OF[subtype] if subtype else relationship_of(transformation, masking=edge.masking)
    return EdgeKind(EdgeType.DERIVES_FROM, usual, subtype)


def _declared(node: NodeCreate) -> Entity:
    type_ = NodeType(node.type)
    if type_ not in _INSIDE:
        name = node.id if type_ in UNPREFIXED else node.id.removeprefix(f"{type_}:")
        return Entity(type_, name)
    owner = node.table or node.id.rpartition(".")[0]
    if not owner or not node.id.startswith(f"{owner}.") or node.id == f"{owner}.":
        raise BadEdgeError(
            f"{node.id} is no {type_} of {owner or 'anything'}",
            where=f"node {node.id}",
            fix="Write its id as that of what it belongs to, a dot, and its name: core.orders.amount",
        )
    return Entity(type_, node.id[len(owner) + 1 :], owner)


def recorded_view(recorded: WriteCounts, edges: Iterable[str] = ()) -> RecordedView:
    return RecordedView.model_validate({**recorded.to_dict(), "edges": list(edges)})

"""/api/v1/lineage: single edges, and edges that people and programs declare."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query

from forge.api.auth import ThePrincipal
from forge.api.lineage.edges import claims_of, edge_detail, recorded_view
from forge.api.lineage.routes.graph import At, Expressions, look_at
from forge.api.lineage.wire.changes import (
    AnonymizationCreate,
    DerivationCreate,
    EdgesCreate,
    NamedCreate,
    RecordedView,
    SnapshotCreate,
    SnapshotView,
)
from forge.api.lineage.wire.graph import EdgeDetail
from forge.api.paging import AWindow
from forge.api.site import TheSite
from forge.api.versioning.paths import lineage_router
from forge.api.wire import Page
from forge.flows.lineage import snapshots as lineage_snapshots
from forge.flows.lineage import write as lineage_write
from forge.flows.lineage.write import ProcessDefinition

router = lineage_router()

EdgeId = Annotated[
    str, Query(min_length=1, max_length=2500, examples=["core.orders.amount->marts.revenue.total#aggregated"])
]
EdgePath = Annotated[
    str,
    Path(
        max_length=2500,
        description="Percent-encoded.",
        examples=["core.orders.amount->marts.revenue.total#aggregated"],
    ),
]
Reason = Annotated[str, Query(min_length=1, max_length=1000, pattern=r"\S", description="Kept in the history.")]


@router.get("/edges")
def edge(site: TheSite, id: EdgeId, at: At = "HEAD", include_transformations: Expressions = True) -> EdgeDetail:
    """One edge with its evidence, all that produce it, and how it was before. Of an edge between tables: those between
    their columns."""
    return edge_detail(look_at(site, at), id, with_expressions=include_transformations)


@router.get("/edges/{edge_id:path}")
def one_edge(
    edge_id: EdgePath, site: TheSite, at: At = "HEAD", include_transformations: Expressions = True
) -> EdgeDetail:
    """The same, by path."""
    return edge(site, edge_id, at, include_transformations)


@router.post("/edges", status_code=201)
def record_edges(body: EdgesCreate, site: TheSite, caller: ThePrincipal) -> RecordedView:
    """Edges declared by the caller, with a reason. They join nodes that are known or declared in the same request; one
    that is not right, and nothing is written."""
    claims, nodes = claims_of(look_at(site, "HEAD"), body)
    recorded = lineage_write.record_edges(
        site.wiring.lineage.graph, claims, nodes, actor=caller.user, reason=body.reason.strip()
    )
    return recorded_view(recorded, [claim.key.id for claim in claims])


@router.delete("/edges")
def close_edge(id: EdgeId, reason: Reason, site: TheSite, caller: ThePrincipal) -> RecordedView:
    """Takes back what was declared by hand; the edge stays in the history. Refused (409) where something else makes
    it."""
    recorded = lineage_write.close_edge(site.wiring.lineage.graph, id, actor=caller.user, reason=reason.strip())
    return recorded_view(recorded, [id])


@router.post("/derivations", status_code=201)
def record_derivation(body: DerivationCreate, site: TheSite, caller: ThePrincipal) -> RecordedView:
    """`target` was made from `source` by a transformation. What is not known yet is declared by this as a dataset."""
    made = _named(body.transformation)
    recorded = lineage_write.record_derivation(
        site.wiring.lineage.graph, body.source, body.target, made, actor=caller.user
    )
    return recorded_view(recorded)


@router.post("/anonymizations", status_code=201)
def record_anonymization(body: AnonymizationCreate, site: TheSite, caller: ThePrincipal) -> RecordedView:
    """`target` holds what is in `source`, made anonymous under a policy."""
    policy = _named(body.policy)
    recorded = lineage_write.record_anonymization(
        site.wiring.lineage.graph, body.source, body.target, policy, actor=caller.user
    )
    return recorded_view(recorded)


def _named(given: NamedCreate) -> ProcessDefinition:
    return ProcessDefinition(given.name.strip(), given.version, given.parameters, given.code_hash)


@router.get("/snapshots")
def list_snapshots(site: TheSite, window: AWindow) -> Page[SnapshotView]:
    """Newest first."""
    found = lineage_snapshots.list_snapshots(site.wiring.lineage.graph)
    return window.page(found, SnapshotView.model_validate, total=len(found))


@router.post("/snapshots", status_code=201)
def save_snapshot(body: SnapshotCreate, site: TheSite, caller: ThePrincipal) -> SnapshotView:
    """A name for how the lineage is now, or was at a time. It copies nothing."""
    at = None if body.at in (None, "HEAD") else body.at
    saved = lineage_snapshots.save_snapshot(
        site.wiring.lineage.graph, body.name, at, body.description, actor=caller.user
    )
    return SnapshotView.model_validate(saved)


@router.delete("/snapshots/{name:path}", status_code=204)
def drop_snapshot(name: Annotated[str, Path(max_length=255)], site: TheSite, caller: ThePrincipal) -> None:
    """The name only: what the lineage was then stays known."""
    lineage_snapshots.drop_snapshot(site.wiring.lineage.graph, name, caller.user)

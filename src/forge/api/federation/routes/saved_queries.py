"""/api/v1/federation/saved-queries: queries that people keep by a name. Others see what is shared, and change none."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from forge.api.auth import Principal, ThePrincipal
from forge.api.federation.wire.saved_queries import (
    SavedQueryCreate,
    SavedQueryList,
    SavedQueryPatch,
    SavedQueryView,
)
from forge.api.paging import AWindow
from forge.api.site import Site, TheSite
from forge.federation.saved_query import SavedQuery
from forge.flows.federation.saved_queries import (
    SavedQueryPorts,
    change_saved_query,
    drop_saved_query,
    find_saved_query,
    keep_query,
    list_saved_queries,
)

router = APIRouter(prefix="/api/v1/federation/saved-queries", tags=["saved queries"])

QueryId = Annotated[str, Path(max_length=32, examples=["q_4f9a1c0d2e3b5a67"])]


@router.get("")
def list_saved(site: TheSite, caller: ThePrincipal, window: AWindow) -> SavedQueryList:
    """The caller's own and those that are shared, by name."""
    found = list_saved_queries(_ports(site, caller))
    return SavedQueryList(**dict(window.page(found, lambda one: _view(one, caller), total=len(found))))


@router.post("", status_code=201)
def save_query(body: SavedQueryCreate, site: TheSite, caller: ThePrincipal, response: Response) -> SavedQueryView:
    """Its address is in `Location`. Whether the SQL can be run, only running it tells."""
    made = keep_query(body.model_dump(), _ports(site, caller))
    response.headers["Location"] = f"{router.prefix}/{made.id}"
    return _view(made, caller)


@router.get("/{query_id}")
def one_saved(query_id: QueryId, site: TheSite, caller: ThePrincipal) -> SavedQueryView:
    return _view(find_saved_query(query_id, _ports(site, caller)), caller)


@router.patch("/{query_id}")
def edit_saved(query_id: QueryId, body: SavedQueryPatch, site: TheSite, caller: ThePrincipal) -> SavedQueryView:
    """Change what the body has; the rest stays. `at` may be null: where the default branch is."""
    given = body.model_dump(exclude_unset=True, exclude={"expected_version"})
    given = {key: value for key, value in given.items() if value is not None or key == "at"}
    made = change_saved_query(query_id, given, _ports(site, caller), version=body.expected_version)
    return _view(made, caller)


@router.delete("/{query_id}", status_code=204)
def delete_saved(
    query_id: QueryId,
    site: TheSite,
    caller: ThePrincipal,
    expected_version: Annotated[int | None, Query(ge=1, description="Only if it is still at this version.")] = None,
) -> None:
    drop_saved_query(query_id, _ports(site, caller), version=expected_version)


def _ports(site: Site, caller: Principal) -> SavedQueryPorts:
    return site.wiring.federation.saved_query_ports(caller.user)


def _view(one: SavedQuery, caller: Principal) -> SavedQueryView:
    return SavedQueryView.of(one, is_own=one.owner == caller.user)

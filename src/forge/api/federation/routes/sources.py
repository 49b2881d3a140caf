"""/api/v1/federation/sources: databases, files and APIs that queries read beside the lake. What changes one, or
connects to it on behalf of who may not read it, needs a token that may write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import BoundedSemaphore
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from forge.api.auth import Principal, ThePrincipal
from forge.api.federation.source_failures import SourceFailures
from forge.api.federation.wire.sources import (
    ColumnsQuestion,
    DeclaredSourceList,
    DeclaredSourceView,
    ProposedColumn,
    ProposedColumnsView,
    SourceCreate,
    SourceDriftView,
    SourcePatch,
    SourceTableView,
    SourceTestView,
    SourceUserView,
)
from forge.api.paging import AWindow, offset_cursor
from forge.api.site import Site, TheSite
from forge.api.wire import ErrorView, Page
from forge.federation.rights import may_read
from forge.federation.source import DeclaredSource, SourceOrigin
from forge.flows.federation.sources import (
    SourcePorts,
    change_source,
    create_source,
    describe_source,
    describe_source_table,
    drop_source,
    find_source,
    find_source_drift,
    list_sources,
    probe_source,
    propose_columns,
)
from forge.flows.upkeep.access import TokenScope
from forge.model.errors import ForgeError, errors_of

router = APIRouter(prefix="/api/v1/federation/sources", tags=["federation sources"])

SourceName = Annotated[str, Path(max_length=64, description="The name of a source.", examples=["crm"])]
_ADDRESS = (
    *("url", "path", "format", "columns", "tables", "schema", "user", "password", "options"),
    *("readers", "hidden", "masks", "rows"),
)
# A source that does not answer holds a thread of the server until it is given up.
_CONNECTING = BoundedSemaphore(6)
_PATIENCE = 5.0


@router.get("")
def list_declared(site: TheSite, caller: ThePrincipal, window: AWindow) -> DeclaredSourceList:
    """By name."""
    found = list_sources(_ports(site, caller))
    page = window.page(found.sources, lambda one: _view(one, caller), total=len(found.sources))
    errors = [part for error in found.errors for part in errors_of(error)] if _may_write(caller) else []
    return DeclaredSourceList(**dict(page), errors=[ErrorView.model_validate(one.to_dict()) for one in errors])


@router.post("", status_code=201)
def add_source(body: SourceCreate, site: TheSite, caller: ThePrincipal, response: Response) -> DeclaredSourceView:
    """Its address is in `Location`. Hosts, folders and secrets that `federation` in forge.yaml does not name are
    refused (403)."""
    made = create_source(body.model_dump(by_alias=True, exclude_none=True), _ports(site, caller))
    response.headers["Location"] = f"{router.prefix}/{made.name}"
    return _view(made, caller)


@router.post("/columns")
def proposed_columns(body: ColumnsQuestion, site: TheSite, caller: ThePrincipal) -> ProposedColumnsView:
    """Which columns would fit CSV or JSON files that may be read from here, by the first rows of the first of them.
    Nothing is kept."""
    with source_turn(caller):
        found = propose_columns(body.model_dump(exclude_none=True), _ports(site, caller))
    columns = [ProposedColumn(name=name, type=type_) for name, type_ in found.columns.items()]
    return ProposedColumnsView(file=found.file, columns=columns, options=dict(found.options))


@router.get("/{source_id}")
def one_source(source_id: SourceName, site: TheSite, caller: ThePrincipal) -> DeclaredSourceView:
    return _view(find_source(source_id, _ports(site, caller)), caller)


@router.patch("/{source_id}")
def edit_source(source_id: SourceName, body: SourcePatch, site: TheSite, caller: ThePrincipal) -> DeclaredSourceView:
    """Change what the body has; the rest stays. A source of a file or a command is refused (409), as is one that the
    caller may not read (403)."""
    fields = body.model_dump(exclude_unset=True, exclude={"expected_version", "tables"}, by_alias=True)
    if "tables" in body.model_fields_set:
        tables = body.tables or {}
        fields["tables"] = {name: table.model_dump(exclude_none=True) for name, table in tables.items()}
    for rule in (one for key in ("masks", "rows") for one in fields.get(key) or ()):
        rule.update({key: rule[key] or [] for key in ("for", "except") if key in rule})
    return _view(change_source(source_id, fields, _ports(site, caller), version=body.expected_version), caller)


@router.delete("/{source_id}", status_code=204)
def remove_source(
    source_id: SourceName,
    site: TheSite,
    caller: ThePrincipal,
    expected_version: Annotated[int | None, Query(ge=0, description="Only if it is still at this version.")] = None,
) -> None:
    """What the source holds is not touched. One of a file or a command is refused (409)."""
    drop_source(source_id, _ports(site, caller), version=expected_version)


@router.post("/{source_id}/test")
def try_source(source_id: SourceName, site: TheSite, caller: ThePrincipal) -> SourceTestView:
    """Connect, say what answered and what has changed, and take the source as it is now for the drift."""
    with source_turn(caller) as failures:
        found = probe_source(source_id, _ports(site, caller, failures))
    return SourceTestView.model_validate(found.to_dict())


@router.get("/{source_id}/tables")
def source_tables(source_id: SourceName, site: TheSite, caller: ThePrincipal, window: AWindow) -> Page[SourceTableView]:
    """Tables with their columns, by name, as they are now."""
    with source_turn(caller) as failures:
        found = describe_source(source_id, _ports(site, caller, failures), offset=window.offset, limit=window.limit)
    end = window.offset + window.limit
    return Page[SourceTableView](
        items=[SourceTableView.model_validate(one.to_dict()) for one in found.tables],
        next_cursor=offset_cursor(end) if found.total > end else None,
        has_more=found.total > end,
        total_count=found.total,
    )


@router.get("/{source_id}/tables/{table}")
def source_table(
    source_id: SourceName,
    table: Annotated[str, Path(max_length=600, examples=["public.customers"])],
    site: TheSite,
    caller: ThePrincipal,
) -> SourceTableView:
    with source_turn(caller) as failures:
        found = describe_source_table(source_id, table, _ports(site, caller, failures))
    return SourceTableView.model_validate(found.to_dict())


@router.get("/{source_id}/drift")
def source_drift(source_id: SourceName, site: TheSite, caller: ThePrincipal) -> SourceDriftView:
    """Tables and columns that are not as they were when the source was last tested."""
    with source_turn(caller) as failures:
        found = find_source_drift(source_id, _ports(site, caller, failures))
    return SourceDriftView.model_validate(found.to_dict())


@router.get("/{source_id}/users")
def source_users(source_id: SourceName, site: TheSite, caller: ThePrincipal, window: AWindow) -> Page[SourceUserView]:
    """Who uses it: virtual tables, loads and saved queries, by kind and name. What is not for the caller is left
    out."""
    name = find_source(source_id, _ports(site, caller)).name
    found = site.wiring.federation.source_users(caller.user, sees_all=_may_write(caller)).of(name)
    return window.page(found, lambda one: SourceUserView.model_validate(one.to_dict()), total=len(found))


def _ports(site: Site, caller: Principal, failures: SourceFailures | None = None) -> SourcePorts:
    """`failures`: of what connects."""
    ports = site.wiring.federation.source_ports(caller.user, SourceOrigin.HTTP)
    opened = failures.watching(ports.open_connector) if failures else ports.open_connector
    return replace(ports, open_connector=opened, may_remember=_may_write(caller))


def _may_write(caller: Principal) -> bool:
    return caller.scope is TokenScope.WRITE


def _view(one: DeclaredSource, caller: Principal) -> DeclaredSourceView:
    """The way to a source is for who could change it."""
    document = one.to_dict()
    if not _may_write(caller):
        document |= dict.fromkeys(_ADDRESS)
    readable = may_read(one.source, caller.user)
    return DeclaredSourceView.model_validate({**document, "id": one.name, "may_read": readable})


@contextmanager
def source_turn(caller: Principal) -> Iterator[SourceFailures]:
    """While sources are connected to. Why one cannot be read tells where it is, and has words of its own: that is for
    who may write."""
    if not _CONNECTING.acquire(timeout=_PATIENCE):
        raise ForgeError(
            "E913", "As many sources are connected to as the server does at once", fix="Try again in a moment."
        )
    failures = SourceFailures()
    try:
        with failures.discreet(caller):
            yield failures
    finally:
        _CONNECTING.release()

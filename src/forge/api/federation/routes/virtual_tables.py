"""/api/v1/federation/virtual-tables: SELECTs over sources, the lake and each other, kept as data. They give no more
than what they are made of; what changes one needs a token that may write."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from forge.api.auth import Principal, ThePrincipal
from forge.api.executor import LONG, respond
from forge.api.federation.routes.query import ask_in_executor, query_caller, rows_of_query
from forge.api.federation.routes.sources import source_turn
from forge.api.federation.source_failures import SourceFailures
from forge.api.federation.wire.virtual_tables import (
    VirtualRowsView,
    VirtualTableCreate,
    VirtualTableDetail,
    VirtualTableDraftView,
    VirtualTableDriftView,
    VirtualTableList,
    VirtualTablePatch,
    VirtualTableSql,
    VirtualTableView,
)
from forge.api.paging import AWindow, decode_cursor, encode_cursor, unknown_cursor
from forge.api.rows import plain_rows
from forge.api.site import Site, TheSite
from forge.api.versioning.wire.refs import SampleColumn
from forge.api.wire import ErrorView, Wire
from forge.federation.source import VIRTUAL, SourceOrigin
from forge.federation.virtual.expansion import sql_of
from forge.federation.virtual.rights import has_rights, refuse_without_rights
from forge.federation.virtual.rows import read_question
from forge.federation.virtual_table import DeclaredVirtualTable, VirtualTable
from forge.flows.federation.lake_views import rules_below
from forge.flows.federation.query import FederationPorts, QueryAnswer, QueryRequest, distinct_names
from forge.flows.federation.virtual_draft import draft_from_sql
from forge.flows.federation.virtual_rows import rows_request
from forge.flows.federation.virtual_tables import (
    VirtualTablePorts,
    change_virtual_table,
    create_virtual_table,
    drop_virtual_table,
    find_virtual_table,
    find_virtual_table_drift,
    list_virtual_tables,
    probe_virtual_table,
)
from forge.flows.runs.input_pins import inputs_of
from forge.flows.upkeep.access import TokenScope
from forge.flows.upkeep.query_audit import DRAFTED, audited, noting_failures
from forge.model.errors import errors_of
from forge.model.names import CommitId

router = APIRouter(prefix="/api/v1/federation/virtual-tables", tags=["virtual tables"])

TableId = Annotated[str, Path(max_length=128, description="The name of a virtual table.", examples=["customer_360"])]
FARTHEST = 100_000
_DEFINITION = ("sources", "columns", "joins", "default_filters")
# All of them fit into one address: a server reads 64 KB of it, and refuses a longer one without a word of ours.
_Texts = Annotated[list[Annotated[str, Query(max_length=1000)]], Query(max_length=16)]


@router.get("")
def list_virtual(site: TheSite, caller: ThePrincipal, window: AWindow) -> VirtualTableList:
    """By name."""
    ports = _ports(site, caller)
    found = list_virtual_tables(ports)
    page = window.page(found.tables, _views(ports, caller), total=len(found.tables))
    errors = [part for error in found.errors for part in errors_of(error)] if _may_write(caller) else []
    return VirtualTableList(**dict(page), errors=[ErrorView.model_validate(one.to_dict()) for one in errors])


@router.post("", status_code=201)
def create_virtual(
    body: VirtualTableCreate, site: TheSite, caller: ThePrincipal, response: Response
) -> VirtualTableDetail:
    """Its address is in `Location`. Its sources are asked whether they have what it reads; who creates it must have the
    right on each."""
    with _description(site, caller, body.name) as failures:
        ports = _ports(site, caller, failures)
        made = create_virtual_table(body.model_dump(), ports)
    response.headers["Location"] = f"{router.prefix}/{made.name}"
    return _view(made, ports, caller)


@router.post("/draft")
def draft_virtual(body: VirtualTableSql, site: TheSite, caller: ThePrincipal) -> VirtualTableDraftView:
    """What a SELECT is as a virtual table, or why it is none, all reasons at once. Nothing is created, and no row read;
    its relations are asked for their columns."""
    who = query_caller(site, caller)
    with source_turn(caller) as failures:
        found = audited(
            *(site.wiring.metadata, who.clock, who.name, who.door, body.sql),
            lambda: inputs_of(body.sql, "query"),
            lambda: draft_from_sql(body.sql, _ports(site, caller, failures).federation, body.types),
            lambda draft: {},
            DRAFTED,
        )
    return VirtualTableDraftView.model_validate(found.to_dict())


@router.get("/{table_id}")
def one_virtual(table_id: TableId, site: TheSite, caller: ThePrincipal) -> VirtualTableDetail:
    ports = _ports(site, caller)
    return _view(find_virtual_table(table_id, ports), ports, caller)


@router.patch("/{table_id}")
def edit_virtual(table_id: TableId, body: VirtualTablePatch, site: TheSite, caller: ThePrincipal) -> VirtualTableDetail:
    """Change what the body has; the rest stays. One of a file or a command is refused (409), as is one that the caller
    may not read (403)."""
    fields = body.model_dump(exclude_unset=True, exclude={"expected_version"})
    with _description(site, caller, table_id) as failures:
        ports = _ports(site, caller, failures)
        made = change_virtual_table(table_id, fields, ports, version=body.expected_version)
    return _view(made, ports, caller)


@router.delete("/{table_id}", status_code=204)
def delete_virtual(
    table_id: TableId,
    site: TheSite,
    caller: ThePrincipal,
    expected_version: Annotated[int | None, Query(ge=0, description="Only if it is still at this version.")] = None,
) -> None:
    """What its sources hold is not touched. One of a file or a command is refused (409)."""
    drop_virtual_table(table_id, _ports(site, caller), version=expected_version)


@router.post("/{table_id}/test")
def try_virtual(table_id: TableId, site: TheSite, caller: ThePrincipal) -> VirtualTableDriftView:
    """Ask its sources whether they have what it reads, say what has changed, and take them as they are now."""
    with _description(site, caller, table_id) as failures:
        found = probe_virtual_table(table_id, _ports(site, caller, failures))
    return VirtualTableDriftView.model_validate(found.to_dict())


@router.get("/{table_id}/drift")
def virtual_drift(table_id: TableId, site: TheSite, caller: ThePrincipal) -> VirtualTableDriftView:
    """Columns of its sources that are not as they were when it was created, changed or tested."""
    with _description(site, caller, table_id) as failures:
        found = find_virtual_table_drift(table_id, _ports(site, caller, failures))
    return VirtualTableDriftView.model_validate(found.to_dict())


@router.get("/{table_id}/rows", response_model=VirtualRowsView, responses=LONG)
def virtual_rows(
    table_id: TableId,
    site: TheSite,
    caller: ThePrincipal,
    columns: _Texts = [],  # noqa: B006
    filter: _Texts = [],  # noqa: B006
    sort: _Texts = [],  # noqa: B006
    limit: Annotated[int, Query(ge=1, le=1000)] = 100,
    cursor: Annotated[str | None, Query(max_length=200, description="`next_cursor` of the page before.")] = None,
) -> Wire | Response:
    """Rows by `columns=id,name`, `filter=city=London` (= <> < <= > >=, `is null`; repeated: all of them) and
    `sort=city,-amount`. Pages of one cursor read one commit of the lake. What takes long goes on as a run (202); the
    same request sent again has its rows."""
    wiring, text = site.wiring, f"{VIRTUAL}.{table_id}"
    with _noted(site, caller, table_id):
        ports = _ports(site, caller)
        table = find_virtual_table(table_id, ports).table
        known = ports.federation.virtual()
        rules = rules_below(ports.federation, known.values())
        refuse_without_rights(table, known, ports.federation.sources(), caller.user, rules)
        question = read_question(table, columns, filter, sort)
    commit, offset = wiring.branch_head(wiring.default_branch), 0
    if cursor is not None:
        commit, offset = _read_cursor(cursor, question.digest)

    def request_of(ports: FederationPorts) -> QueryRequest:
        return rows_request(ports, question, limit=limit + 1, offset=offset, at=commit)

    share = ("virtual rows", question.digest, repr(filter), limit, offset, commit)
    found = ask_in_executor(site, caller, commit, request_of, text=text, share=share, ask_with=rows_of_query)
    return respond(found, partial(_rows_view, table, question.digest, commit, offset, limit))


def _rows_view(
    table: VirtualTable, digest: str, commit: CommitId | None, offset: int, limit: int, answer: object
) -> VirtualRowsView:
    assert isinstance(answer, QueryAnswer)
    names = distinct_names(answer.schema.names)
    more, end = len(answer.rows) > limit, offset + limit
    rows = plain_rows(answer.rows[:limit], limit + 1, (one.type for one in answer.schema.columns))
    return VirtualRowsView(
        virtual_table=table.name,
        commit=commit,
        columns=[
            SampleColumn(name=name, type=column.type, masked=column.name.lower() in answer.masked)
            for name, column in zip(names, answer.schema.columns, strict=True)
        ],
        items=[dict(zip(names, row, strict=True)) for row in rows],
        next_cursor=encode_cursor("v", f"{digest}:{end}:{commit or ''}") if more and end <= FARTHEST else None,
        has_more=more,
        engine=answer.executor,
        why=answer.why,
    )


def _read_cursor(cursor: str, digest: str) -> tuple[CommitId | None, int]:
    """Of the same question alone: a page of another order would leave rows out."""
    told, _, rest = decode_cursor("v", cursor).partition(":")
    place, _, commit = rest.partition(":")
    if told != digest or not (place.isascii() and place.isdigit() and int(place) <= FARTHEST):
        raise unknown_cursor()
    return (CommitId(commit) if commit else None), int(place)


def _ports(site: Site, caller: Principal, failures: SourceFailures | None = None) -> VirtualTablePorts:
    """`failures`: of what connects."""
    ports = site.wiring.federation.virtual_ports(caller.user, SourceOrigin.HTTP)
    federation = failures.watched(ports.federation) if failures else ports.federation
    return replace(ports, federation=federation, may_remember=_may_write(caller))


@contextmanager
def _description(site: Site, caller: Principal, name: str) -> Iterator[SourceFailures]:
    """While its sources are asked what they have; the audit knows who was refused."""
    with _noted(site, caller, name), source_turn(caller) as failures:
        yield failures


def _noted(site: Site, caller: Principal, name: str) -> AbstractContextManager[None]:
    who = query_caller(site, caller)
    return noting_failures(site.wiring.metadata, who.clock, who.name, who.door, f"{VIRTUAL}.{name}")


def _may_write(caller: Principal) -> bool:
    return caller.scope is TokenScope.WRITE


def _view(one: DeclaredVirtualTable, ports: VirtualTablePorts, caller: Principal) -> VirtualTableDetail:
    shown = _views(ports, caller)(one)
    return VirtualTableDetail(**dict(shown), sql=sql_of(one.table) if shown.columns is not None else None)


def _views(ports: VirtualTablePorts, caller: Principal) -> Callable[[DeclaredVirtualTable], VirtualTableView]:
    """What it is made of is for who may read it, or could change it."""
    tables, sources = ports.federation.virtual(), ports.federation.sources()
    rules = rules_below(ports.federation, tables.values())

    def show(one: DeclaredVirtualTable) -> VirtualTableView:
        document = one.to_dict()
        readable = has_rights(one.table, tables, sources, caller.user, rules)
        if not _may_write(caller):
            document |= {"readers": None, "hidden": None}
        if not _may_write(caller) and not readable:
            document |= dict.fromkeys(_DEFINITION)
        return VirtualTableView.model_validate({**document, "may_read": readable})

    return show

"""/api/v1/federation/query: SELECT over the lake and the sources, within the limits of reading requests. Personal data
is masked; a source answers its readers."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from functools import partial
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Path, Request, Response

from forge.api.accept import prefers
from forge.api.auth import QUERIES, Principal, ThePrincipal
from forge.api.executor import LONG, respond
from forge.api.federation.arrow_stream import ARROW, arrow_response
from forge.api.federation.source_failures import SourceFailures, discreet_plan
from forge.api.federation.wire.query import PlanView, QueryOrder, QueryQuestion, QueryResultView, ResultColumn
from forge.api.rows import plain_rows
from forge.api.runs.run_views import find_one, run_view
from forge.api.runs.wire.runs import RunView
from forge.api.site import Site, TheSite
from forge.api.wire import Wire
from forge.flows.catalog.personal_data import PersonalColumns
from forge.flows.federation.ports import QueryExecutor
from forge.flows.federation.query import (
    FederationPorts,
    QueryAnswer,
    QueryExplanation,
    QueryRequest,
    ask,
    commits_beside,
    distinct_names,
    explain_query,
    note_shared,
)
from forge.flows.federation.running import RunningQuery
from forge.flows.runs.pin import Pin
from forge.flows.upkeep.access import TokenScope
from forge.flows.upkeep.query_audit import noting_failures
from forge.flows.versioning.ports import VersionPorts
from forge.flows.versioning.read import QueryCaller, commit_at
from forge.flows.versioning.time_travel import masked_pin
from forge.model.errors import ForgeError, UnknownNameError
from forge.model.names import CommitId
from forge.transforms.params import bind_query_params

T = TypeVar("T")
router = APIRouter(prefix=QUERIES.rstrip("/"), tags=["federation queries"])
QueryIdentity = Annotated[str, Path(max_length=64, examples=["r20261115_061000_4f9a1c"])]
_DIGITS = 38
_ANSWERS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The rows. In an Arrow stream the metadata `forge` of the schema is JSON: all keys of the "
        "answer but its rows.",
        "content": {ARROW: {"schema": {"type": "string", "format": "binary"}}},
        "headers": {"Vary": {"schema": {"type": "string"}, "description": "Accept"}},
    },
    **LONG,
}


@router.post("", response_model=QueryResultView, responses=_ANSWERS)
def query_rows(body: QueryOrder, request: Request, site: TheSite, caller: ThePrincipal) -> Wire | Response:
    """Rows of a SELECT, or with `Accept: application/vnd.apache.arrow.stream` an Arrow stream of them. What takes long
    goes on as a run (202); the same request sent again has its rows."""
    limit = min(body.limit, site.executor.limits.rows)
    found = _do(body, site, caller, limit + 1, ask_with=rows_of_query)
    if prefers(request, (ARROW,)):
        return respond(found, partial(_arrow, limit, body))
    return respond(found, partial(_rows_view, limit, body))


@router.post("/explain", response_model=PlanView, responses=LONG)
def query_plan(body: QueryQuestion, site: TheSite, caller: ThePrincipal) -> Wire | Response:
    """How it would be computed: what each source is asked, and what is not left to it, and why. No row is read.
    A source that cannot be reached is named, with the plan of the rest."""
    found = _do(body, site, caller, None, ask_with=_plan)
    return respond(found, lambda explained: _plan_view(discreet_plan(explained, caller)))


@router.delete("/{query_id}", status_code=202)
def cancel_query(query_id: QueryIdentity, site: TheSite, caller: ThePrincipal) -> RunView:
    """End a query, in the sources too. Who may only read ends his own."""
    task = site.executor.task(query_id)
    if caller.scope is not TokenScope.WRITE and (task is None or not task.is_read or task.owner != caller.owner):
        raise ForgeError(
            "E904",
            "This token may only read",
            why="It cancels queries of its own; anything else needs the scope write.",
            fix="Make one that may write: forge token create NAME --scope write",
        )
    if task is None or not task.is_read:
        raise UnknownNameError(f"There is no query '{query_id}'", fix="GET /api/v1/runs lists those that run.")
    site.executor.cancel(query_id)
    return run_view(site, caller, find_one(site, query_id))


def rows_of_query(ports: FederationPorts, request: QueryRequest, caller: QueryCaller) -> QueryAnswer:
    return ask(ports, request, caller)


def _plan(ports: FederationPorts, request: QueryRequest, caller: QueryCaller) -> QueryExplanation:
    return explain_query(ports, request, caller)


def _do(
    body: QueryQuestion,
    site: Site,
    caller: Principal,
    limit: int | None,
    *,
    ask_with: Callable[[FederationPorts, QueryRequest, QueryCaller], T],
) -> object:
    commit = _commit(site, body.at)
    timeout = body.timeout if isinstance(body, QueryOrder) else None
    request = QueryRequest(
        body.sql,
        at=commit,
        parameters=_parameters(body, site),
        limit=limit,
        executor=body.engine,
        cache=body.cache,
        timeout=timeout,
    )
    share = (commit, request.sql, repr(sorted(request.parameters.items())), limit, body.engine, body.cache, timeout)
    return ask_in_executor(site, caller, commit, lambda _: request, text=body.sql, share=share, ask_with=ask_with)


def ask_in_executor(
    site: Site,
    caller: Principal,
    commit: CommitId | None,
    request_of: Callable[[FederationPorts], QueryRequest],
    *,
    text: str,
    share: tuple[object, ...],
    ask_with: Callable[[FederationPorts, QueryRequest, QueryCaller], T],
) -> object:
    """Within the limits of reading requests. `share`: what makes it the same question. Each request is in the audit:
    that of its own work, or that it was given what another one had asked for, or why neither."""
    wiring, begun = site.wiring, threading.Event()
    hidden = PersonalColumns() if commit is None else wiring.catalog.personal_at(commit)
    running, failures, who = RunningQuery(), SourceFailures(), query_caller(site, caller)
    noted = (wiring.metadata, who.clock, who.name, who.door, text)

    def work(ports: VersionPorts) -> T:
        begun.set()
        asked = failures.watched(_ports(site, caller, ports, hidden, running))
        with failures.discreet(caller):
            with noting_failures(*noted):
                request = request_of(asked)
            return ask_with(asked, request, who)

    # Who asks again after rights, masks, sources or virtual tables have changed gets no answer from before.
    declared = repr((wiring.federation.sources(), wiring.federation.virtual_tables(), wiring.settings.keys.roles))
    rights = (caller.user, caller.scope, caller.origin, hidden, declared)
    try:
        asked = ("federation", ask_with, rights, share, commits_beside(wiring.versioning.reader(None), text))
        found = site.executor.do("query", work, caller, text=text, share=asked, on_stop=running.cancel)
    except ForgeError:
        if begun.is_set():
            raise
        with noting_failures(*noted):
            raise
    if isinstance(found, QueryAnswer | QueryExplanation) and not begun.is_set():
        note_shared(wiring.metadata, text, found, who)
    return found


def query_caller(site: Site, caller: Principal) -> QueryCaller:
    """As the audit names him."""
    door = f"federation, token {caller.token.name}" if caller.token else "federation"
    return QueryCaller(caller.user, door, site.wiring.clock)


def _commit(site: Site, at: str | None) -> CommitId | None:
    """None: nothing was ever committed; sources can be asked all the same."""
    wiring = site.wiring
    if at is not None:
        return commit_at(wiring.metadata, at, wiring.default_branch).id
    return wiring.branch_head(wiring.default_branch)


def _parameters(body: QueryQuestion, site: Site) -> dict[str, object]:
    given = {name: _value(name, one) for name, one in body.parameters.items()}
    return bind_query_params(site.wiring.settings.params, given)


def _value(name: str, value: object) -> object:
    """A whole number beyond 64 bits is a decimal."""
    if not isinstance(value, int) or isinstance(value, bool) or -(2**63) <= value < 2**63:
        return value
    if len(str(abs(value))) > _DIGITS:
        raise ForgeError("E105", f"{name} has more than {_DIGITS} digits", where="body.parameters", fix="Send a text.")
    return Decimal(value)


def _ports(
    site: Site, caller: Principal, ports: VersionPorts, hidden: PersonalColumns, running: RunningQuery
) -> FederationPorts:
    """Jobs of Spark belong to the read, so that its limits and its end reach them."""
    opened = site.wiring.federation.query_ports(user=caller.user, hidden=hidden)

    def spark(pins: object) -> QueryExecutor:
        ports.engine()
        return opened.spark(pins)  # type: ignore[arg-type]

    def masked(pin: Pin, columns: frozenset[str]) -> Pin:
        return masked_pin(ports, pin, columns)[0]

    return replace(opened, engine=ports.engine, spark=spark, masked=masked, running=running, read_id=ports.run_id)


def _plan_view(found: object) -> PlanView:
    assert isinstance(found, QueryExplanation)
    return PlanView.model_validate(found.to_dict())


def _arrow(limit: int, body: QueryOrder, answer: object) -> Response:
    assert isinstance(answer, QueryAnswer)
    return arrow_response(answer, _told(limit, body, answer), limit)


def _rows_view(limit: int, body: QueryOrder, answer: object) -> QueryResultView:
    assert isinstance(answer, QueryAnswer)
    told = _told(limit, body, answer)
    rows = plain_rows(answer.rows[:limit], limit + 1, (one.type for one in answer.schema.columns))
    if body.form != "items":
        told.rows = rows
    if body.form != "rows":
        names = [one.name for one in told.columns]
        told.items = [dict(zip(names, row, strict=True)) for row in rows]
    return told


def _told(limit: int, body: QueryOrder, answer: QueryAnswer) -> QueryResultView:
    """All but its rows."""
    names = distinct_names(answer.schema.names)
    columns = [
        ResultColumn(name=name, type=column.type, masked=column.name.lower() in answer.masked)
        for name, column in zip(names, answer.schema.columns, strict=True)
    ]
    return QueryResultView(
        columns=columns,
        truncated=len(answer.rows) > limit,
        has_more=len(answer.rows) > limit,
        engine=answer.executor,
        why=answer.why,
        rows_read=dict(answer.rows_read),
        ms=round(answer.seconds * 1000),
        cache=answer.cache,
        kept_until=answer.kept_until,
        plan=_plan_view(answer.explained) if body.explain else None,
    )

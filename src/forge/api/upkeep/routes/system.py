"""/api/v1/overview, session, system and tokens; and /healthz, /readyz, /metrics, which are no part of the API."""

from __future__ import annotations

from datetime import timedelta
from importlib.metadata import version
from typing import Annotated

from fastapi import APIRouter, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse

from forge.api.auth import Principal, ThePrincipal
from forge.api.metrics import CONTENT_TYPE, Metrics
from forge.api.middleware import give_cookie
from forge.api.runs.overview import overview as make_overview
from forge.api.site import Site, TheSite
from forge.api.upkeep.wire.system import (
    BrowserSessionView,
    Overview,
    SessionView,
    SystemView,
    TokenCreate,
    TokenCreated,
    TokenView,
)
from forge.api.views import system_view
from forge.flows.upkeep.access import BrowserSession, TokenKind, TokenScope
from forge.model.errors import DatabaseBusyError, DatabaseVersionError, ForgeError

router = APIRouter(prefix="/api/v1", tags=["system"])
probes = APIRouter(include_in_schema=False)
VERSION = version("forge")  # read once: it stands in a file


@router.get("/overview", response_model=Overview)
def overview(site: TheSite, branch: Annotated[str | None, Query(max_length=255)] = None) -> Response:
    """The first page in one answer: counters, the worst problem with its picture, recent changes, the trend."""
    today = site.wiring.clock().date()  # the trend moves on by itself
    personal = site.wiring.catalog.hidden_at()
    key = ("overview", branch, today, hash(personal))
    return site.memo.respond(site.wiring.metadata, key, lambda: make_overview(site, branch, personal))


@router.get("/system")
def system(site: TheSite) -> SystemView:
    """The server itself: Spark's state, the queue, the database."""
    return system_view(site)


@router.get("/session")
def session(site: TheSite, principal: ThePrincipal) -> SessionView:
    """Who is calling."""
    return _session(site, principal)


@router.post("/session", status_code=201)
def open_session(site: TheSite, principal: ThePrincipal, request: Request, response: Response) -> SessionView:
    """Exchange a token (`Authorization: Bearer …`) for a cookie. It lasts as long as the token, at most 14 days."""
    return _session(site, give_cookie(response, request, principal))


@router.delete("/session", status_code=204)
def close_session(site: TheSite, principal: ThePrincipal, request: Request, response: Response) -> None:
    """Sign out: the session is revoked and the cookie removed. A token stays as it is."""
    if principal.token is not None and principal.token.kind is TokenKind.SESSION:
        site.access.end_session(principal.token.id, principal.user)
    response.delete_cookie(request.app.state.door.cookie, path="/", httponly=True, samesite="strict")


@router.get("/sessions")
def list_sessions(site: TheSite, principal: ThePrincipal) -> list[BrowserSessionView]:
    """Browsers that are signed in, newest first."""
    return [_browser(known, principal) for known in site.access.sessions()]


@router.delete("/sessions/{session_id}", status_code=204)
def end_session(session_id: Annotated[str, Path(max_length=64)], site: TheSite, principal: ThePrincipal) -> None:
    """Sign a browser out, at once. The token it signed in with stays as it is."""
    site.access.end_session(session_id, principal.user)


@router.get("/tokens")
def list_tokens(site: TheSite) -> list[TokenView]:
    """Newest first."""
    return [TokenView.of(token, state=token.state(site.wiring.clock())) for token in site.access.list()]


@router.post("/tokens", status_code=201)
def create_token(body: TokenCreate, site: TheSite, principal: ThePrincipal) -> TokenCreated:
    """A named token for a program. Its secret is in this answer and nowhere else."""
    life = timedelta(days=body.expires_in_days) if body.expires_in_days else None
    token, secret = site.access.create(body.name, TokenScope(body.scope), life, principal.user)
    return TokenCreated.of(token, state=token.state(site.wiring.clock()), token=secret)


@router.delete("/tokens/{token_id}", status_code=204)
def revoke_token(token_id: Annotated[str, Path(max_length=64)], site: TheSite, principal: ThePrincipal) -> None:
    """It, and the sessions it opened, stop working at once."""
    site.access.revoke(token_id, principal.user)


def _session(site: Site, principal: Principal) -> SessionView:
    project, branch = site.wiring.settings.project, site.wiring.default_branch
    return SessionView.of(principal, project=project, version=VERSION, default_branch=branch)


def _browser(known: BrowserSession, principal: Principal) -> BrowserSessionView:
    session, token = known.session, known.token
    return BrowserSessionView.of(
        session,
        user=session.created_by,
        token_id=token.id if token else None,
        token_name=token.name if token else None,
        current=principal.token is not None and principal.token.id == session.id,
    )


# Probes: the first two are open to everyone, so they say a word and no more.


@probes.api_route("/healthz", methods=["GET", "HEAD"])
async def healthz() -> PlainTextResponse:
    """The process lives."""
    return PlainTextResponse("ok\n", headers={"cache-control": "no-store"})


@probes.api_route("/readyz", methods=["GET", "HEAD"])
def readyz(site: TheSite) -> PlainTextResponse:
    """Requests can be answered: the database is reachable and of this version."""
    try:
        word, status = ("ready", 200) if site.wiring.upkeep.is_migrated() else ("database not migrated", 503)
    except DatabaseBusyError:
        word, status = "database busy", 503
    except DatabaseVersionError:
        word, status = "database too new", 503
    except ForgeError:
        word, status = "database unreachable", 503
    return PlainTextResponse(f"{word}\n", status, headers={"cache-control": "no-store"})


@probes.get("/metrics")
def metrics(site: TheSite, request: Request) -> Response:
    """For Prometheus, with a bearer token."""
    numbers: Metrics = request.app.state.metrics
    return Response(numbers.text(system(site)), media_type=CONTENT_TYPE)

"""ASGI middleware that every request passes: request id, host check, sign-in, authorisation, body limits, headers,
metrics, logs.

Authorisation is here and not in FastAPI's dependencies, because FastAPI parses the body before these: an anonymous
caller with a bad body would get an error about the body."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable
from urllib.parse import parse_qsl, quote, urlencode

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import compile_path
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from forge.api.auth import (
    OPEN,
    QUESTIONS,
    AuthContext,
    Principal,
    authorise,
    is_data,
    needs_sign_in,
    refuse_unknown_host,
    verify_secret,
    would_wait,
)
from forge.api.bodies import DEFAULT_LIMITS, Body, BodyLimits
from forge.api.fair_turns import FairTurns
from forge.api.logs import REQUEST_ID, log_request
from forge.api.metrics import Metrics
from forge.api.problems import problem_of
from forge.api.site import Site
from forge.flows.upkeep.access import NotSignedInError
from forge.model.errors import ForgeError

# Inline styles are allowed: the component library sets sizes and colours by style attributes. Scripts are not.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
GONE = 499  # in numbers and logs: the caller left before the answer
_RAW_HEADERS = [(name.encode(), value.encode()) for name, value in HEADERS.items()]


class RequestMiddleware:
    def __init__(
        self, app: ASGIApp, metrics: Metrics, templates: Iterable[str] = (), limits: BodyLimits = DEFAULT_LIMITS
    ) -> None:
        self._app, self._metrics, self._limits, self._turns = app, metrics, limits, FairTurns()
        self._templates = [(compile_path(path)[0], path) for path in templates]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            return await self._app(scope, receive, send)
        if scope["type"] == "websocket":  # there are none
            return await send({"type": "websocket.close", "code": 1008})
        started, status = time.perf_counter(), 0
        request_id = secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = request_id
        mark = REQUEST_ID.set(request_id)
        data = is_data(scope["path"])
        if data:
            _drop_last_slash(scope)
        body = Body(scope, receive, self._limits)

        async def send_marked(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = _marked(message, request_id, data)
                if not body.is_read:  # the rest of it would be parsed as the next request, or keep the connection open
                    message["headers"].append((b"connection", b"close"))
            await send(message)

        try:
            await self._answer(scope, body, send_marked)
        except ClientDisconnect:  # nobody is left to answer
            pass
        except Exception as error:
            response = problem_of(error, scope)
            if status == 0:  # else the answer has begun, and the connection is cut short by its end
                await body.drain()
                await response(scope, receive, send_marked)
        finally:
            seconds, answered = time.perf_counter() - started, status or GONE
            self._metrics.count(self._route_of(scope), scope["method"], answered, seconds)
            log_request(scope["method"], scope["path"], answered, seconds)
            REQUEST_ID.reset(mark)
        return None

    async def _answer(self, scope: Scope, body: Body, send: Send) -> None:
        request, path, method = Request(scope), scope["path"], scope["method"]
        # Probes come by whatever address a machine has.
        refuse_unknown_host(request.headers, request.app.state.door, any_name=path in OPEN)
        if "\x00" in path or b"%00" in scope["query_string"]:
            raise ForgeError("E105", "The address holds a NUL, which no name does", where="path", fix="Leave it out.")
        if needs_sign_in(method, path):
            waits = would_wait(request)
            scope["state"]["principal"] = await run_in_threadpool(authorise, request) if waits else authorise(request)
        elif method == "GET" and path not in OPEN and b"token=" in scope["query_string"]:
            response = await run_in_threadpool(sign_in, request)
            return await response(scope, body.receive, send)
        receive = await body.checked()
        if method == "POST" and path in QUESTIONS:
            async with self._turns.of(scope["state"]["principal"].origin):
                return await self._app(scope, receive, send)
        return await self._app(scope, receive, send)

    def _route_of(self, scope: Scope) -> str:
        """The template of the route, `/api/v1/runs/{run_id}`, also for requests refused before routing."""
        path = getattr(scope.get("route"), "path", None)
        if path is not None:
            return str(path)
        if not is_data(scope["path"]):
            return "web"
        return next((path for pattern, path in self._templates if pattern.match(scope["path"])), "unknown")


def _drop_last_slash(scope: Scope) -> None:
    """`/api/v1/runs/` is `/api/v1/runs`; no name ends with a slash."""
    if len(scope["path"]) > 1 and scope["path"].endswith("/"):
        scope["path"] = scope["path"].rstrip("/")
        scope["raw_path"] = (scope.get("raw_path") or b"").partition(b"?")[0].rstrip(b"/")


def sign_in(request: Request) -> Response:
    """Exchange the token in the address of a page for a cookie, and redirect to the address without it. An existing
    session stays if the token is not (or no longer) valid."""
    site: Site = request.app.state.site
    door: AuthContext = request.app.state.door
    query = parse_qsl(request.scope["query_string"].decode("latin-1"), keep_blank_values=True)
    secret = next((value for key, value in query if key == "token"), "")
    # More than one leading slash would name another server.
    target = "/" + quote(request.scope["path"].lstrip("/\\"))
    rest = urlencode([(key, value) for key, value in query if key != "token"])
    target = f"{target}?{rest}" if rest else target
    try:
        principal = verify_secret(secret, door, site.access)
        response = RedirectResponse(target, 303)
        give_cookie(response, request, principal)
    except ForgeError as error:
        reason = "invalid" if isinstance(error, NotSignedInError) else "unavailable"
        login = "/login?" + urlencode({"reason": reason, "to": target})
        response = RedirectResponse(target if _is_signed_in(request) else login, 303)
    response.headers["cache-control"] = "no-store"
    return response


def _is_signed_in(request: Request) -> bool:
    try:
        authorise(request)
    except ForgeError:
        return False
    return True


def give_cookie(response: Response, request: Request, principal: Principal) -> Principal:
    """Open a session with the rights of the caller; who they are from now on."""
    site: Site = request.app.state.site
    door: AuthContext = request.app.state.door
    session, secret = site.access.open_session(
        principal.user, scope=principal.scope, origin=principal.origin, until=principal.expires_at
    )
    response.set_cookie(
        door.cookie,
        secret,
        max_age=int((session.expires_at - session.created_at).total_seconds()) if session.expires_at else None,
        path="/",
        secure=request.scope["scheme"] == "https",
        httponly=True,
        samesite="strict",
    )
    return Principal(principal.user, "cookie", session.scope, session.expires_at, session)


def _marked(message: Message, request_id: str, data: bool) -> list[tuple[bytes, bytes]]:
    headers = MutableHeaders(raw=[*message.get("headers", ()), *_RAW_HEADERS, (b"x-request-id", request_id.encode())])
    if data and "cache-control" not in headers:
        headers["cache-control"] = "no-store"
    return headers.raw

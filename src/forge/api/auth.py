"""Authentication and authorisation: one function that every request for data passes."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from ipaddress import ip_address
from typing import TYPE_CHECKING, Annotated, Literal

from anyio import from_thread
from fastapi import Depends, Request
from starlette.datastructures import Headers

from forge.flows.upkeep.access import LOGIN, Access, NotSignedInError, Token, TokenKind, TokenScope, digest_of
from forge.model.errors import ForgeError

if TYPE_CHECKING:
    from forge.api.site import Site

SAFE = ("GET", "HEAD", "OPTIONS")
SESSION = "/api/v1/session"
_HOST = re.compile(r"(?P<name>\[[0-9a-f:.]{2,45}\]|[a-z0-9_][a-z0-9._-]{0,254})(:(?P<port>[0-9]{1,5}))?", re.A | re.I)
RUNS = "/api/v1/runs/"
QUERIES = "/api/v1/federation/query/"
KEY = "x-api-key"  # how some tools send a token: datacontract-cli, which publishes results of tests
# Public: liveness, and the API description. Web files hold no data.
OPEN = ("/healthz", "/readyz", "/openapi.json")
# Questions that are too long for an address: they change nothing, so a token that may only read may ask them.
QUESTIONS = (
    "/api/v1/contracts/lint",
    "/api/v1/federation/query",
    "/api/v1/federation/query/compose",
    "/api/v1/federation/query/explain",
    "/api/v1/federation/query/outline",
    "/api/v1/lineage/impact/column",
    "/api/v1/lineage/impact/schema",
    "/api/v1/quality/checks/validate",
    "/api/v1/quality/monitors/preview",
)


@dataclass(frozen=True, slots=True)
class AuthContext:
    """Server settings that sign-in depends on."""

    port: int
    hosts: frozenset[str] = frozenset()
    login_digest: str | None = None  # of the secret in the address that was printed at the start
    user: str = ""

    @property
    def cookie(self) -> str:
        """Browsers share cookies between the ports of a host, so each server has its own."""
        return f"forge_{self.port}"


@dataclass(frozen=True, slots=True)
class Principal:
    """The authenticated caller."""

    user: str
    auth: Literal["cookie", "token"]
    scope: TokenScope
    expires_at: datetime | None
    token: Token | None = field(repr=False, default=None)  # None: the secret that was printed at the start
    gone: Callable[[], bool] = field(repr=False, compare=False, default=lambda: False)  # who asked waits no longer

    @property
    def owner(self) -> str:
        """Whose limits apply: those of the token, shared by its sessions."""
        if self.token is None:
            return LOGIN
        return self.token.name if self.token.kind is TokenKind.SESSION else self.token.id

    @property
    def origin(self) -> str:
        return self.token.origin if self.token else LOGIN


def needs_sign_in(method: str, path: str) -> bool:
    """Everything does, apart from the open list and the web app's own files."""
    if path in OPEN:
        return False
    return is_data(path) or method not in ("GET", "HEAD")


def is_data(path: str) -> bool:
    return path == "/metrics" or path == "/api" or path.startswith("/api/")


def would_wait(request: Request) -> bool:
    """Whether `authorise` would query the database; if so, call it in a thread."""
    site: Site = request.app.state.site
    door: AuthContext = request.app.state.door
    secret = _bearer(request) or request.headers.get(KEY) or request.cookies.get(door.cookie)
    return secret is not None and not _is_login(secret, door) and not site.access.remembers(secret)


def authorise(request: Request) -> Principal:
    """The caller, if this request is permitted."""
    site: Site = request.app.state.site
    door: AuthContext = request.app.state.door
    principal = _principal(request, door, site.access)
    if request.method not in SAFE:
        _refuse_other_sites(request, principal)
        # Signing in and out changes nothing but the caller's own session.
        # A cancelled run may be a read of the caller's own; the route checks.
        is_own = request.method == "DELETE" and request.scope["path"].startswith((RUNS, QUERIES))
        if (
            principal.scope is not TokenScope.WRITE
            and not is_own
            and request.scope["path"] not in (SESSION, *QUESTIONS)
        ):
            raise ForgeError(
                "E904",
                "This token may only read",
                why=f"{request.method} needs the scope write.",
                fix="Make one that may write: forge token create NAME --scope write",
            )
    return principal


def verify_secret(secret: str, door: AuthContext, access: Access) -> Principal:
    """The secret of an API token, or the login secret printed at start-up."""
    if _is_login(secret, door):
        return Principal(door.user, "token", TokenScope.WRITE, None)
    token = access.verify(secret)
    return Principal(token.created_by, "token", token.scope, token.expires_at, token)


def _is_login(secret: str, door: AuthContext) -> bool:
    return door.login_digest is not None and hmac.compare_digest(digest_of(secret), door.login_digest)


def _bearer(request: Request) -> str | None:
    scheme, _, secret = request.headers.get("authorization", "").partition(" ")
    return secret.strip() or None if scheme.lower() == "bearer" else None


def _principal(request: Request, door: AuthContext, access: Access) -> Principal:
    if "authorization" in request.headers:
        secret = _bearer(request)
        if secret is None:
            raise NotSignedInError("The Authorization header is not understood", fix="Send: Bearer TOKEN")
        return verify_secret(secret, door, access)
    if KEY in request.headers:
        return verify_secret(request.headers[KEY].strip(), door, access)
    cookie = request.cookies.get(door.cookie)
    if cookie is None:
        raise NotSignedInError(
            "You are not signed in",
            why="The request carries neither a token nor the cookie of a session.",
            fix="Open the address that `forge serve` printed, or send `Authorization: Bearer TOKEN` "
            "(forge token create NAME).",
        )
    session = access.verify(cookie)
    return Principal(session.created_by, "cookie", session.scope, session.expires_at, session)


def _refuse_other_sites(request: Request, principal: Principal) -> None:
    """SameSite is not enough: to a browser, another port of this machine is the same site."""
    if principal.auth != "cookie" or request.headers.get("sec-fetch-site") == "same-origin":
        return
    if request.headers.get("origin") != f"{request.scope['scheme']}://{request.headers.get('host', '')}":
        raise ForgeError(
            "E904",
            "The request comes from another site",
            why="A change made with a browser's session must come from a page of this server.",
            fix="Use a token: Authorization: Bearer TOKEN",
        )


def is_loopback(host: str) -> bool:
    if host in ("localhost", "127.0.0.1"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(headers: Headers) -> str:
    """The host name in the only Host header of a request; empty if there is none. Anything else that can appear
    there (a path, a user, spaces, a second header) is rejected, because programs parse it differently."""
    given = headers.getlist("host")
    if not given or given == [""]:
        return ""
    found = _HOST.fullmatch(given[0])
    if len(given) > 1 or found is None or int(found["port"] or 0) > 65535:
        raise ForgeError(
            "E910",
            "The Host header is not the name of a host" if len(given) == 1 else "The request names several hosts",
            why=f"It is {', '.join(given)[:100]!r}.",
            fix="Send one: a name or address, and a port if need be.",
        )
    return found["name"].lower().strip("[]").rstrip(".")


def refuse_unknown_host(headers: Headers, door: AuthContext, *, any_name: bool = False) -> None:
    """Protects against DNS rebinding: a foreign page could point its own name at this machine and read the
    responses."""
    name = host_of(headers)
    if any_name or is_loopback(name) or name in door.hosts:
        return
    given = headers.get("host", "")
    raise ForgeError(
        "E910",
        f"This server does not answer for the host '{given[:100]}'",
        fix="Add it to server.allowed_hosts in forge.yaml, if it is yours.",
    )


async def _signed_in(request: Request) -> Principal:
    principal: Principal = request.scope["state"]["principal"]
    return replace(principal, gone=partial(_is_gone, request))


def _is_gone(request: Request) -> bool:
    """Asked by the thread that works on the request."""
    try:
        return from_thread.run(request.is_disconnected)
    except RuntimeError:  # no such thread, as in a test
        return False


ThePrincipal = Annotated[Principal, Depends(_signed_in)]

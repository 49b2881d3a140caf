"""Errors over HTTP: RFC 9457 problem+json, made in this one place from the errors the rest of Forge raises."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import Scope

from forge.api.bodies import not_json
from forge.catalog.edit import StaleVersionError
from forge.flows.federation.running import QueryTimeoutError
from forge.model.codes import CODES
from forge.model.errors import DatabaseBusyError, ErrorKind, ForgeError, errors_of

logger = logging.getLogger("forge.server")

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = "2"
_BY_KIND = {
    ErrorKind.INVALID: 422,
    ErrorKind.NOT_FOUND: 404,
    ErrorKind.CONFLICT: 409,
    ErrorKind.REFUSED: 409,
    ErrorKind.UNAVAILABLE: 503,
}
_BY_CODE = {
    "E000": 500,
    "E216": 403,
    "E622": 413,
    "E631": 403,
    "E747": 403,
    "E855": 403,
    "E878": 403,
    "E879": 403,
    "E885": 403,
    "E886": 403,
    "E903": 401,
    "E904": 403,
    "E906": 429,
    "E915": 429,
    "E910": 400,
    "E911": 413,
    "E912": 408,
    "E913": 429,
}


def status_of(code: str) -> int:
    return _BY_CODE.get(code) or _BY_KIND[CODES[code].kind]


def problem_of(error: Exception, scope: Scope) -> Response:
    """The response for any error. An unexpected one is written to the log, not shown to the caller."""
    match error:
        case ForgeError():
            return _forge(error, scope)
        case RequestValidationError():
            return _invalid(error, scope)
        case HTTPException():
            return _http(error, scope)
        case PoolTimeout():
            busy = DatabaseBusyError("The database is busy", why="Too many requests wait for it.", fix="Try again.")
            return _forge(busy, scope)
    return _unforeseen(error, scope)


def _forge(error: ForgeError, scope: Scope) -> Response:
    # The caller's own timeout, not a limit of the server, which another attempt may keep.
    status = 408 if isinstance(error, QueryTimeoutError) else status_of(error.code)
    if status == 409 and scope["method"] in ("GET", "HEAD"):  # a read conflicts with nobody: it cannot be answered
        status = 422
    more = {"current_version": error.current} if isinstance(error, StaleVersionError) else {}
    return _problem(scope, status, [one.to_dict() for one in errors_of(error)], more=more)


def _invalid(error: RequestValidationError, scope: Scope) -> Response:
    found = [_invalid_part(part) for part in error.errors()]
    return _problem(scope, 422, [one.to_dict() for one in found])


def _invalid_part(part: Mapping[str, Any]) -> ForgeError:
    """`query.limit`, or `body.params.day` of a part of the body."""
    if part["type"] == "json_invalid":
        reason = str(part.get("ctx", {}).get("error", part["msg"]))
        return ForgeError("E105", "The body is not JSON", where="body", why=reason, fix="Send a JSON object.")
    if part["loc"] == ("body",) and isinstance(part.get("input"), bytes):
        return not_json()
    where = ".".join(str(step) for step in part["loc"])
    return ForgeError("E105", str(part["msg"]), where=where, fix="The description of the API is at /openapi.json.")


def _http(error: HTTPException, scope: Scope) -> Response:
    headers = dict(error.headers or {})
    if error.status_code == 405:
        what, code = f"{scope['method']} is not possible here", "E105"
    elif error.status_code == 404:
        what, code = "There is nothing at this address", "E108"
    elif error.status_code == 400:  # FastAPI's, for a body that is no text
        unread = ForgeError("E105", "The body cannot be read", where="body", fix="Send JSON, as UTF-8.")
        return _forge(unread, scope)
    else:
        what, code = str(error.detail), "E105"
    problem = ForgeError(code, what, where=scope["path"], fix="The description of the API is at /openapi.json.")
    return _problem(scope, error.status_code, [problem.to_dict()], headers)


def _unforeseen(error: Exception, scope: Scope) -> Response:
    request_id = scope.get("state", {}).get("request_id", "-")
    logger.error("unforeseen error in request %s", request_id, exc_info=error)
    problem = ForgeError(
        "E000",
        "Something happened that Forge did not foresee",
        why=f"The server's log has more, under request {request_id}.",
        fix="Try again; if it stays, report it with that part of the log.",
    )
    return _problem(scope, 500, [problem.to_dict()])


def _problem(
    scope: Scope,
    status: int,
    errors: Sequence[Mapping[str, str | None]],
    headers: Mapping[str, str] | None = None,
    more: Mapping[str, object] | None = None,
) -> Response:
    first = errors[0]
    code = str(first["code"]).removeprefix("FORGE-")
    document = {
        "type": f"urn:forge:error:{code}",
        "title": CODES[code].title if code in CODES else HTTPStatus(status).phrase,
        "status": status,
        "detail": first["what"],
        "instance": scope["path"],
        **{name: first[name] for name in ("code", "where", "why", "fix")},
        "errors": list(errors) if len(errors) > 1 else [],
        **(more or {}),
    }
    sent = {**(headers or {})}
    if status in (429, 503):
        sent["retry-after"] = RETRY_SECONDS
    if status == 401:
        sent["www-authenticate"] = "Bearer"
    body = json.dumps(document, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(body, status, sent, MEDIA_TYPE)

"""The media type that a caller prefers, of a route that has more than JSON."""

from __future__ import annotations

from collections.abc import Collection

from starlette.requests import Request

VARY = {"vary": "accept"}
_JSON = ("application/json", "*/*", "application/*")


def prefers(request: Request, kinds: Collection[str]) -> bool:
    """Whether one of these is the first supported media type of the caller, before JSON."""
    for part in request.headers.get("accept", "").split(","):
        kind = part.partition(";")[0].strip().lower()
        if kind in kinds:
            return True
        if kind in _JSON:
            return False
    return False

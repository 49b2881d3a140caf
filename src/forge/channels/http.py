"""JSON to an address, without redirects: one would take keys elsewhere."""

from __future__ import annotations

import ssl
import urllib.error
import urllib.request
from collections.abc import Mapping
from http.client import HTTPException
from urllib.parse import urlsplit

from forge.flows.quality.incidents.ports import NotSent

_OF_THE_MESSAGE = (400, 413, 422)  # the message itself is at fault, and will be the next time
_MOST = 2000  # bytes of an answer that are read


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: object, **__: object) -> None:
        return None


def post(
    url: str, body: bytes, headers: Mapping[str, str], seconds: float, ca_file: str | None = None
) -> tuple[int, str]:
    """Status and text of the answer; NotSent for anything but a 2xx. Messages never hold the address's path or query,
    which may be a secret."""
    host = shown(url)
    if urlsplit(url).scheme not in ("http", "https"):
        raise NotSent("the address is not one of http or https")
    request = urllib.request.Request(  # noqa: S310, checked above
        url, body, {"content-type": "application/json", "user-agent": "forge", **headers}, method="POST"
    )
    try:
        with _opener(ca_file).open(request, timeout=seconds) as response:
            return response.status, response.read(_MOST).decode(errors="replace")
    except urllib.error.HTTPError as error:
        with error:
            said = error.read(_MOST).decode(errors="replace").strip()
        wait = _seconds(error.headers.get("retry-after"))
        final = error.code in _OF_THE_MESSAGE
        raise NotSent(f"{host} answered {error.code}: {said[:200]}".rstrip(": "), final=final, wait=wait) from error
    except urllib.error.URLError as error:
        raise NotSent(f"{host}: {error.reason}") from error
    except (OSError, HTTPException, ValueError) as error:
        raise NotSent(f"{host}: {error or type(error).__name__}") from error


def _opener(ca_file: str | None) -> urllib.request.OpenerDirector:
    context = ssl.create_default_context()
    if ca_file is not None:
        context.load_verify_locations(ca_file)
    return urllib.request.build_opener(_NoRedirect, urllib.request.HTTPSHandler(context=context))


def shown(url: str) -> str:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    return f"{parts.hostname or 'the address'}{f':{port}' if port else ''}"


def _seconds(text: str | None) -> float | None:
    """Of a Retry-After; one that is a date is not read, the backoff does for it."""
    return float(text) if text is not None and text.strip().isdigit() else None

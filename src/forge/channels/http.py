"""POST of JSON without redirects, which could carry keys to another host."""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from urllib.parse import urlsplit

from forge.flows.quality.incidents.ports import SendError

_OF_THE_MESSAGE = (400, 413, 422)  # the message itself is at fault, and will be the next time
_MOST = 2000  # bytes of an answer that are read


def post(
    url: str, body: bytes, headers: Mapping[str, str], seconds: float, ca_file: str | None = None
) -> tuple[int, str]:
    """Status and text of the response; raises for anything but a 2xx. Messages never contain the path or query of the
    URL, which may be secret."""
    status, text, wait = exchange(url, body, headers, seconds, ca_file)
    if not 200 <= status < 300:
        detail = f"{shown(url)} answered {status}: {text.strip()[:200]}".rstrip(": ")
        raise SendError(detail, final=status in _OF_THE_MESSAGE, wait=wait)
    return status, text


def exchange(
    url: str, body: bytes, headers: Mapping[str, str], seconds: float, ca_file: str | None = None
) -> tuple[int, str, float | None]:
    """Any response: its status, the beginning of its text, and its Retry-After. Raises where there is none."""
    import httpx

    if urlsplit(url).scheme not in ("http", "https"):
        raise SendError("the address is not one of http or https")
    headers = {"content-type": "application/json", "user-agent": "forge", "accept-encoding": "identity", **headers}
    context = ssl.create_default_context()
    try:
        if ca_file is not None:
            context.load_verify_locations(ca_file)
        with (
            httpx.Client(verify=context, timeout=seconds, follow_redirects=False) as client,
            client.stream("POST", url, content=body, headers=headers) as response,
        ):
            content = b""
            for chunk in response.iter_raw():
                content += chunk
                if len(content) >= _MOST:
                    break
            wait = _seconds(response.headers.get("retry-after"))
            return response.status_code, content[:_MOST].decode(errors="replace"), wait
    except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
        raise SendError(f"{shown(url)}: {error or type(error).__name__}") from error


def shown(url: str) -> str:
    parts = urlsplit(url)
    try:
        port = parts.port
    except ValueError:
        port = None
    return f"{parts.hostname or 'the address'}{f':{port}' if port else ''}"


def _seconds(text: str | None) -> float | None:
    """Of a Retry-After; a date is ignored, as the backoff suffices."""
    return float(text) if text is not None and text.strip().isdigit() else None

"""A contract as a request brings it: YAML, or JSON, which is kept as YAML."""

from __future__ import annotations

import json

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from forge.contracts.document import MAX_BYTES
from forge.model.errors import ForgeError

YAML = "application/yaml"
YAML_TYPES = (YAML, "application/x-yaml", "text/yaml", "text/x-yaml", "text/plain")


async def read_text(request: Request) -> str:
    """413 where it is too large, 415 where it is packed; E105 where it is no text."""
    kind = _kind(request)
    if request.headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
        raise HTTPException(415, "A contract is sent as it is, not packed")
    body = await _receive(request)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unread(f"It is not UTF-8: {error.reason}.") from None
    if not text.strip():
        raise _unread("It is empty.")
    if "\x00" in text:
        raise _unread("It holds a NUL, which no text does.")
    return text if kind in YAML_TYPES else _yaml_of(text)


def wants_yaml(request: Request) -> bool:
    """Whether the first kind that the caller names, of those there are, is YAML."""
    for part in request.headers.get("accept", "").split(","):
        kind = part.partition(";")[0].strip().lower()
        if kind in YAML_TYPES[:-1]:
            return True
        if kind in ("application/json", "*/*", "application/*"):
            return False
    return False


def _kind(request: Request) -> str:
    kind = request.headers.get("content-type", YAML).partition(";")[0].strip().lower()
    if kind in YAML_TYPES or kind.endswith(("/json", "+json", "+yaml")):
        return YAML if kind.endswith("+yaml") else kind
    raise ForgeError(
        "E105",
        "The body is not taken as a contract",
        where="body",
        why=f"Its content type is {kind[:60] or 'not given'}.",
        fix=f"Send Content-Type: {YAML}, or application/json.",
    )


async def _receive(request: Request) -> bytes:
    said = request.headers.get("content-length", "")
    if said.isdigit() and int(said) > MAX_BYTES:
        raise _too_large()
    body = bytearray()
    try:
        async for chunk in request.stream():
            body += chunk
            if len(body) > MAX_BYTES:
                raise _too_large()
    except ClientDisconnect:
        raise _unread("It ended too early.") from None
    return bytes(body)


def _yaml_of(text: str) -> str:
    """JSON is nearly YAML; what differs is told apart here."""
    import yaml

    try:
        data = json.loads(text)
        if not isinstance(data, dict):
            raise _unread("It is not a JSON object.")
        written = yaml.safe_dump(data, sort_keys=False, allow_unicode=True, width=120)
        written.encode("utf-8")
    except RecursionError:
        raise _unread("It is nested too deeply.") from None
    except (ValueError, yaml.YAMLError) as error:
        raise _unread(f"It is not JSON: {str(error)[:200]}") from None
    return written


def _unread(why: str) -> ForgeError:
    return ForgeError("E105", "The contract cannot be read", where="body", why=why, fix="Send YAML or JSON, in UTF-8.")


def _too_large() -> HTTPException:
    return HTTPException(413, f"The contract is larger than {MAX_BYTES // 1_000_000} MB")

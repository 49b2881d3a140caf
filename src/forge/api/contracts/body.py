"""A contract in a request body: YAML, or JSON, which is stored as YAML."""

from __future__ import annotations

import json
from collections import Counter

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from forge.api.accept import prefers
from forge.api.bodies import chunks_within, refuse_deep
from forge.model.errors import ForgeError
from forge.model.yaml_reader import MAX_BYTES

YAML = "application/yaml"
MAX_JSON_BYTES = 2_000_000
"""JSON is turned into YAML first, which takes longer than reading YAML."""
YAML_TYPES = (YAML, "application/x-yaml", "text/yaml", "text/x-yaml", "text/plain")


async def read_text(request: Request) -> str:
    """413 where it is too large, 415 where it is compressed; E105 where it is not valid text."""
    kind = _kind(request)
    if request.headers.get("content-encoding", "").strip().lower() not in ("", "identity"):
        raise HTTPException(415, "A contract is sent as it is, not packed")
    is_yaml = kind in YAML_TYPES
    limit = MAX_BYTES if is_yaml else MAX_JSON_BYTES
    refusal = HTTPException(413, f"The contract is larger than {limit // 1_000_000} MB")
    try:
        body = b"".join([chunk async for chunk in chunks_within(request, limit, refusal)])
    except ClientDisconnect:
        raise _unread("It ended too early.") from None
    return await run_in_threadpool(_text_of, body, is_yaml)


def _text_of(body: bytes, is_yaml: bool) -> str:
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _unread(f"It is not UTF-8: {error.reason}.") from None
    if not text.strip():
        raise _unread("It is empty.")
    if "\x00" in text:
        raise _unread("It holds a NUL, which no text does.")
    if is_yaml:
        return text
    refuse_deep(body)
    return _yaml_of(text)


def wants_yaml(request: Request) -> bool:
    """Whether the first supported media type of the caller is YAML."""
    return prefers(request, YAML_TYPES[:-1])


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


def _yaml_of(text: str) -> str:
    """JSON is nearly YAML; the differences are handled here."""
    import yaml

    dumper = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
    try:
        data = json.loads(text, object_pairs_hook=_keys_once)
        if not isinstance(data, dict):
            raise _unread("It is not a JSON object.")
        written = yaml.dump(data, Dumper=dumper, sort_keys=False, allow_unicode=True, width=120)
        written.encode("utf-8")
    except RecursionError:
        raise _unread("It is nested too deeply.") from None
    except (ValueError, yaml.YAMLError) as error:
        raise _unread(f"It is not JSON: {str(error)[:200]}") from None
    return written


def _keys_once(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """As in YAML, duplicate keys are an error."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = Counter(key for key, _ in pairs).most_common(1)[0][0]
        raise _unread(f"The key {twice[:100]!r} is given twice.")
    return found


def _unread(why: str) -> ForgeError:
    return ForgeError("E105", "The contract cannot be read", where="body", why=why, fix="Send YAML or JSON, in UTF-8.")

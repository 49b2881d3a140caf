"""A JSON body, optionally gzipped: neither the compressed nor the decompressed size ever exceeds the limit."""

from __future__ import annotations

import json
import zlib
from typing import NoReturn

from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from forge.api.bodies import chunks_within, not_json, refuse_deep
from forge.model.errors import ForgeError

MOST_BYTES = 16 * 1024 * 1024
_GZIP = 16 + zlib.MAX_WBITS
_PLAIN, _ZIPPED = ("", "identity"), ("gzip", "x-gzip")


async def read_json(request: Request, *, limit: int = MOST_BYTES) -> object:
    """413 where it is too large, 415 where it is packed otherwise; E818 where it is not JSON."""
    kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
    if not kind.endswith(("/json", "+json")):
        raise not_json()
    encoding = request.headers.get("content-encoding", "").strip().lower()
    if encoding not in (*_PLAIN, *_ZIPPED):
        raise HTTPException(415, f"The encoding {encoding[:40]} is not known; send gzip, or none")
    try:
        body = b"".join([chunk async for chunk in chunks_within(request, limit, _too_large(limit))])
    except ClientDisconnect:
        raise ForgeError("E818", "The body ended too early", where="/") from None
    return await run_in_threadpool(_parse, body, encoding in _ZIPPED, limit)


def _parse(body: bytes, zipped: bool, limit: int) -> object:
    try:
        text = _unzipped(body, limit) if zipped else body
        refuse_deep(text)
        return json.loads(text, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        reason = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        raise ForgeError(
            "E818", "The body is not JSON", where="/", why=reason[:200], fix="Send an event as JSON, in UTF-8."
        ) from None


def _unzipped(body: bytes, limit: int) -> bytes:
    """One gzip stream; decompression stops at the limit."""
    stream = zlib.decompressobj(_GZIP)
    try:
        found = stream.decompress(body, limit + 1)
    except zlib.error as error:
        raise ForgeError("E818", "The body is not gzip", where="/", why=str(error)) from None
    if len(found) > limit:
        raise _too_large(limit)
    if not stream.eof:
        raise ForgeError("E818", "The body is not gzip", where="/", why="It ends too early.")
    return found


def _no_number(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number of JSON")


def _too_large(limit: int) -> HTTPException:
    return HTTPException(413, f"The body is larger than {limit // (1024 * 1024)} MB; send fewer events at once")

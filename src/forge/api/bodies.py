"""Request bodies: limits on size, on time to arrive and on nesting, all enforced before parsing."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import accumulate

from starlette.requests import ClientDisconnect, Request
from starlette.types import Message, Receive, Scope

from forge.model.errors import ForgeError

RATE = 64 * 1024  # so many bytes earn their sender another second: a large upload over a slow line is not a slow sender
DEEPEST = 100
LARGE = 16 * 1024 * 1024
_DRAINED, _DRAIN_SECONDS = LARGE, 1.0
# These read their body piece by piece, by limits of their own: uploads, OpenLineage, contracts and results of tests.
STREAMED = re.compile(
    r"POST /api/v1/(branches/.+/commits|lineage(/batch)?|contracts/(lint|results))|PUT /api/v1/contracts/.+", re.DOTALL
)
# Lists of many changes, by those who may write.
BULK = re.compile(
    r"POST /api/v1/(branches/.*merges/[^/]+/resolve|lineage/(edges|derivations|anonymizations)"
    r"|catalog/(glossary/import|assets/batch))",
    re.DOTALL,
)
_STRINGS, _BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"?', re.DOTALL), re.compile(rb"[][{}]")
_ESCAPES = re.compile(rb"\\(?:u([dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL)
_STEPS = {b"[": 1, b"{": 1, b"]": -1, b"}": -1}


@dataclass(frozen=True, slots=True)
class BodyLimits:
    bytes: int = 1024 * 1024
    seconds: float = 60.0


DEFAULT_LIMITS = BodyLimits()


class Body:
    """The body of one request as it arrives. `is_read`: nothing of it is left on the connection."""

    def __init__(self, scope: Scope, receive: Receive, limits: BodyLimits) -> None:
        self._receive, self._seconds = receive, limits.seconds
        address = f"{scope['method']} {scope['path']}"
        self._streamed = STREAMED.fullmatch(address) is not None
        self._most = None if self._streamed else max(LARGE, limits.bytes) if BULK.fullmatch(address) else limits.bytes
        self._declared = _declared_length(scope)
        self.is_read = self._declared == 0
        self._size, self._waited = 0, 0.0

    async def checked(self) -> Receive:
        """What the application reads the body from: a stream where a route streams it, else all of it."""
        if self._streamed or self.is_read:
            return self.receive
        whole = await self._whole()
        refuse_deep(whole)
        refuse_lone_surrogates(whole)
        replay: Iterator[Message] = iter([{"type": "http.request", "body": whole, "more_body": False}])

        async def receive() -> Message:
            return next(replay, None) or await self._receive()

        return receive

    async def receive(self) -> Message:
        if self.is_read:  # what comes now is that the caller has left; there is no hurry
            return await self._receive()
        began = time.monotonic()
        try:
            async with asyncio.timeout(self._seconds + self._size / RATE - self._waited):
                message = await self._receive()
        except TimeoutError:
            raise _too_slow(self._seconds) from None
        self._waited += time.monotonic() - began
        if message["type"] == "http.request":
            self._size += len(message.get("body", b""))
            self.is_read = not message.get("more_body", False)
            if self._most is not None and self._size > self._most:
                raise too_large(self._most)
        return message

    async def drain(self) -> None:
        """After a refusal, read and discard for a moment: a client that is still sending may not see the response."""
        if self._declared is not None and self._declared > _DRAINED:
            return
        until = self._size + _DRAINED
        with suppress(TimeoutError):
            async with asyncio.timeout(_DRAIN_SECONDS):
                while not self.is_read and self._size < until:
                    message = await self._receive()
                    if message["type"] != "http.request":
                        return
                    self._size += len(message.get("body", b""))
                    self.is_read = not message.get("more_body", False)

    async def _whole(self) -> bytes:
        if self._most is not None and self._declared is not None and self._declared > self._most:
            raise too_large(self._most)
        body = bytearray()
        while not self.is_read:
            message = await self.receive()
            if message["type"] == "http.disconnect":
                raise ClientDisconnect
            body += message.get("body", b"")
        return bytes(body)


def _declared_length(scope: Scope) -> int | None:
    """The declared content length; None if not declared."""
    headers = dict(scope["headers"])
    if b"transfer-encoding" in headers:
        return None
    length = headers.get(b"content-length", b"0")
    return int(length) if length.isdigit() else None


async def chunks_within(request: Request, limit: int, refusal: Exception) -> AsyncGenerator[bytes]:
    """A streamed body, refused as soon as the declared or received size exceeds the limit."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared) > limit:
        raise refusal
    size = 0
    async for chunk in request.stream():
        size += len(chunk)
        if size > limit:
            raise refusal
        yield chunk


def refuse_deep(body: bytes) -> None:
    """Refuse JSON nested too deeply: code that walks it recurses once per level."""
    bare = _STRINGS.sub(b"", body)
    deepest = max(accumulate(_STEPS[found[0]] for found in _BRACKETS.finditer(bare)), default=0)
    if deepest > DEEPEST:
        raise ForgeError(
            "E105",
            "The body is nested too deeply",
            where="body",
            why=f"More than {DEEPEST} lists and objects stand within each other.",
            fix="Send it flatter.",
        )


def refuse_lone_surrogates(body: bytes) -> None:
    """Text that is none: half of a character as it is written in JSON (`\\ud800`), or bytes that are not UTF-8. Python
    takes both for text, and no answer, file or database can hold it."""
    try:
        body.decode()
        is_text = b"\0" not in body and not _has_half(body)
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        raise ForgeError(
            "E105",
            "The body holds what is no text",
            where="body",
            why="It has half of a character, or bytes that are not UTF-8.",
            fix="Send it as UTF-8, and both halves of a character that JSON escapes.",
        )


def _has_half(body: bytes) -> bool:
    """A high surrogate (d800 to dbff) must be followed by a low one (dc00 to dfff); neither stands alone."""
    first: int | None = None  # where the second half has to begin
    for found in _ESCAPES.finditer(body) if b"\\u" in body else ():
        is_second = found[1] is not None and found[1][1:2].lower() in b"cdef"
        if is_second != (first == found.start()):
            return True
        first = found.end() if found[1] is not None and not is_second else None
    return first is not None


def not_json() -> ForgeError:
    return ForgeError(
        "E105",
        "The body is not taken as JSON",
        where="body",
        why="The request does not say that it is.",
        fix="Send Content-Type: application/json",
    )


def too_large(limit: int) -> ForgeError:
    shown = f"{limit / 2**20:,.0f} MB" if limit >= 2**20 else f"{limit:,} bytes"
    return ForgeError(
        "E911",
        f"The body is larger than {shown}",
        why="Nothing of it was taken.",
        fix="Send less at once, or raise server.max_body_bytes in forge.yaml.",
    )


def _too_slow(seconds: float) -> ForgeError:
    return ForgeError(
        "E912",
        "The body took too long to come",
        why=f"A request has {seconds:g} seconds to send it, and one more for every {RATE // 1024} kB.",
        fix="Try again; server.body_seconds in forge.yaml gives it longer.",
    )

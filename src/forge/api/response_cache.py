"""Answers of reading routes, kept for a moment: however many people have a page open, the records are read once.

An answer is never older than `life`, and never older than the last change that was made through this server. This is
the outer of two: it spares the routes, and knows nothing of what others write. `record_cache.RecordCache` is asked by
the four routes that are expensive to make, and holds by the mark of the records, so also when nobody had this page
open."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from forge.model.lru_cache import LruCache

_MOST, _LARGEST = 256, 1_000_000
# Who is calling and what is for them alone, what is live already, and rows, which are many and seldom asked for twice.
_NEVER = (
    "/api/v1/session",
    "/api/v1/tokens",
    "/api/v1/runs/",
    "/api/v1/catalog/recommendations",
    "/api/v1/federation/",
)
_BY_CALLER = ("/api/v1/runs",)  # what others ask is not for everyone


@dataclass(frozen=True, slots=True)
class _Answer:
    made: float
    change: int
    route: Any
    messages: tuple[Message, ...]


class ResponseCache:
    def __init__(self, app: ASGIApp, life: float) -> None:
        self._app, self._life = app, life
        self._answers: LruCache[bytes, _Answer] = LruCache(_MOST)
        self._making: dict[bytes, asyncio.Future[_Answer | None]] = {}
        self._change = 0  # counts what was changed through this server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not _is_read(scope):
            await self._app(scope, receive, send)
            if scope["type"] == "http" and scope["method"] not in ("GET", "HEAD", "OPTIONS"):
                self._change += 1
            return
        path = scope.get("raw_path") or scope["path"].encode()
        key = path + b"?" + scope["query_string"] + _wanted(scope) + _caller(scope)
        answer = self._known(key)
        if answer is None and key in self._making:
            answer = await asyncio.shield(self._making[key])
        if answer is None or answer.change != self._change:
            await self._make(key, scope, receive, send)
            return
        scope["route"] = answer.route  # for the numbers
        for message in answer.messages:
            await send({**message})

    def _known(self, key: bytes) -> _Answer | None:
        """A fresh response or, while it is being recomputed, the one that has just expired."""
        answer = self._answers.get(key)
        if answer is None or answer.change != self._change:
            return None
        life = self._life * (2 if key in self._making else 1)
        return answer if time.monotonic() - answer.made < life else None

    async def _make(self, key: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        making = asyncio.get_running_loop().create_future()
        mine = self._making.setdefault(key, making) is making
        began, change = time.monotonic(), self._change
        messages: list[Message] = []

        async def send_noted(message: Message) -> None:
            messages.append({**message})
            await send(message)

        answer = None
        try:
            await self._app(scope, receive, send_noted)
            if _is_whole(messages):
                answer = _Answer(began, change, scope.get("route"), tuple(messages))
                self._answers.keep({key: answer})
        finally:
            if mine:
                del self._making[key]
                making.set_result(answer)


def _is_read(scope: Scope) -> bool:
    path: str = scope["path"]
    if scope["method"] != "GET" or not path.startswith("/api/v1/") or path.endswith("/data"):
        return False
    return not path.startswith(_NEVER)


def _wanted(scope: Scope) -> bytes:
    """Some routes answer in the form that is asked for."""
    return b" " + next((value[:200] for name, value in scope["headers"] if name == b"accept"), b"")


def _caller(scope: Scope) -> bytes:
    if scope["path"] not in _BY_CALLER:
        return b""
    principal = scope["state"]["principal"]
    return f" {principal.scope} {principal.user}".encode()


def _is_whole(messages: list[Message]) -> bool:
    if not messages or messages[0].get("status") != 200 or messages[-1].get("more_body", False):
        return False
    return sum(len(message.get("body", b"")) for message in messages) <= _LARGEST

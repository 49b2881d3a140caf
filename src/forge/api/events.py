"""Server-sent events of runs. All listeners of a run share one poll."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool

from forge.api.runs.wire.runs import RunDetail
from forge.model.errors import ForgeError

LOOK_SECONDS = 0.4
COMMENT_SECONDS = 15.0
MOST_STREAMS = 100  # of one token
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # the latter: a proxy must not collect events
MEDIA_TYPE = "text/event-stream"
_log = logging.getLogger("forge.events")

Look = Callable[[], RunDetail]
MaySee = Callable[[], bool]


@dataclass(slots=True)
class _Watch:
    """One run, polled while anyone listens."""

    text: str
    over: bool
    number: int = 1
    listeners: int = 0
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)
    task: asyncio.Task[None] | None = None


class RunFeed:
    def __init__(self, *, look_seconds: float = LOOK_SECONDS, comment_seconds: float = COMMENT_SECONDS) -> None:
        self._watches: dict[tuple[str, str], _Watch] = {}  # by run and audience
        self._streams: Counter[str] = Counter()  # by their owner
        self._look_seconds = look_seconds
        self._comment_seconds = comment_seconds
        self._loop: asyncio.AbstractEventLoop | None = None
        self._closed = False

    async def open(
        self,
        run_id: str,
        look: Look,
        is_over: Callable[[RunDetail], bool],
        may_see: MaySee = lambda: True,
        owner: str = "",
        audience: str = "",
    ) -> AsyncIterator[str]:
        """The stream of a run. Looks at it before it answers, so that an unknown run is an error and not a stream.
        `may_see` is asked before every event: a stream ends with the token that opened it. `owner` is that token, which
        may have so many of them. `audience`: those to whom the run looks the same."""
        if self._streams[owner] >= MOST_STREAMS:
            raise ForgeError("E913", f"{MOST_STREAMS} streams are open by this token", fix="Close some of them.")
        self._loop = asyncio.get_running_loop()
        key = (run_id, audience)
        watch = self._watches.get(key)
        if watch is None:
            first = await run_in_threadpool(look)
            watch = _Watch(first.model_dump_json(), is_over(first))
        return self._listen(key, watch, look, is_over, may_see, owner)

    async def _listen(
        self,
        key: tuple[str, str],
        watch: _Watch,
        look: Look,
        is_over: Callable[[RunDetail], bool],
        may_see: MaySee,
        owner: str,
    ) -> AsyncIterator[str]:
        watch = self._watches.setdefault(key, watch)  # another may have come meanwhile
        watch.listeners += 1
        self._streams[owner] += 1
        if watch.task is None and not watch.over:
            watch.task = asyncio.create_task(self._look_on(watch, look, is_over))
        seen = 0
        try:
            yield "retry: 2000\n\n"
            while not self._closed and await _is_so(may_see):
                if seen != watch.number:
                    seen = watch.number
                    yield f"event: run\nid: {seen}\ndata: {watch.text}\n\n"
                elif watch.over:
                    yield f"event: end\nid: {seen}\ndata: {{}}\n\n"
                    return
                elif not await self._change(watch, seen):
                    yield ": still here\n\n"
        finally:
            self._streams[owner] -= 1
            self._streams += Counter()  # drops those without any
            self._leave(key, watch)

    async def _change(self, watch: _Watch, seen: int) -> bool:
        """False: no change for so long that the connection may be considered dead."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._comment_seconds), watch.changed:
                await watch.changed.wait_for(lambda: watch.number != seen or watch.over or self._closed)
                return True
        return False

    def _leave(self, key: tuple[str, str], watch: _Watch) -> None:
        watch.listeners -= 1
        if watch.listeners == 0:
            if self._watches.get(key) is watch:
                del self._watches[key]
            if watch.task is not None:
                watch.task.cancel()
                watch.task = None

    async def _look_on(self, watch: _Watch, look: Look, is_over: Callable[[RunDetail], bool]) -> None:
        while not watch.over and not self._closed:
            await asyncio.sleep(self._look_seconds)
            try:
                detail = await run_in_threadpool(look)
            except Exception as error:  # a database that is busy now may not be at the next poll
                _log.warning("a run cannot be looked at: %s", error, exc_info=not isinstance(error, ForgeError))
                continue
            text = detail.model_dump_json()
            async with watch.changed:
                if text != watch.text:
                    watch.text, watch.number = text, watch.number + 1
                watch.over = is_over(detail)
                watch.changed.notify_all()

    def close(self) -> None:
        """End all streams, since the server waits for them before it stops. Thread-safe."""
        self._closed = True
        if self._loop is not None and not self._loop.is_closed():
            with suppress(RuntimeError):
                self._loop.call_soon_threadsafe(lambda: asyncio.ensure_future(self._wake()))

    async def _wake(self) -> None:
        for watch in tuple(self._watches.values()):
            async with watch.changed:
                watch.changed.notify_all()


async def _is_so(may_see: MaySee) -> bool:
    """False where it cannot be determined now: the listener reconnects and gets the error."""
    try:
        return await run_in_threadpool(may_see)
    except ForgeError as error:
        _log.warning("a stream is ended: %s", error)
        return False

"""The streams of runs: one look for all who listen, none for nobody."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator

import pytest

from forge.api.events import MOST_STREAMS, RunFeed
from forge.api.runs.run_views import is_over
from forge.api.runs.wire.runs import RunDetail
from forge.model.errors import DatabaseBusyError, ForgeError


class Run:
    """A run that is looked at. With `permits`, each look waits for one."""

    def __init__(self, permits: threading.Semaphore | None = None) -> None:
        self.status, self.step, self.looks = "running", "started", 0
        self.broken = False
        self.permits = permits

    def look(self) -> RunDetail:
        if self.permits is not None:
            self.permits.acquire()
        self.looks += 1
        if self.broken:
            raise DatabaseBusyError("The database is busy")
        return RunDetail.model_validate({"run_id": "r1", "status": self.status, "branch": "main", "step": self.step})


async def following(feed: RunFeed, run: Run) -> AsyncIterator[str]:
    return await feed.open("r1", run.look, is_over)


async def until_event(stream: AsyncIterator[str], name: str) -> str:
    async with asyncio.timeout(20):
        async for text in stream:
            if f"event: {name}\n" in text:
                return text
    raise AssertionError(f"no event {name}")


def test_fifty_listeners_cost_one_look() -> None:
    permits = threading.Semaphore(1)
    run = Run(permits)

    async def listen() -> tuple[int, int]:
        feed = RunFeed(look_seconds=0)
        streams = []
        for _ in range(50):
            streams.append(await following(feed, run))
            await until_event(streams[-1], "run")
        first = run.looks
        run.step = "staged"
        permits.release()
        told = {await until_event(stream, "run") for stream in streams}
        assert len(told) == 1
        second = run.looks
        run.status = "succeeded"
        permits.release()
        for stream in streams:
            await until_event(stream, "end")
        return first, second

    assert asyncio.run(listen()) == (1, 2)


def test_nobody_is_looked_at_after_the_last_listener_has_left() -> None:
    async def leave() -> int:
        feed, run = RunFeed(look_seconds=0.01), Run()
        stream = await following(feed, run)
        await until_event(stream, "run")
        assert len(asyncio.all_tasks()) == 2
        await stream.aclose()  # type: ignore[attr-defined]
        async with asyncio.timeout(20):
            while len(asyncio.all_tasks()) > 1:
                await asyncio.sleep(0.01)
        return len(asyncio.all_tasks())

    assert asyncio.run(leave()) == 1


def test_one_who_comes_back_is_told_what_changed_meanwhile() -> None:
    async def come_back() -> str:
        feed, run = RunFeed(look_seconds=0.01), Run()
        stream = await following(feed, run)
        await until_event(stream, "run")
        await stream.aclose()  # type: ignore[attr-defined]
        run.step = "staged"
        return await until_event(await following(feed, run), "run")

    assert '"step":"staged"' in asyncio.run(come_back())


def test_silence_is_filled_with_comments() -> None:
    async def listen() -> str:
        feed, run = RunFeed(look_seconds=10, comment_seconds=0.02), Run()
        stream = await following(feed, run)
        await until_event(stream, "run")
        return await anext(stream)

    assert asyncio.run(listen()).startswith(":")


def test_a_busy_database_does_not_end_a_stream() -> None:
    async def listen() -> str:
        feed, run = RunFeed(look_seconds=0.01), Run()
        stream = await following(feed, run)
        await until_event(stream, "run")
        run.broken = True
        seen = run.looks
        while run.looks < seen + 3:
            await asyncio.sleep(0.01)
        run.broken, run.step = False, "staged"
        return await until_event(stream, "run")

    assert '"step":"staged"' in asyncio.run(listen())


def test_closing_ends_all_streams_even_from_another_thread() -> None:
    async def listen() -> list[str]:
        feed, run = RunFeed(), Run()
        stream = await following(feed, run)
        await until_event(stream, "run")
        closer = threading.Thread(target=feed.close)
        closer.start()
        async with asyncio.timeout(20):
            return [text async for text in stream]

    assert asyncio.run(listen()) == []


def test_a_token_follows_a_hundred_runs_and_then_another_one_can() -> None:
    run = Run()

    async def listen() -> str:
        feed = RunFeed(look_seconds=0)
        streams = [await feed.open("r1", run.look, is_over, owner="t1") for _ in range(MOST_STREAMS)]
        for stream in streams:
            await until_event(stream, "run")
        with pytest.raises(ForgeError) as refused:
            await feed.open("r1", run.look, is_over, owner="t1")
        await until_event(await feed.open("r1", run.look, is_over, owner="t2"), "run")
        await streams[0].aclose()  # type: ignore[attr-defined]
        await until_event(await feed.open("r1", run.look, is_over, owner="t1"), "run")
        feed.close()
        return refused.value.code

    assert asyncio.run(listen()) == "E913"


def test_a_stream_ends_with_the_token_that_opened_it() -> None:
    run, allowed = Run(), True

    async def listen() -> list[str]:
        nonlocal allowed
        feed = RunFeed(look_seconds=0)
        stream = await feed.open("r1", run.look, is_over, lambda: allowed)
        await until_event(stream, "run")
        allowed, run.step = False, "staged"
        async with asyncio.timeout(20):
            return [text async for text in stream]

    assert asyncio.run(listen()) == []

"""Threads that owners take turns at."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

from forge.api.fair_queue import FairPool

SECONDS = 30.0


def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SECONDS
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.005)


def test_owners_take_turns_whoever_came_first() -> None:
    pool, done, opened = FairPool(1, 1, "t"), list[str](), threading.Event()
    first = pool.submit("a", lambda: opened.wait(SECONDS))
    waiting = [pool.submit("a", lambda n=n: done.append(f"a{n}")) for n in range(3)]  # type: ignore[misc]
    waiting += [pool.submit("b", lambda n=n: done.append(f"b{n}")) for n in range(2)]  # type: ignore[misc]
    opened.set()
    first.result(SECONDS)
    for one in waiting:
        one.result(SECONDS)
    assert done == ["a0", "b0", "a1", "b1", "a2"]


def test_no_owner_has_more_at_work_than_allowed() -> None:
    pool, opened, began = FairPool(4, 2, "t"), threading.Event(), list[str]()

    def work(owner: str) -> None:
        began.append(owner)
        opened.wait(SECONDS)

    found = [pool.submit("a", lambda: work("a")) for _ in range(4)]
    until(lambda: len(began) == 2)
    other = pool.submit("b", lambda: work("b"))
    until(lambda: sorted(began) == ["a", "a", "b"])
    opened.set()
    for one in (*found, other):
        one.result(SECONDS)
    assert sorted(began) == ["a"] * 4 + ["b"]


def test_what_waits_ends_at_once_when_it_is_told_to() -> None:
    pool, opened = FairPool(1, 1, "t"), threading.Event()
    first = pool.submit("a", lambda: opened.wait(SECONDS))
    second = pool.submit("a", lambda: "ended")
    assert pool.end_now(second)
    assert second.done()
    assert not pool.end_now(second)
    opened.set()
    assert first.result(SECONDS)


def test_an_error_of_the_work_is_told_to_who_waits_and_stops_no_other() -> None:
    pool = FairPool(1, 1, "t")

    def bad() -> None:
        raise ValueError("no")

    assert isinstance(pool.submit("a", bad).exception(SECONDS), ValueError)
    assert pool.submit("a", lambda: 1).result(SECONDS) == 1

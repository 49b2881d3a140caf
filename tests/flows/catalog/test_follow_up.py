"""What follows a publication in the catalog."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from forge.flows.catalog.follow_up import CatalogFollower, FollowStep
from forge.model.errors import ForgeError
from forge.model.names import TableName

ORDERS = TableName("core", "orders")


def _step(name: str, log: list[str]) -> FollowStep:
    return FollowStep(name, lambda tables: log.append(f"{name} {' '.join(map(str, tables))}"))


def test_each_step_sees_the_tables_that_changed() -> None:
    log: list[str] = []
    follower = CatalogFollower(lambda: [ORDERS], [_step("scan", log), _step("profile", log)])
    follower.mark()
    assert follower.catch_up() == ()
    assert log == ["scan core.orders", "profile core.orders"]


def test_nothing_is_done_before_a_publication_nor_twice_after_one() -> None:
    log: list[str] = []
    follower = CatalogFollower(lambda: [ORDERS], [_step("scan", log)])
    assert follower.catch_up() == ()
    assert log == []
    follower.mark()
    follower.catch_up()
    follower.catch_up()
    assert log == ["scan core.orders"]


def test_what_somebody_else_crawled_is_followed_until_it_succeeds() -> None:
    log: list[str] = []
    is_away = True

    def scan(tables: Sequence[TableName]) -> None:
        if is_away:
            raise ForgeError("E402", "The database is away")
        log.extend(map(str, tables))

    follower = CatalogFollower(list, [FollowStep("The scan", scan)])
    follower.mark([ORDERS])
    assert len(follower.catch_up()) == 1
    is_away = False
    follower.mark()
    assert (follower.catch_up(), log) == ((), ["core.orders"])
    follower.mark()
    follower.catch_up()
    assert log == ["core.orders"]


def test_a_step_that_fails_is_told_and_holds_up_no_other() -> None:
    log: list[str] = []

    def refused(tables: Sequence[TableName]) -> None:
        raise ForgeError("E402", "The database is away")

    def broken(tables: Sequence[TableName]) -> None:
        raise ValueError("ada@example.com")

    steps = [FollowStep("The scan", refused), FollowStep("The profile", broken), _step("crawl", log)]
    follower = CatalogFollower(lambda: [ORDERS], steps)
    follower.mark()
    scan, profile = follower.catch_up()
    assert "The database is away" in scan
    assert profile == "The profile: ValueError"  # without a value of the data
    assert log == ["crawl core.orders"]


def test_a_server_follows_each_publication_by_itself() -> None:
    followed = threading.Semaphore(0)
    follower = CatalogFollower(lambda: [ORDERS], [FollowStep("scan", lambda tables: followed.release())])
    follower.start()
    assert followed.acquire(timeout=5)  # of what an earlier process left
    follower.mark()
    assert followed.acquire(timeout=5)
    follower.stop()

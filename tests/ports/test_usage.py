"""What every store of usage does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from logged_changes import logged
from migrated import open_migrated
from sqlalchemy import Engine

from forge.catalog.discovery.usage import AssetUsage, UsageCell, UsageCount, UsageKind
from forge.flows.catalog.discovery.ports import UsageStore
from forge.stores.memory.usage import MemoryUsage
from forge.stores.sql.catalog.usage import SqlUsage
from forge.stores.sql.catalog.usage_tables import usage

DAY = date(2026, 11, 18)
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
VIEW, QUERY, RUN = UsageKind


@pytest.fixture(scope="module")
def postgres(new_postgres: Callable[[], str]) -> Iterator[Engine]:
    engine = open_migrated(new_postgres())
    yield engine
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[UsageStore]:
    match request.param:
        case "memory":
            yield MemoryUsage()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlUsage(engine)
            engine.dispose()
        case _:
            engine = request.getfixturevalue("postgres")
            with engine.begin() as connection:
                connection.execute(usage.delete())
            yield SqlUsage(engine)


def used(
    asset: str, actor: str, kind: UsageKind = VIEW, count: int = 1, days_ago: int = 0, minute: int = 0
) -> UsageCount:
    back = timedelta(days=days_ago)
    return UsageCount(DAY - back, asset, actor, kind, count, NOON - back + timedelta(minutes=minute))


def test_counts_add_up_and_the_last_time_is_the_latest(store: UsageStore) -> None:
    store.add([used("a", "eve", count=2, minute=9)])
    store.add([used("a", "eve", count=3, minute=1), used("a", "eve", QUERY)])
    assert store.counts(["a", "b"], DAY, DAY) == (used("a", "eve", QUERY), used("a", "eve", count=5, minute=9))
    store.add([])


def test_totals_count_people_before_clicks_and_clicks_before_runs(store: UsageStore) -> None:
    store.add([used("loved", who) for who in "abc"])
    store.add([used("clicked", "a", count=50), used("run", "job", RUN, 10_000), used("asked", "a", QUERY, 2)])
    found = store.totals(DAY, DAY)
    assert [one.asset for one in found] == ["loved", "clicked", "asked", "run"]
    assert found[0] == AssetUsage(asset="loved", views=3, users=3, last_at=NOON)
    assert found[3].runs == 10_000
    assert [one.asset for one in store.totals(DAY, DAY, limit=1)] == ["loved"]
    assert [one.asset for one in store.totals(DAY, DAY, assets=["run", "asked", "nope"])] == ["asked", "run"]
    assert store.totals(DAY, DAY, assets=[]) == ()


def test_both_ends_of_a_period_count(store: UsageStore) -> None:
    store.add([used("a", "eve", days_ago=n) for n in range(4)])
    (total,) = store.totals(DAY - timedelta(days=2), DAY - timedelta(days=1))
    assert (total.views, total.users) == (2, 1)
    assert len(store.counts(["a"], DAY - timedelta(days=3), DAY)) == 4


def test_cells_are_uses_by_people_the_newest_first(store: UsageStore) -> None:
    store.add([used("old", "eve", count=9, days_ago=3), used("new", "eve", QUERY), used("new", "eve", count=2)])
    store.add([used("new", "job", RUN), used("other", "bob", minute=5)])
    since = DAY - timedelta(days=9)
    mine = (UsageCell("eve", "new", 3), UsageCell("eve", "old", 9))
    assert store.cells(since, DAY) == (UsageCell("bob", "other", 1), *mine)
    assert store.cells(since, DAY, actor="eve") == mine
    assert store.cells(since, DAY, limit=1) == (UsageCell("bob", "other", 1),)


def test_old_usage_is_forgotten(store: UsageStore) -> None:
    store.add([used("a", "eve", days_ago=n) for n in range(5)])
    assert store.forget(DAY - timedelta(days=1)) == 3
    assert [one.day for one in store.counts(["a"], date.min, DAY)] == [DAY - timedelta(days=1), DAY]


def test_use_that_moves_an_asset_in_the_results_is_in_the_log_of_changes(store: UsageStore) -> None:
    told: list[tuple[str, str]] = []
    if isinstance(store, MemoryUsage):
        store = MemoryUsage(lambda names: told.extend(("facts", name) for name in names))

    def changes(*counts: UsageCount) -> list[str]:
        if isinstance(store, SqlUsage):
            found = logged(store._engine, lambda: store.add(counts))
        else:
            told.clear()
            store.add(counts)
            found = list(told)
        assert {kind for kind, _ in found} <= {"facts"}
        return [name for _, name in found]

    assert changes(used("b", "eve"), used("a", "eve", QUERY)) == ["a", "b"]
    assert changes(used("a", "bob", RUN)) == ["a"]
    assert changes(used("a", "bob", count=10_000)) == ["a"]
    assert changes(used("a", "eve")) == []  # one of ten thousand moves nothing
    assert changes(used("b", "eve", count=3), used("a", "eve")) == ["b"]
    assert changes(used("new", "eve", days_ago=40), used("b", "eve", count=9)) == ["b"]  # the other is of no month


def test_use_that_leaves_the_month_is_in_the_log_of_changes(store: UsageStore) -> None:
    told: list[tuple[str, str]] = []
    if isinstance(store, MemoryUsage):
        store = MemoryUsage(lambda names: told.extend(("facts", name) for name in names))
    store.add([used("old", "eve", days_ago=30), used("older", "eve", days_ago=31), used("young", "eve", days_ago=29)])
    told.clear()
    yesterday = DAY - timedelta(days=1)

    def fade() -> None:
        assert store.fade(yesterday, DAY) == 1

    if isinstance(store, SqlUsage):
        assert logged(store._engine, fade) == [("facts", "old")]
    else:
        fade()
        assert told == [("facts", "old")]


def test_strange_names_are_only_names(store: UsageStore) -> None:
    names = ["a'; DROP TABLE forge_catalog_usage;--", "é\u202e", "x" * 600, "%", "a|b"]
    store.add([used(name, name) for name in names])
    assert {one.asset for one in store.totals(DAY, DAY)} == set(names)


def test_many_at_once_lose_nothing(store: UsageStore) -> None:
    batch = [used(f"t{n}", "eve") for n in range(20)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(store.add, [batch, batch[::-1]] * 5))
    assert {one.views for one in store.totals(DAY, DAY)} == {10}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    st.lists(
        st.builds(
            used,
            st.sampled_from("abc"),
            st.sampled_from("xy"),
            st.sampled_from(UsageKind),
            st.integers(1, 5),
            st.integers(0, 3),
            st.integers(0, 9),
        ),
        max_size=20,
    )
)
def test_every_store_says_what_plain_python_says(store: UsageStore, counts: list[UsageCount]) -> None:
    store.forget(DAY + timedelta(days=1))
    for one in counts:  # a batch has a key once
        store.add([one])
    since = DAY - timedelta(days=1)
    inside = [one for one in counts if one.day >= since]
    for total in (found := store.totals(since, DAY)):
        mine = [one for one in inside if one.asset == total.asset]
        assert total.views == sum(one.count for one in mine if one.kind is VIEW)
        assert total.users == len({one.actor for one in mine})
        assert total.last_at == max(one.last_at for one in mine)
    assert {one.asset for one in found} == {one.asset for one in inside}
    assert found == tuple(sorted(found, key=lambda one: one.rank))

"""One suite for all stores of what was measured of snapshots."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from migrated import open_migrated

from forge.flows.quality.measure import StateStore
from forge.model.names import SnapshotId, TableName
from forge.stores.memory.quality.states import HELD, MemoryStates
from forge.stores.sql.quality.states import SqlStates

ORDERS, OTHER = TableName("core", "orders"), TableName("core", "other")
NOW = datetime(2026, 11, 15, tzinfo=UTC)
FIRST, SECOND = SnapshotId(2**62), SnapshotId(7)


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[StateStore]:
    if request.param == "memory":
        yield MemoryStates()
        return
    url = f"sqlite:///{tmp_path}/forge.db"
    if request.param == "postgresql":
        make: Callable[[], str] = request.getfixturevalue("new_postgres")
        url = make()
    engine = open_migrated(url)
    yield SqlStates(engine)
    engine.dispose()


def test_what_is_kept_is_found_by_table_snapshot_and_key(store: StateStore) -> None:
    store.keep(ORDERS, FIRST, {"a": "1", "b": "2"}, NOW)
    store.keep(ORDERS, SECOND, {"a": "3"}, NOW)
    store.keep(OTHER, FIRST, {"a": "4"}, NOW)
    assert store.kept(ORDERS, [FIRST, SECOND], ["a", "c"]) == {(FIRST, "a"): "1", (SECOND, "a"): "3"}
    assert store.kept(OTHER, [FIRST], ["a", "b"]) == {(FIRST, "a"): "4"}
    assert store.kept(OTHER, [], ["a"]) == {}


def test_a_state_that_comes_again_takes_the_place_of_the_first(store: StateStore) -> None:
    store.keep(ORDERS, FIRST, {"a": "1", "b": "2"}, NOW)
    store.keep(ORDERS, FIRST, {"a": "9"}, NOW)
    assert store.kept(ORDERS, [FIRST], ["a", "b"]) == {(FIRST, "a"): "9", (FIRST, "b"): "2"}


def test_only_the_newest_snapshots_of_a_table_are_held(store: StateStore) -> None:
    for number in range(HELD + 3):
        store.keep(ORDERS, SnapshotId(number), {"a": str(number)}, NOW + timedelta(minutes=number))
    kept = store.kept(ORDERS, [SnapshotId(n) for n in range(HELD + 3)], ["a"])
    assert sorted(snapshot for snapshot, _ in kept) == list(range(3, HELD + 3))


def test_thousands_of_measures_are_kept_at_once(store: StateStore) -> None:
    states = {f"{number:064}": str(number) for number in range(1200)}
    store.keep(ORDERS, FIRST, states, NOW)
    assert len(store.kept(ORDERS, [FIRST], list(states))) == 1200

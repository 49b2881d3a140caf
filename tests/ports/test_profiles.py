"""What every store of profiles does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from migrated import open_migrated
from sqlalchemy import Engine

from forge.catalog.profile import ColumnHistogram, ProfiledColumn, ProfileMeasurement, TableProfile, TopValue
from forge.flows.catalog.profiling.ports import HELD, ProfileStore
from forge.model.names import CommitId, SnapshotId, TableName
from forge.stores.memory.profiles import MemoryProfiles
from forge.stores.sql.catalog.profile_tables import profiles
from forge.stores.sql.catalog.profiles import SqlProfiles

NOW = datetime(2026, 11, 18, 12, 0, 0, 123456, tzinfo=UTC)
ORDERS, PEOPLE = TableName("core", "orders"), TableName("core", "people")


@pytest.fixture(scope="module")
def postgres(new_postgres: Callable[[], str]) -> Iterator[Engine]:
    engine = open_migrated(new_postgres())
    yield engine
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ProfileStore]:
    match request.param:
        case "memory":
            yield MemoryProfiles()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlProfiles(engine)
            engine.dispose()
        case _:
            engine = request.getfixturevalue("postgres")
            with engine.begin() as connection:
                connection.execute(profiles.delete())
            yield SqlProfiles(engine)


COLUMN = ProfiledColumn(
    name="näme`.x",
    type="string",
    nulls=1,
    distinct=3,
    minimum="\x00",
    maximum="😀'",
    top=(TopValue("'; DROP TABLE", 2),),
    histogram=ColumnHistogram((0, 1), (4,)),
)


def profile(number: int = 1, table: TableName = ORDERS, **fields: object) -> TableProfile:
    given = {
        "table": table,
        "state": str(number),
        "snapshot_id": SnapshotId(2**62 + number),
        "commit_id": CommitId("c" * 64),
        "profiled_at": NOW + timedelta(minutes=number),
        "measured": ProfileMeasurement(4, (COLUMN,), 0),
        **fields,
    }
    return TableProfile(**given)  # type: ignore[arg-type]


def test_a_profile_comes_back_as_it_was(store: ProfileStore) -> None:
    view = profile(2, snapshot_id=None, commit_id=None, state="a" * 64)
    for one in (profile(), view):
        store.add(one)
        assert store.of_state(ORDERS, one.state) == (one,)
    assert store.of_state(PEOPLE, "1") == ()
    assert store.of_state(ORDERS, "9") == ()


def test_the_same_rows_are_kept_once(store: ProfileStore) -> None:
    store.add(profile())
    store.add(profile(profiled_at=NOW + timedelta(days=1)))
    assert store.history(ORDERS) == (profile(),)


def test_ways_of_profiling_are_kept_apart_and_the_best_comes_first(store: ProfileStore) -> None:
    vague = ProfileMeasurement(4, (replace(COLUMN, distinct_exact=False),), 0)
    tenth, half = profile(sample_fraction=0.1), profile(sample_fraction=0.5)
    for one in (tenth, profile(measured=vague), half, profile()):
        store.add(one)
    assert store.of_state(ORDERS, "1") == (profile(), profile(measured=vague), half, tenth)


def test_history_is_newest_first_and_in_pages(store: ProfileStore) -> None:
    for number in (2, 3, 1):
        store.add(profile(number))
    store.add(profile(7, PEOPLE))
    assert [one.state for one in store.history(ORDERS)] == ["3", "2", "1"]
    assert [one.state for one in store.history(ORDERS, limit=1, offset=1)] == ["2"]
    assert store.history(ORDERS, offset=3) == ()


def test_the_newest_of_many_tables(store: ProfileStore) -> None:
    for one in (profile(2), profile(1), profile(5, PEOPLE)):
        store.add(one)
    found = store.newest([ORDERS, PEOPLE, TableName("core", "nothing")])
    assert {table: one.state for table, one in found.items()} == {ORDERS: "2", PEOPLE: "5"}
    assert store.newest([]) == {}


def test_what_has_a_profile_of_a_state(store: ProfileStore) -> None:
    store.add(profile(1))
    store.add(profile(2))
    store.add(profile(2, table=PEOPLE))
    assert store.profiled(["2", "3"]) == {(ORDERS, "2"), (PEOPLE, "2")}
    assert store.profiled(["none"]) == frozenset()
    assert store.profiled([]) == frozenset()


def test_values_are_taken_out_of_all_profiles_of_a_table(store: ProfileStore) -> None:
    for one in (profile(1), profile(2), profile(3, PEOPLE)):
        store.add(one)
    assert store.mask(ORDERS, {"näme`.x"}) == 2
    assert store.mask(ORDERS, {"näme`.x", "other"}) == 0
    assert store.mask(ORDERS, frozenset()) == 0
    assert all(one.columns[0].masked and one.columns[0].maximum is None for one in store.history(ORDERS))
    assert [one.columns for one in store.history(PEOPLE)] == [(COLUMN,)]


@pytest.mark.slow
def test_the_oldest_are_forgotten(store: ProfileStore) -> None:
    store.add(profile(0, PEOPLE))
    for number in range(HELD + 2):
        store.add(profile(number))
    found = store.history(ORDERS, limit=HELD + 10)
    assert len(found) == HELD
    assert found[-1].state == "2"
    assert len(store.history(PEOPLE)) == 1

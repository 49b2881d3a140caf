"""What every store of saved queries does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from migrated import open_migrated
from sqlalchemy import Engine

from forge.federation.saved_query import SavedQuery
from forge.flows.federation.ports import SavedQueries
from forge.flows.runs.records import AuditRecord
from forge.stores.memory.saved_queries import MemorySavedQueries
from forge.stores.sql.federation.saved_queries import SqlSavedQueries
from forge.stores.sql.federation.saved_query_tables import saved_queries
from forge.stores.sql.upkeep.audit import SqlAudit

NOW = datetime(2026, 11, 18, 12, 30, 15, 123456, tzinfo=UTC)
NOTE = AuditRecord(NOW, "eve", "saved_query.create", "q_1")
CITIES = SavedQuery(
    id="q_1",
    name="Cities – 顧客",
    sql="SELECT *\nFROM crm.customers WHERE name <> 'O''Neil' AND id > :least",
    owner="eve@example.com",
    description="Who lives where\n",
    parameters={"least": 3, "b": True, "a": "x\u202e", "none": None, "part": 0.5},
    at="main",
    created_at=NOW,
    updated_at=NOW,
)
SHARED = replace(CITIES, id="q_2", name="All", is_shared=True, parameters={}, at=None)
OF_BOB = replace(CITIES, id="q_3", owner="bob@example.com")


@pytest.fixture(scope="module")
def postgres(new_postgres: Callable[[], str]) -> Iterator[Engine]:
    engine = open_migrated(new_postgres())
    yield engine
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SavedQueries]:
    match request.param:
        case "memory":
            yield MemorySavedQueries()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlSavedQueries(engine)
            engine.dispose()
        case _:
            engine = request.getfixturevalue("postgres")
            with engine.begin() as connection:
                connection.execute(saved_queries.delete())
            yield SqlSavedQueries(engine)


def test_what_was_kept_is_found_as_it_was(store: SavedQueries) -> None:
    assert store.find("q_1") is None
    assert store.apply(None, CITIES, NOTE)
    assert store.find("q_1") == CITIES


def test_each_sees_his_own_and_what_is_shared_by_name(store: SavedQueries) -> None:
    for one in (CITIES, SHARED, OF_BOB):
        assert store.apply(None, one, NOTE)
    assert store.visible_to("eve@example.com") == (SHARED, CITIES)
    assert store.visible_to("bob@example.com") == (SHARED, OF_BOB)
    assert store.visible_to("Eve@example.com") == store.visible_to("") == (SHARED,)


def test_a_name_is_there_once_of_each_owner(store: SavedQueries) -> None:
    assert store.apply(None, CITIES, NOTE)
    assert not store.apply(None, replace(SHARED, name=CITIES.name), NOTE)
    assert store.apply(None, OF_BOB, NOTE)
    assert store.apply(None, SHARED, NOTE)
    assert not store.apply(SHARED, replace(SHARED, name=CITIES.name, version=2), NOTE)
    assert store.find("q_2") == SHARED


def test_a_change_of_another_version_is_refused(store: SavedQueries) -> None:
    store.apply(None, CITIES, NOTE)
    newer = replace(CITIES, sql="SELECT 1", at=None, version=2, updated_at=NOW + timedelta(hours=1))
    assert store.apply(CITIES, newer, NOTE)
    assert not store.apply(CITIES, replace(CITIES, version=2), NOTE)
    assert not store.apply(CITIES, None, NOTE)
    assert not store.apply(SHARED, replace(SHARED, version=2), NOTE)
    assert store.find("q_1") == newer
    assert store.apply(newer, None, NOTE)
    assert store.find("q_1") is None


def test_every_change_that_happens_is_in_the_audit_and_no_other(tmp_path: Path) -> None:
    engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
    stores = (SqlSavedQueries(engine), MemorySavedQueries())
    for store in stores:
        assert store.apply(None, CITIES, NOTE)
        assert not store.apply(None, CITIES, replace(NOTE, action="saved_query.refused"))
        assert store.apply(CITIES, None, replace(NOTE, action="saved_query.drop"))
    assert [one.action for one in stores[1].audit] == ["saved_query.create", "saved_query.drop"]
    assert [one.action for one in SqlAudit(engine).audit()] == ["saved_query.drop", "saved_query.create"]
    engine.dispose()

"""What every store of virtual tables does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from migrated import open_migrated
from sqlalchemy import Engine

from forge.federation.drift import SeenSource
from forge.federation.source import SourceOrigin
from forge.federation.virtual_table import (
    DeclaredVirtualTable,
    JoinCondition,
    VirtualColumn,
    VirtualJoin,
    VirtualSource,
    VirtualTable,
)
from forge.flows.federation.ports import VirtualTables
from forge.flows.runs.records import AuditRecord
from forge.stores.memory.virtual_tables import MemoryVirtualTables
from forge.stores.sql.federation.virtual_table_tables import virtual_columns, virtual_tables
from forge.stores.sql.federation.virtual_tables import SqlVirtualTables
from forge.stores.sql.upkeep.audit import SqlAudit

NOW = datetime(2026, 11, 18, 12, 30, 15, 123456, tzinfo=UTC)
NOTE = AuditRecord(NOW, "eve", "vtable.create", "people")
PEOPLE = DeclaredVirtualTable(
    table=VirtualTable(
        name="people",
        sources=(
            VirtualSource(alias="p", connector_id="crm", table_name="people", column_mappings={"z": "Ä", "a": "b"}),
            VirtualSource(alias="o", connector_id="lake", schema_name="core", table_name="orders"),
        ),
        columns=(
            VirtualColumn("id", "bigint", "p.id", nullable=False),
            VirtualColumn("shout", "string", expression="upper(p.name || 'ß\u202e')"),
        ),
        joins=(VirtualJoin("p", "o", (JoinCondition("id", "person"), JoinCondition("z", "day", "<=")), "left"),),
        default_filters=("p.id > 0",),
        cache_enabled=False,
        cache_ttl_seconds=60,
        readers=("ada@example.com", "böb"),
        hidden=frozenset({"shout"}),
        description="People – 顧客\n",
        origin=SourceOrigin.HTTP,
    ),
    version=1,
    created_at=NOW,
    created_by="eve",
    updated_at=NOW,
    updated_by="eve",
)
BARE = replace(
    PEOPLE,
    table=VirtualTable(
        name="bare",
        sources=(VirtualSource(alias="p", connector_id="crm"),),
        columns=(VirtualColumn("id", source_column="id"),),
        origin=SourceOrigin.COMMAND,
    ),
)
COLUMNS = {"crm.people": (("id", "bigint"), ("name", "text")), "crm.empty": ()}


@pytest.fixture(scope="module")
def postgres(new_postgres: Callable[[], str]) -> Iterator[Engine]:
    engine = open_migrated(new_postgres())
    yield engine
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[VirtualTables]:
    match request.param:
        case "memory":
            yield MemoryVirtualTables()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlVirtualTables(engine)
            engine.dispose()
        case _:
            engine = request.getfixturevalue("postgres")
            with engine.begin() as connection:
                for table in (virtual_tables, virtual_columns):
                    connection.execute(table.delete())
            yield SqlVirtualTables(engine)


def test_what_was_written_is_read_by_name(store: VirtualTables) -> None:
    assert store.tables() == ()
    assert store.apply(None, PEOPLE, NOTE)
    assert store.apply(None, BARE, NOTE)
    assert store.tables() == (BARE, PEOPLE)
    assert list(store.tables()[1].table.sources[0].column_mappings) == ["z", "a"]


def test_a_name_is_there_once(store: VirtualTables) -> None:
    assert store.apply(None, PEOPLE, NOTE)
    assert not store.apply(None, replace(PEOPLE, table=replace(PEOPLE.table, description="mine")), NOTE)
    assert store.tables() == (PEOPLE,)


def test_a_change_of_another_version_is_refused(store: VirtualTables) -> None:
    store.apply(None, PEOPLE, NOTE)
    newer = replace(PEOPLE, table=replace(PEOPLE.table, readers=()), version=2, updated_by="ada")
    assert store.apply(PEOPLE, newer, NOTE)
    assert not store.apply(PEOPLE, replace(PEOPLE, version=2, updated_by="bob"), NOTE)
    assert not store.apply(PEOPLE, None, NOTE)
    assert not store.apply(BARE, replace(BARE, version=2), NOTE)
    assert store.tables() == (newer,)


def test_what_is_dropped_is_forgotten_with_its_columns(store: VirtualTables) -> None:
    store.apply(None, PEOPLE, NOTE)
    store.apply(None, BARE, NOTE)
    for name in ("people", "bare"):
        store.remember(SeenSource(name, NOW, COLUMNS))
    assert store.apply(PEOPLE, None, NOTE)
    assert store.tables() == (BARE,)
    assert store.seen("people") is None
    assert store.seen("bare") is not None


def test_columns_are_remembered_and_replaced(store: VirtualTables) -> None:
    assert store.seen("of_a_file") is None
    store.remember(SeenSource("of_a_file", NOW, COLUMNS))
    assert store.seen("of_a_file") == SeenSource("of_a_file", NOW, COLUMNS)
    later = SeenSource("of_a_file", NOW + timedelta(hours=1), {"t": (("a", "int"),)})
    store.remember(later)
    assert store.seen("of_a_file") == later


def test_every_change_that_happens_is_in_the_audit_and_no_other(tmp_path: Path) -> None:
    engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
    stores = (SqlVirtualTables(engine), MemoryVirtualTables())
    for store in stores:
        assert store.apply(None, PEOPLE, NOTE)
        assert not store.apply(None, PEOPLE, replace(NOTE, action="vtable.refused"))
        assert store.apply(PEOPLE, None, replace(NOTE, action="vtable.drop"))
    assert [one.action for one in stores[1].audit] == ["vtable.create", "vtable.drop"]
    assert [one.action for one in SqlAudit(engine).audit()] == ["vtable.drop", "vtable.create"]
    engine.dispose()

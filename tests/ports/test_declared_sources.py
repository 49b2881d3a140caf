"""What every store of declared sources does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from migrated import open_migrated
from sqlalchemy import Engine

from forge.federation.drift import SeenSource
from forge.federation.source import ConnectorKind, DeclaredSource, Source, SourceOrigin
from forge.flows.federation.ports import DeclaredSources
from forge.flows.runs.records import AuditRecord
from forge.stores.memory.declared_sources import MemoryDeclaredSources
from forge.stores.sql.federation.declared_sources import SqlDeclaredSources
from forge.stores.sql.federation.source_tables import seen, sources
from forge.stores.sql.upkeep.audit import SqlAudit

NOW = datetime(2026, 11, 18, 12, 30, 15, 123456, tzinfo=UTC)
NOTE = AuditRecord(NOW, "eve", "source.create", "crm")
CRM = DeclaredSource(
    source=Source(
        "crm",
        ConnectorKind.POSTGRESQL,
        url="jdbc:postgresql://db.example.com/crm",
        schema="public",
        user="env:CRM_USER",
        password="env:CRM_PASSWORD",
        options={"sslmode": "require"},
        readers=("ada@example.com", "böb"),
        hidden=frozenset({"customers.email", "a.b.c"}),
        description="Customers – 顧客\n\u202e",
        origin=SourceOrigin.HTTP,
    ),
    version=1,
    created_at=NOW,
    created_by="eve",
    updated_at=NOW,
    updated_by="eve",
)
RATES = replace(
    CRM,
    source=Source(
        "rates",
        ConnectorKind.FILES,
        path="data/*.csv",
        format="csv",
        columns={"z": "string", "a": "decimal(12,6)"},
        origin=SourceOrigin.COMMAND,
    ),
)
COLUMNS = {"public.customers": (("id", "bigint"), ("email", "text")), "public.empty": ()}


@pytest.fixture(scope="module")
def postgres(new_postgres: Callable[[], str]) -> Iterator[Engine]:
    engine = open_migrated(new_postgres())
    yield engine
    engine.dispose()


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[DeclaredSources]:
    match request.param:
        case "memory":
            yield MemoryDeclaredSources()
        case "sqlite":
            engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
            yield SqlDeclaredSources(engine)
            engine.dispose()
        case _:
            engine = request.getfixturevalue("postgres")
            with engine.begin() as connection:
                for table in (sources, seen):
                    connection.execute(table.delete())
            yield SqlDeclaredSources(engine)


def test_what_was_written_is_read_by_name(store: DeclaredSources) -> None:
    assert store.sources() == ()
    assert store.apply(None, RATES, NOTE)
    assert store.apply(None, CRM, NOTE)
    assert store.sources() == (CRM, RATES)
    assert list(store.sources()[1].source.columns) == ["z", "a"]


def test_a_name_is_there_once(store: DeclaredSources) -> None:
    assert store.apply(None, CRM, NOTE)
    other = replace(CRM, source=replace(CRM.source, description="mine"))
    assert not store.apply(None, other, NOTE)
    assert store.sources() == (CRM,)


def test_a_change_of_another_version_is_refused(store: DeclaredSources) -> None:
    store.apply(None, CRM, NOTE)
    newer = replace(CRM, source=replace(CRM.source, readers=()), version=2, updated_by="ada")
    assert store.apply(CRM, newer, NOTE)
    assert not store.apply(CRM, replace(CRM, version=2, updated_by="bob"), NOTE)
    assert not store.apply(CRM, None, NOTE)
    assert not store.apply(RATES, replace(RATES, version=2), NOTE)
    assert store.sources() == (newer,)


def test_what_is_dropped_is_forgotten_with_its_columns(store: DeclaredSources) -> None:
    store.apply(None, CRM, NOTE)
    store.apply(None, RATES, NOTE)
    for name in ("crm", "rates"):
        store.remember(SeenSource(name, NOW, COLUMNS))
    assert store.apply(CRM, None, NOTE)
    assert store.sources() == (RATES,)
    assert store.seen("crm") is None
    assert store.seen("rates") is not None


def test_columns_are_remembered_and_replaced(store: DeclaredSources) -> None:
    assert store.seen("of_a_file") is None
    store.remember(SeenSource("of_a_file", NOW, COLUMNS))
    assert store.seen("of_a_file") == SeenSource("of_a_file", NOW, COLUMNS)
    later = SeenSource("of_a_file", NOW + timedelta(hours=1), {"t": (("a", "int"),)})
    store.remember(later)
    assert store.seen("of_a_file") == later


def test_every_change_that_happens_is_in_the_audit_and_no_other(tmp_path: Path) -> None:
    engine = open_migrated(f"sqlite:///{tmp_path}/forge.db")
    stores = (SqlDeclaredSources(engine), MemoryDeclaredSources())
    for store in stores:
        assert store.apply(None, CRM, NOTE)
        assert not store.apply(None, CRM, replace(NOTE, action="source.refused"))
        assert store.apply(CRM, None, replace(NOTE, action="source.drop"))
    assert [one.action for one in stores[1].audit] == ["source.create", "source.drop"]
    assert [one.action for one in SqlAudit(engine).audit()] == ["source.drop", "source.create"]
    engine.dispose()

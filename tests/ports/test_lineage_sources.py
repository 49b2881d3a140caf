"""The files of code that were read: the same behaviour in memory, SQLite and PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from migrated import open_migrated

from forge.flows.lineage.code.records import SourceGap, SourceRecord, SourceStore
from forge.lineage.extract.definition import ColumnDefinition, ForeignKeyDefinition, TableDefinition
from forge.stores.memory.lineage_sources import MemorySources
from forge.stores.sql.lineage.sources import SqlSources

AT = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
ORDERS = TableDefinition(
    name="core.orders",
    columns=(ColumnDefinition("id", "bigint", nullable=False), ColumnDefinition("customer", "bigint")),
    file="ddl.sql",
    line=3,
    primary_key=("id",),
    foreign_keys=(ForeignKeyDefinition(("customer",), "core.customers", ("id",)),),
)
FILE = SourceRecord(
    root="jobs",
    path="daily/orders.sql",
    language="sql",
    digest="d1",
    read_at=AT,
    seconds=0.25,
    statements=4,
    understood=3,
    queries=1,
    edges=12,
    gaps=(SourceGap(7, "PIVOT over a subquery is not understood", "SELECT *"),),
    definitions=(ORDERS,),
    uses={"core.orders": "abc", "raw.x": ""},
)


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def sources(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SourceStore]:
    if request.param == "memory":
        yield MemorySources()
        return
    url = f"sqlite:///{tmp_path}/forge.db"
    if request.param == "postgresql":
        make: Callable[[], str] = request.getfixturevalue("new_postgres")
        url = make()
    engine = open_migrated(url)
    yield SqlSources(engine)
    engine.dispose()


def test_a_file_comes_back_as_it_was_kept(sources: SourceStore) -> None:
    sources.keep([FILE])
    assert sources.sources() == (FILE,)
    assert sources.sources("jobs") == (FILE,)
    assert sources.sources("elsewhere") == ()


def test_what_is_kept_again_replaces_what_was_there(sources: SourceStore) -> None:
    sources.keep([FILE, replace(FILE, path="b.sql")])
    sources.keep([replace(FILE, digest="d2", gaps=())])
    assert [(one.path, one.digest, len(one.gaps)) for one in sources.sources()] == [
        ("b.sql", "d1", 1),
        ("daily/orders.sql", "d2", 0),
    ]


def test_the_same_path_under_another_root_is_another_file(sources: SourceStore) -> None:
    sources.keep([FILE, replace(FILE, root="models")])
    sources.forget("jobs", [FILE.path, "never read.sql"])
    assert [one.root for one in sources.sources()] == ["models"]


def test_a_thousand_files_are_kept_and_forgotten_at_once(sources: SourceStore) -> None:
    many = [replace(FILE, path=f"{number:04}.sql") for number in range(1200)]
    sources.keep(many)
    assert [one.path for one in sources.sources()] == [one.path for one in many]
    sources.forget("jobs", [one.path for one in many[1:]])
    assert [one.path for one in sources.sources()] == ["0000.sql"]

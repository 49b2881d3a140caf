"""Each metadata store and lake there is, with what stands in for an engine: it writes rows into a stage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from lineage_claims import NewStore, postgres_stores, sqlite_stores
from lineage_lines import LineageSite
from lineage_sites import ALL, opened_site
from migrated import open_migrated
from store_records import MAIN, NOW, note

from forge.flows.ports import Lake, Metadata, Stage
from forge.lineage.graph.store import LineageStore
from forge.model.names import CatalogName, SnapshotId
from forge.model.schema import Column, Schema
from forge.stores.memory.catalog import MemoryCatalog
from forge.stores.memory.lake import MemoryLake
from forge.stores.memory.lineage import MemoryLineage
from forge.stores.memory.metadata import MemoryMetadata
from forge.stores.sql.metadata import SqlMetadata
from forge.versioning.branch import Branch

ONE = Schema((Column("id", "bigint"),))


@dataclass(frozen=True)
class Store:
    metadata: Metadata
    lake: Lake
    create: Callable[[Stage], None]  # an empty table with one column, where the stage says
    append: Callable[[CatalogName, int], SnapshotId]  # so many rows
    widen: Callable[[CatalogName, str], None]  # another column, and a row that has it


def memory_store() -> Store:
    catalog = MemoryCatalog()
    lake = MemoryLake(catalog)

    def widen(name: CatalogName, column: str) -> None:
        now = lake.snapshot(name)
        assert now is not None
        lake.append(name, 1, schema=Schema((*now.schema.columns, Column(column, "string"))))

    return Store(
        MemoryMetadata(catalog),
        lake,
        lambda stage: lake.create(stage, ONE),
        lambda name, rows: lake.append(name, rows),
        widen,
    )


def sql_store(url: str, warehouse: Path) -> Iterator[Store]:
    import pyarrow as pa
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.types import StringType

    from forge.stores.lake.iceberg import IcebergLake
    from forge.stores.lake.spark_types import iceberg_schema

    engine = open_migrated(url)
    catalog = SqlCatalog("forge", uri=url, warehouse=str(warehouse))

    def create(stage: Stage) -> None:
        name = (stage.catalog.namespace, stage.catalog.name)
        catalog.create_table(name, iceberg_schema(ONE), location=stage.location)

    def append(name: CatalogName, rows: int) -> SnapshotId:
        table = catalog.load_table((name.namespace, name.name))
        table.append(pa.table({"id": pa.array(range(rows), pa.int64())}))
        current = table.current_snapshot()
        assert current is not None
        return SnapshotId(current.snapshot_id)

    def widen(name: CatalogName, column: str) -> None:
        table = catalog.load_table((name.namespace, name.name))
        with table.update_schema() as change:
            change.add_column(column, StringType())
        table.append(pa.table({"id": pa.array([1], pa.int64()), column: pa.array(["x"])}))

    yield Store(SqlMetadata(engine), IcebergLake(engine, str(warehouse)), create, append, widen)
    catalog.engine.dispose()
    engine.dispose()


@pytest.fixture(
    params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))],
)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    match request.param:
        case "memory":
            yield memory_store()
        case "sqlite":
            yield from sql_store(f"sqlite:///{tmp_path}/forge.db", tmp_path / "warehouse")
        case _:
            make: Callable[[], str] = request.getfixturevalue("new_postgres")
            yield from sql_store(make(), tmp_path / "warehouse")


@pytest.fixture
def metadata(store: Store) -> Metadata:
    """Each metadata store, with an empty default branch."""
    store.metadata.create_branch(
        Branch(name=MAIN, head=None, created_at=NOW, created_by="Ada", updated_at=NOW, is_default=True),
        note("branch.create"),
    )
    return store.metadata


@pytest.fixture(params=["memory", "sqlite", pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def new_lineage(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[NewStore]:
    """Each record of lineage; it gives an empty one each time."""
    match request.param:
        case "memory":
            yield MemoryLineage
        case "sqlite":
            yield from sqlite_stores(tmp_path)
        case _:
            make: NewStore = request.getfixturevalue("postgres_lineage")
            yield make


@pytest.fixture(scope="session")
def postgres_lineage(new_postgres: Callable[[], str]) -> Iterator[NewStore]:
    """One database for all: it is emptied, which costs less than a new one."""
    yield from postgres_stores(new_postgres())


@pytest.fixture
def lineage(new_lineage: NewStore) -> LineageStore:
    return new_lineage()


@pytest.fixture(params=ALL)
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[LineageSite]:
    with opened_site(request, tmp_path) as opened:
        yield opened

"""Crawls on real parts: a table of Iceberg that is renamed keeps its documentation, and one that is cut off leaves the
catalog as it was."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from migrated import open_migrated
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField, StringType
from sqlalchemy import Engine, event

from forge.catalog.asset import AssetState
from forge.catalog.crawl import CrawlChange
from forge.flows.catalog.asset_store import AssetFilter
from forge.flows.catalog.crawl import CrawlPorts, crawl
from forge.flows.catalog.edit import EditPorts, edit_asset, find_asset
from forge.stores.crawlers.lake import LakeCrawler
from forge.stores.lake.iceberg import IcebergLake
from forge.stores.sql.catalog.asset_store import SqlAssetStore

NOW = datetime(2026, 11, 18, tzinfo=UTC)
SCHEMA = Schema(NestedField(1, "id", LongType(), required=True), NestedField(2, "name", StringType()))

pytestmark = pytest.mark.slow


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    made = open_migrated(f"sqlite:///{tmp_path}/forge.db")
    yield made
    made.dispose()


@pytest.fixture
def lake(engine: Engine, tmp_path: Path) -> Iterator[SqlCatalog]:
    catalog = SqlCatalog("forge", uri=f"sqlite:///{tmp_path}/forge.db", warehouse=str(tmp_path / "warehouse"))
    catalog.create_namespace("core")
    for name in ("orders", "customers", "items"):
        catalog.create_table(("core", name), SCHEMA)
    yield catalog
    catalog.engine.dispose()


@pytest.fixture
def ports(engine: Engine, lake: SqlCatalog, tmp_path: Path) -> CrawlPorts:
    files = IcebergLake(engine, str(tmp_path / "warehouse"))
    crawler = LakeCrawler(engine, dict, lambda: files.files)
    return CrawlPorts(store=SqlAssetStore(engine), clock=lambda: NOW, crawlers=[crawler])


@pytest.fixture
def edits(ports: CrawlPorts) -> EditPorts:
    return EditPorts(store=ports.store, clock=lambda: NOW, actor="ada", policies={})


def test_a_renamed_table_of_iceberg_keeps_its_words_and_its_history(
    ports: CrawlPorts, edits: EditPorts, lake: SqlCatalog
) -> None:
    crawl(ports)
    said = {"description": "kept", "tags": ["gold"], "columns": {"name": {"description": "who", "tags": ["pii"]}}}
    edit_asset("core.orders", said, edits)
    lake.rename_table(("core", "orders"), ("core", "sales"))
    (found,) = crawl(ports)
    assert found.plan.names(CrawlChange.RENAMED) == ("core.sales",)
    asset = find_asset(ports.store, "core.sales")
    assert (asset.description, asset.of_column("name").tags, asset.version) == ("kept", ("pii",), 1)
    assert find_asset(ports.store, "core.orders").uid == asset.uid
    assert [one.by for one in ports.store.history(asset.uid)] == ["ada"]
    edit_asset("core.orders", {"owner": "grace"}, edits)  # by its old name, too
    assert find_asset(ports.store, "core.sales").owner == "grace"
    assert ports.store.count(AssetFilter(states=(AssetState.VANISHED,))) == 0


def test_a_table_that_did_not_move_opens_no_file(
    ports: CrawlPorts, lake: SqlCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl(ports)
    with lake.load_table(("core", "items")).update_schema() as change:
        change.add_column("price", LongType())
    opened: list[str] = []
    real = LakeCrawler._json

    def watched(self: LakeCrawler, location: str) -> dict[str, Any]:
        opened.append(location)
        return real(self, location)

    monkeypatch.setattr(LakeCrawler, "_json", watched)
    (found,) = crawl(ports)
    assert (found.plan.names(CrawlChange.CHANGED), found.plan.unchanged) == (("core.items",), 2)
    assert len(opened) == 1


class CutOffError(Exception):
    pass


def test_a_crawl_that_is_cut_off_at_any_step_leaves_the_catalog_as_it_was(
    ports: CrawlPorts, edits: EditPorts, lake: SqlCatalog, engine: Engine
) -> None:
    crawl(ports)
    edit_asset("core.orders", {"tags": ["gold"]}, edits)
    lake.rename_table(("core", "orders"), ("core", "sales"))
    lake.drop_table(("core", "items"))
    lake.create_table(("core", "prices"), SCHEMA)
    with lake.load_table(("core", "customers")).update_schema() as change:
        change.add_column("mail", StringType())
    before = (ports.store.assets(), ports.store.changes(), ports.store.tags())
    steps = 0
    while cut_off_at(steps, engine, ports):
        assert (ports.store.assets(), ports.store.changes(), ports.store.tags()) == before
        steps += 1
    assert steps > 8
    names = {one.qualified_name: one.state.value for one in ports.store.assets()}
    assert names == {
        "core.customers": "active",
        "core.items": "vanished",
        "core.prices": "active",
        "core.sales": "active",
    }


def cut_off_at(step: int, engine: Engine, ports: CrawlPorts) -> bool:
    """Whether a crawl was cut off before the write of that number; False: it had no more."""
    writes = 0

    def count(connection: Any, cursor: Any, statement: str, *rest: Any) -> None:
        nonlocal writes
        if statement.startswith(("INSERT", "UPDATE", "DELETE")):
            writes += 1
            if writes > step:
                raise CutOffError

    event.listen(engine, "before_cursor_execute", count)
    try:
        crawl(ports)
    except CutOffError:
        return True
    finally:
        event.remove(engine, "before_cursor_execute", count)
    return False

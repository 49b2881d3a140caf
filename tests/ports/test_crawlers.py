"""What every crawler does: it sees all that its source has, costs what changed, and fails as a whole with a reason."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from migrated import open_migrated

from forge.catalog.asset import AssetState, AssetType, CatalogAsset
from forge.catalog.crawl import CrawlChange, SeenAsset
from forge.flows.catalog.crawl import Crawler, CrawlPorts, SourceCrawl, crawl
from forge.flows.catalog.table_words import TableWords
from forge.flows.runs.project import load_project
from forge.stores.addresses import database_url
from forge.stores.crawlers.databases import DatabaseCrawler, open_source
from forge.stores.crawlers.dbt import DbtCrawler
from forge.stores.crawlers.lake import ExternalLakeCrawler, LakeCrawler
from forge.stores.crawlers.ontology import OntologyCrawler
from forge.stores.crawlers.postgres import PostgresCrawler
from forge.stores.crawlers.project import FileCrawler, ProjectCrawler
from forge.stores.memory.asset_store import MemoryAssetStore

NOW = datetime(2026, 11, 18, 15, 50, tzinfo=UTC)


@dataclass
class CrawlSite:
    """A source with two tables, `orders` and `customers`, and how to change it."""

    crawler: Crawler
    name: Callable[[str], str]  # of a table, as the catalog names it
    add_column: Callable[[str], None]
    drop: Callable[[str], None]
    rename: Callable[[str, str], None] | None  # None: its source has no key for life
    spoil: Callable[[], None]  # the source cannot be asked any more
    is_read: bool = False  # all of it is read each time

    def __post_init__(self) -> None:
        self.store = MemoryAssetStore()

    def crawl(self, *, dry_run: bool = False) -> SourceCrawl:
        ports = CrawlPorts(store=self.store, clock=lambda: NOW, crawlers=[self.crawler])
        return crawl(ports, dry_run=dry_run)[0]

    def asset(self, table: str) -> CatalogAsset:
        found = self.store.asset(self.name(table))
        assert found is not None
        return found


def lake_site(tmp_path: Path, *, external: bool) -> Iterator[CrawlSite]:
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.schema import Schema
    from pyiceberg.types import DecimalType, LongType, NestedField, StringType

    from forge.stores.lake.external_lake import ExternalLake
    from forge.stores.lake.iceberg import IcebergLake

    url, warehouse = f"sqlite:///{tmp_path}/forge.db", tmp_path / "warehouse"
    engine = open_migrated(url)
    catalog = SqlCatalog("forge", uri=url, warehouse=str(warehouse))
    catalog.create_namespace("core")
    schema = Schema(
        NestedField(1, "id", LongType(), required=True, doc="its number"),
        NestedField(2, "amount", DecimalType(12, 2), required=False),
        identifier_field_ids=[1],
    )
    for table in ("orders", "customers"):
        catalog.create_table(("core", table), schema)

    def add_column(table: str) -> None:
        with catalog.load_table(("core", table)).update_schema() as change:
            change.add_column("note", StringType())

    def spoil() -> None:
        catalog.engine.dispose()
        engine.dispose()
        for file in tmp_path.glob("forge.db*"):
            file.unlink()
        (tmp_path / "forge.db").mkdir()

    words = {"core.orders": TableWords(description="All orders", owner="ada", domain="sales", tags=("gold",))}
    lake: Any = ExternalLake("sql", {"type": "sql", "uri": url, "warehouse": str(warehouse)}, str(warehouse))
    crawler: Crawler = ExternalLakeCrawler(lake, lambda: words)
    if not external:
        crawler = LakeCrawler(engine, lambda: words, lambda: IcebergLake(engine, str(warehouse)).files)
    yield CrawlSite(
        crawler,
        lambda table: f"core.{table}",
        add_column,
        lambda table: catalog.drop_table(("core", table)),
        lambda old, new: (catalog.rename_table(("core", old), ("core", new)), None)[1],
        spoil,
    )
    catalog.engine.dispose()
    engine.dispose()


def database_site(url: str, tmp_path: Path) -> Iterator[CrawlSite]:
    from sqlalchemy import create_engine, text

    is_sqlite = url.startswith("sqlite")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")

    def run(*statements: str) -> None:
        with engine.connect() as connection:
            for statement in statements:
                connection.execute(text(statement))

    run(
        "CREATE TABLE orders (id bigint PRIMARY KEY, amount numeric(12, 2))",
        "CREATE TABLE customers (id bigint PRIMARY KEY, amount numeric(12, 2))",
    )
    prefix = "sqlite:shop" if is_sqlite else "postgresql:shop"
    opened = open_source(database_url(url, tmp_path), "shop")

    def spoil() -> None:
        engine.dispose()
        (tmp_path / "shop.db").write_bytes(b"no database at all, by far" * 100)

    yield CrawlSite(
        DatabaseCrawler("shop", opened, prefix) if is_sqlite else PostgresCrawler("shop", opened, prefix),
        lambda table: f"{prefix}.{table}" if is_sqlite else f"{prefix}.public.{table}",
        lambda table: run(f"ALTER TABLE {table} ADD COLUMN note text"),
        lambda table: run(f"DROP TABLE {table}"),
        None if is_sqlite else lambda old, new: run(f"ALTER TABLE {old} RENAME TO {new}"),
        spoil,
        is_read=is_sqlite,
    )
    engine.dispose()


def dbt_site(tmp_path: Path) -> Iterator[CrawlSite]:
    path = tmp_path / "target" / "manifest.json"
    path.parent.mkdir()

    def node(table: str) -> dict[str, Any]:
        columns = {"id": {"name": "id", "data_type": "bigint"}, "amount": {"name": "amount", "data_type": "numeric"}}
        return {
            "resource_type": "model",
            "database": "shop",
            "schema": "public",
            "name": table,
            "config": {"materialized": "table"},
            "columns": columns,
        }

    nodes = {f"model.shop.{table}": node(table) for table in ("orders", "customers")}

    def write() -> None:
        path.write_text(json.dumps({"metadata": {"project_name": "shop"}, "nodes": nodes}))

    def add_column(table: str) -> None:
        nodes[f"model.shop.{table}"]["columns"]["note"] = {"name": "note", "data_type": "text"}
        write()

    def drop(table: str) -> None:
        del nodes[f"model.shop.{table}"]
        write()

    def rename(old: str, new: str) -> None:
        nodes[f"model.shop.{old}"]["alias"] = new
        write()

    write()
    yield CrawlSite(
        DbtCrawler("dbt", path, "target/manifest.json"),
        lambda table: f"dbt:shop.public.{table}",
        add_column,
        drop,
        rename,
        lambda: (path.write_text('{"nodes": ['), None)[1],
    )


def project_site(tmp_path: Path, *, files: bool) -> Iterator[CrawlSite]:
    def write(table: str, columns: str) -> None:
        folder = tmp_path / ("sources" if files else "transforms/core")
        folder.mkdir(parents=True, exist_ok=True)
        if files:
            (tmp_path / f"{table}.csv").write_text("id,amount\n1,2\n")
            (folder / f"{table}.yaml").write_text(
                f"sources:\n  - output: raw.{table}\n    connector: files\n    format: csv\n"
                f"    path: {table}.csv\n    columns: {{{columns}}}\n"
            )
        else:
            (folder / f"{table}.sql").write_text(f"/* forge\ntags: [{columns}]\n*/\nSELECT 1 AS id\n")

    def drop(table: str) -> None:
        (tmp_path / ("sources" if files else "transforms/core") / f"{table}.{'yaml' if files else 'sql'}").unlink()

    for table in ("orders", "customers"):
        write(table, "id: bigint" if files else "a")
    made = lambda: load_project(tmp_path, lambda table: "petra")  # noqa: E731
    yield CrawlSite(
        FileCrawler(made) if files else ProjectCrawler(made, "shop"),
        lambda table: f"files:{table}.csv" if files else f"forge:shop.core.{table}",
        lambda table: write(table, "id: bigint, note: string" if files else "a, b"),
        drop,
        None,
        lambda: None,
        is_read=True,
    )


def ontology_site(tmp_path: Path) -> Iterator[CrawlSite]:
    folder = tmp_path / "ontology"
    folder.mkdir()

    def write(table: str, more: str = "") -> None:
        properties = f"{{id: bigint, amount: 'numeric(12,2)'{more}}}"
        (folder / f"{table}.yaml").write_text(f"types:\n  {table}: {{key: id, properties: {properties}}}\n")

    for table in ("orders", "customers"):
        write(table)
    yield CrawlSite(
        OntologyCrawler(tmp_path),
        lambda table: f"ontology:{table}",
        lambda table: write(table, ", note: string"),
        lambda table: (folder / f"{table}.yaml").unlink(),
        None,
        lambda: write("orders", ", {"),
    )


SITES = ["lake", "external", "sqlite", "dbt", "project", "files", "ontology"]


@pytest.fixture(params=[*SITES, pytest.param("postgresql", marks=pytest.mark.services("postgres"))])
def site(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[CrawlSite]:
    match request.param:
        case "lake" | "external":
            yield from lake_site(tmp_path, external=request.param == "external")
        case "sqlite":
            sqlite3.connect(tmp_path / "shop.db").close()
            yield from database_site(f"sqlite:///{tmp_path}/shop.db", tmp_path)
        case "dbt":
            yield from dbt_site(tmp_path)
        case "ontology":
            yield from ontology_site(tmp_path)
        case "project" | "files":
            yield from project_site(tmp_path, files=request.param == "files")
        case _:
            yield from database_site(request.getfixturevalue("new_postgres")(), tmp_path)


def test_all_is_seen_and_a_second_crawl_writes_nothing(site: CrawlSite) -> None:
    first = site.crawl()
    assert set(first.plan.names(CrawlChange.NEW)) == {site.name("orders"), site.name("customers")}
    assert site.asset("orders").crawled.source == site.crawler.source
    before = site.store.changes()
    second = site.crawl()
    assert second.plan.is_empty
    assert second.plan.unchanged == 2
    assert site.store.changes() == before
    known = {mark.name: mark for mark in site.store.marks(site.crawler.source)}
    read = [one for one in site.crawler.sightings(known) if isinstance(one, SeenAsset)]
    assert bool(read) == site.is_read  # what did not move is not read again


def test_a_dry_run_writes_nothing(site: CrawlSite) -> None:
    assert len(site.crawl(dry_run=True).plan.writes) == 2
    assert site.store.count() == 0


def test_what_changed_is_taken_in(site: CrawlSite) -> None:
    site.crawl()
    site.add_column("orders")
    plan = site.crawl().plan
    assert plan.names(CrawlChange.CHANGED) == (site.name("orders"),)
    assert plan.unchanged == 1
    seen = site.asset("orders").crawled
    assert seen.tags == ("a", "b") if seen.type is AssetType.PIPELINE else seen.columns[-1].name == "note"


def test_what_is_gone_is_marked(site: CrawlSite) -> None:
    site.crawl()
    site.drop("orders")
    assert [mark.name for mark in site.crawl().plan.vanished] == [site.name("orders")]
    assert site.asset("orders").state is AssetState.VANISHED


def test_a_renamed_table_is_known_again(site: CrawlSite) -> None:
    site.crawl()
    uid = site.asset("orders").uid
    if site.rename is None:
        return
    site.rename("orders", "sales")
    assert site.crawl().plan.names(CrawlChange.RENAMED) == (site.name("sales"),)
    assert (site.asset("sales").uid, site.asset("orders").uid) == (uid, uid)


def test_columns_types_and_keys_are_told(site: CrawlSite) -> None:
    site.crawl()
    seen = site.asset("customers").crawled
    if seen.type is AssetType.PIPELINE:
        assert (seen.location, seen.owner, seen.backed_by) == (
            "transforms/core/customers.sql",
            "petra",
            ("core.customers",),
        )
        return
    types = {column.name: column.type.replace(" ", "") for column in seen.columns}
    assert types["id"] == "bigint"
    assert types.get("amount", "numeric") in ("decimal(12,2)", "numeric(12,2)", "numeric")
    if seen.source == "files":
        assert (seen.system, seen.size_bytes, seen.backed_by) == ("csv", 14, ("raw.customers",))
    elif seen.system != "dbt" and not isinstance(site.crawler, ExternalLakeCrawler):  # it has no snapshot yet
        assert seen.primary_key == ("id",)


# single sources


@pytest.fixture
def lake(tmp_path: Path) -> Iterator[CrawlSite]:
    yield from lake_site(tmp_path, external=False)


def test_the_words_of_the_project_are_those_of_a_table_of_the_lake(lake: CrawlSite) -> None:
    lake.crawl()
    seen = lake.asset("orders").crawled
    assert (seen.description, seen.owner, seen.domain, seen.tags) == ("All orders", "ada", "sales", ("gold",))
    assert seen.columns[0].description == "its number"


def test_a_table_whose_metadata_is_damaged_stays_and_is_reported(lake: CrawlSite, tmp_path: Path) -> None:
    lake.crawl()
    lake.add_column("orders")
    newest = max((tmp_path / "warehouse").rglob("*.metadata.json"), key=lambda path: path.stat().st_mtime_ns)
    newest.write_text('{"format-version": 2')
    found = lake.crawl()
    assert [one.name for one in found.plan.unread] == ["core.orders"]
    assert not found.failed
    assert lake.asset("orders").state is AssetState.ACTIVE
    newest.unlink()
    assert "is gone" in lake.crawl().plan.unread[0].reason


def test_a_source_that_fails_is_reported_and_keeps_its_assets(lake: CrawlSite) -> None:
    lake.crawl()
    lake.spoil()
    found = lake.crawl()
    assert found.failed
    assert found.to_dict()["failed"]
    assert {one.state for one in lake.store.assets()} == {AssetState.ACTIVE}


@pytest.mark.parametrize("kind", ["dbt", "sqlite", "ontology"])
def test_a_spoilt_file_keeps_what_was_crawled_from_it(kind: str, tmp_path: Path) -> None:
    sqlite3.connect(tmp_path / "shop.db").close()
    url = f"sqlite:///{tmp_path}/shop.db"
    sites = {"dbt": lambda: dbt_site(tmp_path), "ontology": lambda: ontology_site(tmp_path)}
    for site in sites.get(kind, lambda: database_site(url, tmp_path))():
        site.crawl()
        site.spoil()
        assert site.crawl().failed
        assert {one.state for one in site.store.assets()} == {AssetState.ACTIVE}


def test_what_a_broken_file_of_the_project_may_hold_has_not_vanished(tmp_path: Path) -> None:
    for site in project_site(tmp_path, files=False):
        site.crawl()
        (tmp_path / "transforms" / "core" / "orders.sql").write_text("/* forge\ntags: [\n*/\nSELECT 1 AS id")
        found = site.crawl()
        assert found.plan.vanished == ()
        assert [one.name for one in found.plan.unread] == [site.name("orders")]


def test_exposures_and_metrics_of_dbt_are_dashboards_and_metrics(tmp_path: Path) -> None:
    for site in dbt_site(tmp_path):
        path = tmp_path / "target" / "manifest.json"
        content = json.loads(path.read_text())
        owner = {"email": "ada@example.com"}
        content["exposures"] = {
            "exposure.shop.weekly": {
                "name": "weekly",
                "type": "dashboard",
                "owner": owner,
                "url": "https://bi.example/1",
                "depends_on": {"nodes": ["model.shop.orders"]},
                "description": "x\0\ud800y",
            },
            "exposure.shop.churn": {"name": "churn", "type": "ml", "owner": owner},
            "exposure.shop.odd": "no mapping",
        }
        content["metrics"] = {"metric.shop.revenue": {"name": "revenue", "tags": ["gold", 7]}}
        path.write_text(json.dumps(content))
        site.crawl()
        weekly = site.store.asset("dbt:shop.exposures.weekly")
        assert weekly is not None
        seen = weekly.crawled
        assert (seen.type, seen.owner, seen.backed_by) == (
            AssetType.DASHBOARD,
            "ada@example.com",
            ("dbt:shop.public.orders",),
        )
        assert "\0" not in seen.description
        churn, revenue = site.store.asset("dbt:shop.exposures.churn"), site.store.asset("dbt:shop.metrics.revenue")
        assert churn is not None
        assert revenue is not None
        assert (churn.crawled.type, revenue.crawled.type) == (AssetType.MODEL, AssetType.METRIC)
        assert revenue.crawled.tags == ("gold",)


@pytest.mark.parametrize("made", [dbt_site, ontology_site])
def test_files_are_read_again_where_not_all_of_them_is_in_the_catalog(
    made: Callable[[Path], Iterator[CrawlSite]], tmp_path: Path
) -> None:
    (site,) = made(tmp_path)
    site.crawl()
    known = {mark.name: mark for mark in site.store.marks(site.crawler.source)}
    del known[site.name("orders")]  # another source has it
    assert all(isinstance(one, SeenAsset) for one in site.crawler.sightings(known))
    site.drop("orders")
    site.crawl()
    assert site.crawl().plan.unchanged == 1


def test_no_secret_of_an_address_is_in_a_reason(tmp_path: Path) -> None:
    url = database_url("jdbc:postgresql://127.0.0.1:1/shop?ssl=true", tmp_path, "ada", "hunter2")
    crawler = PostgresCrawler("shop", open_source(url, "shop"), "postgresql:shop")
    ports = CrawlPorts(store=MemoryAssetStore(), clock=lambda: NOW, crawlers=[crawler])
    found = crawl(ports)[0]
    assert found.failed
    assert "hunter2" not in json.dumps(found.to_dict())

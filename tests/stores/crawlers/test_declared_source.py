"""Declared sources are crawled as queries open them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest
from mariadb_server import PASSWORD, USER, MariadbServer

from forge.catalog.asset import CrawledAsset
from forge.catalog.crawl import SeenAsset
from forge.federation.source import ConnectorKind, Source
from forge.model.errors import ForgeError
from forge.stores.crawlers.declared_source import SourceDatabase, asset_name, source_url

MYSQL = ConnectorKind.MYSQL


def crawl(source: Source, root: Path, **secrets: str) -> dict[str, CrawledAsset]:
    crawler = SourceDatabase(
        source="crm", declared=source, root=root, secret=secrets.__getitem__, refuse=lambda source: None
    )
    found = [one.asset for one in crawler.sightings({}) if isinstance(one, SeenAsset)]
    return {one.qualified_name: one for one in found}


def test_a_source_is_called_by_its_database(tmp_path: Path) -> None:
    def name(url: str, schema: str = "") -> str | None:
        found = source_url(Source("crm", MYSQL, url=url, schema=schema), tmp_path)
        return found.database if found is not None else None

    assert name("jdbc:mysql://db.example/shop") == "shop"
    assert name("jdbc:mysql://db.example/shop", schema="archive") == "archive"
    assert name("jdbc:mysql://db.example/") is None
    assert source_url(Source("api", ConnectorKind.REST, url="https://api.example"), tmp_path) is None


def test_a_table_that_a_query_names_is_an_asset_of_the_catalog(tmp_path: Path) -> None:
    postgresql = Source("crm", ConnectorKind.POSTGRESQL, url="jdbc:postgresql://db.example/shop")
    assert asset_name(postgresql, "public.users", tmp_path) == "postgresql:shop.public.users"
    mysql = Source("crm", MYSQL, url="jdbc:mysql://db.example/shop")
    assert asset_name(mysql, "shop.users", tmp_path) == "mysql:shop.users"
    assert asset_name(mysql, "archive.users", tmp_path) == "mysql:shop.archive.users"
    till = Source("till", ConnectorKind.SQLITE, url="jdbc:sqlite:data/till.db", path="data/till.db")
    assert asset_name(till, "customers", tmp_path) == "sqlite:till.customers"
    files = Source("sales", ConnectorKind.FILES, path="data/sales.csv", format="csv")
    assert asset_name(files, "", tmp_path) == "files:data/sales.csv"
    assert asset_name(Source("api", ConnectorKind.REST, url="https://api.example"), "users", tmp_path) is None


@pytest.mark.services("postgres")
def test_postgresql_is_asked_with_the_tls_that_the_source_demands(
    new_postgres: Callable[[], str], tmp_path: Path
) -> None:
    url = new_postgres()
    with psycopg.connect(url.replace("+psycopg", ""), autocommit=True) as connection:
        connection.execute("CREATE TABLE orders (id bigint PRIMARY KEY)")
    address = f"jdbc:postgresql://{url.partition('@')[2]}"

    def source(mode: str) -> Source:
        return Source("crm", ConnectorKind.POSTGRESQL, url=f"{address}?sslmode={mode}", user="U")

    (name,) = crawl(source("disable"), tmp_path, U="postgres")
    assert name == f"postgresql:{url.rpartition('/')[2]}.public.orders"
    with pytest.raises(ForgeError, match="cannot be reached") as told:
        crawl(source("require"), tmp_path, U="postgres")
    assert "SSL" in str(told.value)


@pytest.mark.services("mariadb")
def test_mysql_is_asked_for_one_database(mariadb_server: MariadbServer, tmp_path: Path) -> None:
    with mariadb_server.connect() as connection, connection.cursor() as cursor:
        for statement in (
            "CREATE DATABASE crawled",
            "CREATE TABLE crawled.orders (id bigint PRIMARY KEY, amount decimal(12, 2) COMMENT 'in euros')"
            " COMMENT 'One row for each order'",
            "CREATE VIEW crawled.sums AS SELECT sum(amount) AS total FROM crawled.orders",
            "CREATE DATABASE beside",
            "CREATE TABLE beside.other (id bigint)",
        ):
            cursor.execute(statement)
    url = f"jdbc:mysql://127.0.0.1:{mariadb_server.port}/crawled"
    found = crawl(Source("crm", MYSQL, url=url, user="U", password="P"), tmp_path, U=USER, P=PASSWORD)
    assert {name: str(one.type) for name, one in found.items()} == {
        "mysql:crawled.orders": "table",
        "mysql:crawled.sums": "view",
    }
    orders = found["mysql:crawled.orders"]
    assert (orders.primary_key, orders.description) == (("id",), "One row for each order")
    assert [column.description for column in orders.columns] == ["", "in euros"]
    assert found["mysql:crawled.sums"].description == ""
    away = Source("crm", MYSQL, url=url, user="U", password="P", schema="beside")
    assert list(crawl(away, tmp_path, U=USER, P=PASSWORD)) == ["mysql:beside.other"]
    with pytest.raises(ForgeError, match="cannot be reached"):
        crawl(away, tmp_path, U=USER, P="wrong")

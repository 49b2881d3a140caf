"""Which databases the catalog takes in: what it has, everyone may search."""

from __future__ import annotations

from pathlib import Path

import pytest
from sqlite_source import lay_shop

from forge.federation.source import SourceOrigin
from forge.flows.catalog.crawl import SourceCrawl, crawl
from forge.flows.federation.sources import create_source
from forge.wiring import Wiring
from forge.wiring.crawlers import find_crawlers

SETTINGS = "project: shop\nuser: {name: Ada, email: ada@example.com}\n"
TILL = "{name: till, connector: sqlite, path: data/till.db}"
SAFE = "{name: safe, connector: sqlite, path: data/safe.db, readers: [ada@example.com]}"
LOADS = (
    "{output: raw.customers, source: till, table: customers}",
    "{output: raw.hidden, source: SAFE, table: customers}",
)
JDBC = "{output: raw.orders, connector: jdbc, url: 'jdbc:sqlite:data/till.db', table: orders}"
MARIADB = "{output: raw.carts, connector: jdbc, url: 'jdbc:mariadb://DB.example/shop?useSSL=false', table: carts}"
NAMED_SAFE = "catalog: {sources: {shop: {url: 'jdbc:sqlite:data/safe.db'}}}\n"


def sources_of(root: Path, *items: str, settings: str = "") -> list[str]:
    """Of the databases that are crawled."""
    (root / "forge.yaml").write_text(SETTINGS + settings)
    (root / "sources").mkdir(exist_ok=True)
    (root / "sources" / "all.yaml").write_text("\n  - ".join(("sources:", *items)))
    wiring = Wiring.of(root)
    try:
        return [one.source for one in find_crawlers(wiring).databases.crawlers]
    finally:
        wiring.close()


def crawl_all(root: Path) -> dict[str, SourceCrawl]:
    wiring = Wiring.of(root)
    try:
        return {one.source: one for one in crawl(wiring.catalog.crawl_ports())}
    finally:
        wiring.close()


def test_a_declared_source_is_taken_in_whether_something_loads_from_it_or_not(tmp_path: Path) -> None:
    assert sources_of(tmp_path, TILL) == sources_of(tmp_path, TILL, LOADS[0]) == ["till"]
    lay_shop(tmp_path / "data" / "till.db")
    found = crawl_all(tmp_path)["till"]
    assert {one.asset.qualified_name for one in found.plan.writes} == {"sqlite:till.customers", "sqlite:till.orders"}


@pytest.mark.parametrize("more", [(), LOADS])
def test_a_source_with_readers_is_taken_in_only_where_the_operator_names_it(
    tmp_path: Path, more: tuple[str, ...]
) -> None:
    assert sources_of(tmp_path, TILL, SAFE, *more) == ["till"]
    assert sources_of(tmp_path, TILL, SAFE, *more, settings=NAMED_SAFE) == ["shop", "till"]


def test_what_a_source_keeps_for_its_readers_is_not_told_by_way_of_another(tmp_path: Path) -> None:
    again = "{name: again, connector: sqlite, path: data/../data/safe.db}"
    load = "{output: raw.safe, connector: jdbc, url: 'jdbc:sqlite:data/safe.db', table: customers}"
    assert sources_of(tmp_path, again, SAFE, load) == []
    crm = "name: crm, connector: mysql, url: 'jdbc:mysql://db.example:3306/shop'"
    assert sources_of(tmp_path, f"{{{crm}, readers: [ada@example.com]}}", MARIADB) == []


def test_a_source_that_asks_as_each_user_is_not_told_to_all(tmp_path: Path) -> None:
    crm = "name: crm, connector: postgresql, url: 'jdbc:postgresql://db.example/crm'"
    mine = "credentials: {ada@example.com: {user: env:U, password: env:P}}"
    assert sources_of(tmp_path, f"{{{crm}}}") == ["crm"]
    assert sources_of(tmp_path, f"{{{crm}, {mine}}}") == []


def test_files_and_apis_are_no_databases(tmp_path: Path) -> None:
    files = "{name: f, connector: files, format: csv, path: data/a.csv, columns: {id: bigint}}"
    server = "{name: all, connector: mysql, url: 'jdbc:mysql://db.example/'}"
    assert sources_of(tmp_path, files, server) == []


def test_a_database_that_is_named_in_several_ways_is_crawled_once(tmp_path: Path) -> None:
    assert sources_of(tmp_path, TILL, JDBC) == ["till"]
    crm = "{name: crm, connector: mysql, url: 'jdbc:mysql://db.example:3306/shop'}"
    assert sources_of(tmp_path, crm, MARIADB) == ["crm"]
    named = "catalog: {sources: {shop: {url: 'mysql://db.example/shop'}}}\n"
    assert sources_of(tmp_path, crm, MARIADB, settings=named) == ["shop"]


def test_no_crawler_has_the_name_of_another(tmp_path: Path) -> None:
    crm = "{name: crm, connector: postgresql, url: 'jdbc:postgresql://db.example/crm'}"
    files = "{name: files, connector: postgresql, url: 'jdbc:postgresql://db.example/f'}"
    loads = [f"{{output: raw.{one}, connector: jdbc, url: 'jdbc:postgresql://{one}/shop', table: t}}" for one in "ab"]
    named = "catalog: {sources: {crm: {url: 'postgresql://other.example/crm'}}}\n"
    found = sources_of(tmp_path, crm, files, *loads, settings=named)
    assert found == ["crm", "postgresql:crm", "postgresql:files", "postgresql:shop", "postgresql:shop (raw.b)"]


def test_two_databases_of_one_name_do_not_take_each_others_tables(tmp_path: Path) -> None:
    old = "{name: archive, connector: sqlite, path: old/till.db}"
    assert sources_of(tmp_path, TILL, old) == ["archive", "till"]
    for folder in ("data", "old"):
        lay_shop(tmp_path / folder / "till.db")
    first = crawl_all(tmp_path)
    assert (len(first["archive"].plan.writes), len(first["till"].plan.writes)) == (2, 0)
    assert all(one.plan.is_empty for one in crawl_all(tmp_path).values())


def test_a_source_created_over_http_is_crawled_within_the_limits_of_today(tmp_path: Path) -> None:
    shared = "federation: {folders: [data]}\n"
    assert sources_of(tmp_path, settings=shared) == []
    lay_shop(tmp_path / "data" / "till.db")
    wiring = Wiring.of(tmp_path)
    ports = wiring.federation.source_ports("eve@example.com", SourceOrigin.HTTP)
    create_source({"name": "till", "connector": "sqlite", "path": "data/till.db"}, ports)
    wiring.close()
    assert not crawl_all(tmp_path)["till"].failed
    assert sources_of(tmp_path) == ["till"]
    assert "E886" in str(crawl_all(tmp_path)["till"].reason)

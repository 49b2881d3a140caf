"""The databases that the catalog of a project takes in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.secret import resolve_secret

if TYPE_CHECKING:
    from pathlib import Path

    from forge.federation.source import Source
    from forge.flows.catalog.crawl import Crawler
    from forge.flows.runs.project import Project
    from forge.model.names import TableName
    from forge.stores.crawlers.databases import DatabaseKey
    from forge.transforms.transform import Transform
    from forge.wiring import Wiring


@dataclass(frozen=True, slots=True)
class DatabaseCrawlers:
    """`loads`: tables that are loaded from one of them, and the name of its crawler."""

    crawlers: tuple[Crawler, ...]
    loads: Mapping[TableName, str]


def find_database_crawlers(wiring: Wiring, project: Project) -> DatabaseCrawlers:
    """Those of catalog.sources, then those that loads of sources/*.yaml read and that have no name there. What names
    its readers is taken in only where catalog.sources asks for it: the catalog is for everyone."""
    from forge.stores.crawlers.declared_database import DeclaredDatabase

    def secret(reference: str) -> str:
        return resolve_secret(reference, wiring.environ, "catalog.sources")

    crawlers: list[Crawler] = []
    names: dict[DatabaseKey, str] = {}  # of the crawlers
    for name, keys in wiring.settings.catalog.sources.items():
        crawlers.append(DeclaredDatabase(name=name, root=wiring.root, secret=secret, **keys.model_dump()))
        names.setdefault(_key_of(keys.url, wiring.root), name)
    sources = {one.name: one for one in wiring.federation.sources()}
    read = {table: one for table, load in project.transforms.items() if (one := _read_by(load, sources)) is not None}
    closed = {_key_of(one.url, wiring.root) for one in read.values() if one.is_closed} - names.keys()
    for one in read.values():
        key = _key_of(one.url, wiring.root)
        if key not in closed and key not in names:
            crawler = DeclaredDatabase(
                root=wiring.root, secret=secret, url=one.url, user=one.user, password=one.password
            )
            crawlers.append(crawler)
            names[key] = crawler.source
    keys_read = {table: _key_of(one.url, wiring.root) for table, one in read.items()}
    return DatabaseCrawlers(tuple(crawlers), {table: names[key] for table, key in keys_read.items() if key in names})


@dataclass(frozen=True, slots=True)
class _Database:
    url: str
    user: str | None
    password: str | None
    is_closed: bool = False


def _read_by(load: Transform, sources: Mapping[str, Source]) -> _Database | None:
    """The database that a load reads."""
    from forge.transforms.transform import ConnectorSource, JdbcSource

    body = load.body
    if isinstance(body, JdbcSource) and not body.source:
        return _Database(body.url, body.user, body.password)
    source = sources.get(body.source.lower()) if isinstance(body, JdbcSource | ConnectorSource) else None
    if source is None or source.connector not in ("postgresql", "mysql", "sqlite"):
        return None
    return _Database(source.url, source.user, source.password, bool(source.readers))


def _key_of(url: str, root: Path) -> DatabaseKey:
    from forge.stores.addresses import database_url
    from forge.stores.crawlers.databases import database_key

    try:
        return database_key(database_url(url, root))
    except ForgeError:  # its crawler tells why
        return url, "", "", ""

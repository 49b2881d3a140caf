"""A declared source that is a database. It is opened when it is crawled, and as queries open it: by the same user, with
the same TLS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.engine import URL

from forge.catalog.crawl import CrawlMark, Sighting
from forge.federation.source import ConnectorKind, Source
from forge.model.errors import ForgeError
from forge.stores.addresses import database_url
from forge.stores.connectors import mysql, postgresql
from forge.stores.connectors.login import login_of
from forge.stores.crawlers.databases import DatabaseCrawler, database_name, open_source
from forge.stores.crawlers.postgres import PostgresCrawler

_OPTIONS: Mapping[ConnectorKind, tuple[str, ...]] = {
    ConnectorKind.POSTGRESQL: postgresql.DRIVER_OPTIONS,
    ConnectorKind.MYSQL: mysql.DRIVER_OPTIONS,
    ConnectorKind.SQLITE: (),
}


def source_url(source: Source, root: Path) -> URL | None:
    """Without a user; None for what is no database, and for a server that it names no database of."""
    if source.connector not in _OPTIONS:
        return None
    url = database_url(source.url, root)
    if source.connector is ConnectorKind.MYSQL and source.schema:
        url = url.set(database=source.schema)  # a schema is a database there
    return url if url.database else None


def catalog_name(source: Source, root: Path) -> str | None:
    """How the catalog calls a database or files: postgresql:shop, files:data/orders.csv. None for what it takes in
    nothing of."""
    if source.connector is ConnectorKind.FILES:
        return f"files:{source.path}"
    url = source_url(source, root)
    return None if url is None else database_name(url)


def asset_name(source: Source, table: str, root: Path) -> str | None:
    """Of `public.users` of a source; files are one table without a name."""
    name = catalog_name(source, root)
    if name is None or not table:
        return name
    # Of MySQL one database is crawled, whose tables have no schema in the catalog.
    own = f"{name.partition(':')[2]}." if source.connector is ConnectorKind.MYSQL else ""
    return f"{name}.{table.removeprefix(own)}"


@dataclass(frozen=True, kw_only=True)
class SourceDatabase:
    """`refuse`: E886 for what a source created over HTTP may not reach, asked each time."""

    source: str
    declared: Source
    root: Path
    secret: Callable[[str], str]  # of a reference
    refuse: Callable[[Source], None]

    @property
    def _url(self) -> URL:
        found = source_url(self.declared, self.root)
        assert found is not None  # a crawler is made of databases alone
        return found

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterator[Sighting]:
        self.refuse(self.declared)
        login = login_of(self.declared, self.root, self.secret, _OPTIONS[self.declared.connector])
        seconds = max(1, round(login.connect_seconds))
        arguments: dict[str, Any] = {**login.options, "connect_timeout": seconds}
        match self.declared.connector:
            case ConnectorKind.SQLITE:
                arguments = {}
            case ConnectorKind.MYSQL:
                arguments |= mysql.tls_arguments(login.options)
        opened = open_source(self._url.set(username=login.user, password=login.password), self.source, arguments)
        kind = PostgresCrawler if self.declared.connector is ConnectorKind.POSTGRESQL else DatabaseCrawler
        try:
            yield from kind(self.source, opened, database_name(self._url)).sightings(known)
        except ForgeError as error:
            raise error.but(why=login.without_secrets(error.why or "")) from error

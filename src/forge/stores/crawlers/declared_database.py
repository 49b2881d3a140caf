"""A database by its address in a file of the project. It is opened when it is crawled: an address or a secret that is
wrong is a failure of this source alone."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from forge.catalog.crawl import CrawlMark, Sighting
from forge.model.errors import ForgeError
from forge.stores.addresses import database_url
from forge.stores.crawlers.databases import DatabaseCrawler, database_name, open_source
from forge.stores.crawlers.postgres import PostgresCrawler


@dataclass(frozen=True, kw_only=True)
class DeclaredDatabase:
    root: Path
    url: str
    secret: Callable[[str], str]  # of a reference
    name: str | None = None  # that a person gave it
    user: str | None = None
    password: str | None = None
    schemas: Sequence[str] = ()

    @property
    def source(self) -> str:
        if self.name:
            return self.name
        try:
            return database_name(database_url(self.url, self.root))
        except ForgeError:
            return self.url.partition("?")[0]

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterable[Sighting]:
        user, password = (self.secret(one) if one else None for one in (self.user, self.password))
        url = database_url(self.url, self.root, user, password)
        kind = PostgresCrawler if url.get_backend_name() == "postgresql" else DatabaseCrawler
        opened = open_source(url, self.source)
        return kind(self.source, opened, database_name(url), self.schemas).sightings(known)

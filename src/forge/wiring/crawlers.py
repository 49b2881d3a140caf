"""The crawlers of a project: the lake, its own files, dbt manifests, and the databases it names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from forge.wiring.database_crawlers import DatabaseCrawlers, find_database_crawlers

if TYPE_CHECKING:
    from forge.flows.catalog.crawl import Crawler
    from forge.flows.runs.project import Project
    from forge.model.names import TableName
    from forge.wiring import Wiring

_DBT = "target/manifest.json"


def lake_crawler(wiring: Wiring, project: Callable[[], Project]) -> Crawler:
    from forge.flows.catalog.table_words import TableWords, find_table_words
    from forge.stores.crawlers.lake import ExternalLakeCrawler, LakeCrawler
    from forge.stores.lake.iceberg import IcebergLake

    def words() -> dict[str, TableWords]:
        return find_table_words(project(), wiring.metadata.recorded_assets())

    lake = wiring.lake
    if isinstance(lake, IcebergLake):
        return LakeCrawler(wiring.database, words, lambda: lake.files)
    return ExternalLakeCrawler(lake, words)


@dataclass(frozen=True, slots=True)
class ProjectCrawlers:
    """`own`: what costs little, the lake and the project's own files."""

    own: tuple[Crawler, ...]
    databases: DatabaseCrawlers

    @property
    def every(self) -> tuple[Crawler, ...]:
        return (*self.own, *self.databases.crawlers)

    def after(self, published: Iterable[TableName]) -> list[str]:
        """The names of those that are crawled after tables were published: of the databases those that were read for
        it, and so answered a moment ago."""
        loads = self.databases.loads
        read = dict.fromkeys(loads[table] for table in published if table in loads)
        return [*(one.source for one in self.own), *read]


def find_crawlers(wiring: Wiring) -> ProjectCrawlers:
    from forge.stores.crawlers.project import FileCrawler, ProjectCrawler

    project = cache(wiring.project)
    own = (
        lake_crawler(wiring, project),
        ProjectCrawler(project, wiring.settings.project),
        FileCrawler(project),
        *_ontology(wiring),
        *_dbt(wiring),
    )
    return ProjectCrawlers(own, find_database_crawlers(wiring, project().transforms))


def _ontology(wiring: Wiring) -> Iterator[Crawler]:
    """Where the project has one, or had one when it was crawled last."""
    from forge.stores.crawlers.ontology import OntologyCrawler, ontology_files

    crawler = OntologyCrawler(wiring.root)
    if ontology_files(wiring.root) or wiring.catalog.assets.marks(crawler.source):
        yield crawler


def _dbt(wiring: Wiring) -> Iterator[Crawler]:
    from forge.stores.crawlers.dbt import DbtCrawler

    named = list(wiring.settings.catalog.dbt)
    if not named and (wiring.root / _DBT).is_file():
        named = [_DBT]
    for path in named:
        folder = Path(path).parent.parent.name
        source = "dbt" if len(named) == 1 else f"dbt:{folder or path}"
        yield DbtCrawler(source, wiring.root / Path(path).expanduser(), path)

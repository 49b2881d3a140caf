"""The crawlers of a project: the lake, its own files, dbt manifests, and the databases it names."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from forge.model.secret import resolve_secret

if TYPE_CHECKING:
    from forge.flows.catalog.crawl import Crawler
    from forge.flows.runs.project import Project
    from forge.transforms.transform import Transform
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


def own_crawlers(wiring: Wiring, project: Callable[[], Project] | None = None) -> tuple[Crawler, ...]:
    """What costs little: the lake, and the project's own files."""
    from forge.stores.crawlers.project import FileCrawler, ProjectCrawler

    project = project or cache(wiring.project)
    return (
        lake_crawler(wiring, project),
        ProjectCrawler(project, wiring.settings.project),
        FileCrawler(project),
        *_ontology(wiring),
        *_dbt(wiring),
    )


def all_crawlers(wiring: Wiring) -> tuple[Crawler, ...]:
    project = cache(wiring.project)
    return (*own_crawlers(wiring, project), *_databases(wiring, project))


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


def _databases(wiring: Wiring, project: Callable[[], Project]) -> Iterator[Crawler]:
    """Those of catalog.sources, then those that sources/*.yaml read and that have no name there. What names its readers
    is taken in only where catalog.sources asks for it: the catalog is for everyone."""
    from forge.stores.crawlers.declared_database import DeclaredDatabase

    def secret(reference: str) -> str:
        return resolve_secret(reference, wiring.environ, "catalog.sources")

    named = wiring.settings.catalog.sources
    for name, keys in named.items():
        yield DeclaredDatabase(name=name, root=wiring.root, secret=secret, **keys.model_dump())
    urls = {keys.url for keys in named.values()}
    closed = {one.name for one in wiring.federation.sources() if one.readers}
    read = [one for one in map(_database_of, project().transforms.values()) if one is not None]
    urls |= {one["url"] for name, one in read if name in closed}
    for found in {one["url"]: one for _, one in read if one["url"] not in urls}.values():
        yield DeclaredDatabase(root=wiring.root, secret=secret, **found)


def _database_of(load: Transform) -> tuple[str, dict[str, Any]] | None:
    """The database that a load reads, and the name of its source in small letters."""
    from forge.federation.source import SourceOrigin
    from forge.federation.source_keys import source_of_keys
    from forge.transforms.transform import ConnectorSource, JdbcSource

    match load.body:
        case JdbcSource() as body:
            return body.source.lower(), {"url": body.url, "user": body.user, "password": body.password}
        case ConnectorSource() as body if body.declared["connector"] in ("postgresql", "mysql", "sqlite"):
            source = source_of_keys(body.declared, SourceOrigin.FILE)
            return source.name, {"url": source.url, "user": source.user, "password": source.password}
    return None

"""The databases that the catalog of a project takes in."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from forge.model.errors import ForgeError
from forge.model.secret import resolve_secret

if TYPE_CHECKING:
    from pathlib import Path

    from forge.federation.source import Source
    from forge.flows.catalog.crawl import Crawler
    from forge.model.names import TableName
    from forge.stores.crawlers.databases import DatabaseKey
    from forge.stores.crawlers.declared_database import DeclaredDatabase
    from forge.stores.crawlers.declared_source import SourceDatabase
    from forge.transforms.transform import Transform
    from forge.wiring import Wiring

_OTHERS = ("lake", "project", "files", "ontology", "dbt", "api")  # sources of assets that are no databases


@dataclass(frozen=True, slots=True)
class DatabaseCrawlers:
    """`loads`: tables that are loaded from one of them, and the name of its crawler. `opened` and `closed`: databases
    by the catalog's names for them."""

    crawlers: tuple[Crawler, ...]
    loads: Mapping[TableName, str]
    opened: frozenset[str]
    closed: frozenset[str]


def find_database_crawlers(wiring: Wiring, loads: Mapping[TableName, Transform]) -> DatabaseCrawlers:
    """Those of catalog.sources, then declared sources, then what loads read by an address of their own; each once. What
    is not for everyone is taken in only where catalog.sources asks for it: the catalog is for everyone."""
    from forge.stores.crawlers.databases import names_of

    sources = {one.name: one for one in wiring.federation.sources()}
    crawlers: list[Crawler] = []
    names: dict[DatabaseKey, str] = {}
    for key, named in _of_settings(wiring):
        crawlers.append(named)
        names.setdefault(key, named.source)
    closed = _closed(sources.values(), wiring.root) - names.keys()
    for one in (*_of_sources(sources.values(), wiring), *_of_loads(loads.values(), wiring)):
        if one.key not in names:
            others = {*_OTHERS, *names.values()}
            names[one.key] = next((name for name in one.names if name not in others), one.names[-1])
            if one.key not in closed:
                crawlers.append(one.make(names[one.key]))
    read = {table: _key_read(load, sources, wiring.root) for table, load in loads.items()}
    shut = {name for key in closed for name in names_of(key)}
    return DatabaseCrawlers(
        crawlers=tuple(crawlers),
        loads={table: names[key] for table, key in read.items() if key in names and key not in closed},
        opened=frozenset(name for key in names.keys() - closed for name in names_of(key)) - shut,
        closed=frozenset(shut),
    )


@dataclass(frozen=True, slots=True)
class _Database:
    """`names`: how its crawler may be called, the first that is free. `make`: the crawler, by its name."""

    key: DatabaseKey
    names: tuple[str, str]
    make: Callable[[str], Crawler]


def _of_settings(wiring: Wiring) -> Iterator[tuple[DatabaseKey, DeclaredDatabase]]:
    for name, keys in wiring.settings.catalog.sources.items():
        yield _key_of(keys.url, wiring.root), _declared(wiring, keys.url, keys.user, keys.password, name, keys.schemas)


def _of_sources(sources: Iterable[Source], wiring: Wiring) -> Iterator[_Database]:
    for source in sources:
        key = _key_of_source(source, wiring.root)
        if key is not None:
            yield _Database(key, (source.name, f"{key[0]}:{source.name}"), partial(_source_database, wiring, source))


def _of_loads(loads: Iterable[Transform], wiring: Wiring) -> Iterator[_Database]:
    """Those that name a source read what is declared."""
    from forge.transforms.transform import JdbcSource

    for load in loads:
        body = load.body
        if isinstance(body, JdbcSource) and not body.source:
            make = partial(_declared, wiring, body.url, body.user, body.password)
            name = make().source
            yield _Database(_key_of(body.url, wiring.root), (name, f"{name} ({load.output})"), make)


def _source_database(wiring: Wiring, source: Source, name: str) -> SourceDatabase:
    from forge.stores.crawlers.declared_source import SourceDatabase

    def secret(reference: str) -> str:
        return resolve_secret(reference, wiring.environ, source.where or f"source {source.name}")

    refuse = wiring.federation.refuse_out_of_reach
    return SourceDatabase(source=name, declared=source, root=wiring.root, secret=secret, refuse=refuse)


def _declared(
    wiring: Wiring,
    url: str,
    user: str | None,
    password: str | None,
    name: str | None = None,
    schemas: Iterable[str] = (),
) -> DeclaredDatabase:
    from forge.stores.crawlers.declared_database import DeclaredDatabase

    def secret(reference: str) -> str:
        return resolve_secret(reference, wiring.environ, "catalog.sources")

    return DeclaredDatabase(
        root=wiring.root, url=url, secret=secret, name=name, user=user, password=password, schemas=tuple(schemas)
    )


def _closed(sources: Iterable[Source], root: Path) -> set[DatabaseKey]:
    """What one source keeps for its readers is not told by way of another."""
    from forge.federation.rights import is_for_everyone

    keys = {_key_of_source(one, root) for one in sources if not is_for_everyone(one)}
    return {key for key in keys if key is not None}


def _key_read(load: Transform, sources: Mapping[str, Source], root: Path) -> DatabaseKey | None:
    """Of the database that a load reads."""
    from forge.transforms.transform import ConnectorSource, JdbcSource

    body = load.body
    if isinstance(body, JdbcSource) and not body.source:
        return _key_of(body.url, root)
    source = sources.get(body.source.lower()) if isinstance(body, JdbcSource | ConnectorSource) else None
    return None if source is None else _key_of_source(source, root)


def _key_of_source(source: Source, root: Path) -> DatabaseKey | None:
    from forge.stores.crawlers.databases import database_key
    from forge.stores.crawlers.declared_source import source_url

    url = source_url(source, root)
    return None if url is None else database_key(url)


def _key_of(url: str, root: Path) -> DatabaseKey:
    from forge.stores.addresses import database_url
    from forge.stores.crawlers.databases import database_key

    try:
        return database_key(database_url(url, root))
    except ForgeError:  # its crawler tells why
        return url, "", "", ""

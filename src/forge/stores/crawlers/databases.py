"""Databases that the project declares: their addresses, and what SQLAlchemy can tell of any of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sqlalchemy import Engine, Inspector, create_engine, inspect
from sqlalchemy.engine import URL
from sqlalchemy.engine.reflection import ObjectKind
from sqlalchemy.exc import DBAPIError, NoSuchModuleError

from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.crawl import CrawlMark, SeenAsset, Sighting
from forge.model.errors import ForgeError, SourceUnreachableError
from forge.stores.addresses import unreachable_database

_SECONDS = 10
_PORTS: Mapping[str, int] = {"postgresql": 5432, "mysql": 3306}


def open_source(url: URL, source: str, arguments: Mapping[str, Any] = MappingProxyType({})) -> Engine:
    """Nothing is asked yet. E308 where no driver is installed. `arguments`: of the driver."""
    backend = url.get_backend_name()
    if backend == "postgresql":
        arguments = {"connect_timeout": _SECONDS, **arguments}
    if backend == "sqlite" and url.database and not Path(url.database).is_file():
        raise SourceUnreachableError(f"{source} cannot be reached", why="There is no such file.", fix="Correct `url`.")
    try:
        return create_engine(url, connect_args=dict(arguments), pool_size=1) if arguments else create_engine(url)
    except (NoSuchModuleError, ModuleNotFoundError) as error:
        missing = getattr(error, "name", None) or backend
        raise SourceUnreachableError(
            f"{source} cannot be crawled",
            why=f"No driver for {backend} is installed ({missing}).",
            fix=f"pip install one that SQLAlchemy knows for {backend}.",
        ) from error


def database_name(url: URL) -> str:
    """postgresql:shop, sqlite:shop."""
    name = Path(url.database or "").stem if url.get_backend_name() == "sqlite" else url.database or ""
    return f"{url.get_backend_name()}:{name}"


DatabaseKey = tuple[str, str, str, str]


def database_key(url: URL) -> DatabaseKey:
    """The same for all addresses of one database: system, host, port and name."""
    system = url.get_backend_name().replace("mariadb", "mysql")
    if system == "sqlite":
        return system, "", "", os.path.realpath(url.database or "")
    return system, (url.host or "localhost").lower(), str(url.port or _PORTS.get(system) or ""), url.database or ""


def names_of(key: DatabaseKey) -> tuple[str, ...]:
    """How the catalog may call it, by the address that was crawled."""
    system, *_, name = key
    name = Path(name).stem if system == "sqlite" else name
    return (f"mysql:{name}", f"mariadb:{name}") if system == "mysql" else (f"{system}:{name}",)


def unreachable_source(source: str, error: DBAPIError) -> ForgeError:
    return unreachable_database(source, error.orig or error)


class DatabaseCrawler:
    """Any database that SQLAlchemy can inspect. All is read each time; what is the same is not written."""

    def __init__(self, source: str, engine: Engine, prefix: str, schemas: Sequence[str] = ()) -> None:
        self.source = source
        self._engine, self._prefix, self._schemas = engine, prefix, list(schemas)

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterator[Sighting]:
        try:
            inspector = inspect(self._engine)
            schemas: Sequence[str | None] = self._schemas or (None,)
            for schema in schemas:
                columns = inspector.get_multi_columns(schema=schema, kind=ObjectKind.ANY)
                keys = inspector.get_multi_pk_constraint(schema=schema, kind=ObjectKind.TABLE)
                comments = self._comments(inspector, schema)
                views = set(inspector.get_view_names(schema=schema))
                for (_, name), found in columns.items():
                    key: Mapping[str, Any] = keys.get((schema, name)) or {}
                    asset = self._asset(schema, name, found, key, is_view=name in views)
                    yield SeenAsset(replace(asset, description=comments.get(name, "")))
        except DBAPIError as error:
            raise unreachable_source(self.source, error) from error
        finally:
            self._engine.dispose()

    def _comments(self, inspector: Inspector, schema: str | None) -> dict[str, str]:
        """Of tables. In MySQL they come with the columns, and ask for nothing more."""
        if not self._engine.dialect.supports_comments:
            return {}
        found = inspector.get_multi_table_comment(schema=schema, kind=ObjectKind.TABLE)
        return {name: comment["text"] or "" for (_, name), comment in found.items()}

    def _asset(
        self, schema: str | None, name: str, columns: Sequence[Any], key: Mapping[str, Any], *, is_view: bool
    ) -> CrawledAsset:
        place = f"{schema}.{name}" if schema else name
        return CrawledAsset(
            qualified_name=f"{self._prefix}.{place}",
            type=AssetType.VIEW if is_view else AssetType.TABLE,
            source=self.source,
            system=self._engine.dialect.name,
            location=place,
            columns=tuple(
                CrawledColumn(one["name"], str(one["type"]).lower(), bool(one["nullable"]), one.get("comment") or "")
                for one in columns
            ),
            primary_key=tuple(key.get("constrained_columns") or ()),
        )

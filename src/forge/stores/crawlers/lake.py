"""The lake as a source: the rows of its Iceberg catalog. A row whose pointer did not move opens no file."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from sqlalchemy import Engine, select

from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.crawl import CrawlMark, SeenAsset, Sighting, UnmovedAsset, UnreadAsset
from forge.flows.catalog.table_words import TableWords
from forge.flows.ports import Lake
from forge.model.errors import ForgeError
from forge.model.names import CatalogName
from forge.stores.crawlers.iceberg_metadata import table_asset, view_asset
from forge.stores.lake.local_path import local_path
from forge.stores.sql.database import reading
from forge.stores.sql.tables import CATALOG, HIDDEN, iceberg_tables

if TYPE_CHECKING:
    from forge.stores.lake.files import Files

LAKE = "lake"
WordsOfTables = Callable[[], Mapping[str, TableWords]]
_NONE = TableWords()
_READERS = 16  # files of an object store are waited for


class LakeCrawler:
    """The catalog in Forge's own database."""

    source = LAKE

    def __init__(self, engine: Engine, words: WordsOfTables, files: Callable[[], Files]) -> None:
        self._engine, self._words, self._files = engine, words, files

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterator[Sighting]:
        words = self._words()
        moved: list[tuple[str, str, str, str]] = []
        for namespace, table, location, kind in self._rows():
            name = f"{namespace}.{table}"
            pointer = pointer_of(location, words.get(name, _NONE))
            mark = known.get(name)
            if mark is not None and mark.pointer == pointer and mark.state == "active":
                yield UnmovedAsset(name)
            else:
                moved.append((name, location, pointer, kind))
        remote = []
        for row in moved:
            if local_path(row[1]).startswith("/"):
                yield self._read(row, words.get(row[0], _NONE))
            else:
                remote.append(row)
        if remote:
            with ThreadPoolExecutor(_READERS) as pool:
                yield from pool.map(lambda row: self._read(row, words.get(row[0], _NONE)), remote)

    def _rows(self) -> list[tuple[str, str, str, str]]:
        t = iceberg_tables.c
        query = select(t.table_namespace, t.table_name, t.metadata_location, t.iceberg_type)
        with reading(self._engine) as connection:
            found = connection.execute(query.where(t.catalog_name == CATALOG, t.table_namespace.not_in(HIDDEN)))
            return [(row[0], row[1], row[2] or "", row[3] or "TABLE") for row in found]

    def _read(self, row: tuple[str, str, str, str], words: TableWords) -> Sighting:
        name, location, pointer, kind = row
        try:
            data = self._json(location)
            asset = view_asset(name, data, words) if kind == "VIEW" else table_asset(name, data, words)
        except ForgeError as error:
            return UnreadAsset(name, error.line)
        except FileNotFoundError:
            return UnreadAsset(name, f"{location} is gone")
        except OSError as error:
            return UnreadAsset(name, f"{location} cannot be read: {error.strerror or error}")
        except (KeyError, TypeError, ValueError, StopIteration, AssertionError):
            return UnreadAsset(name, f"{location} is not what Iceberg writes")
        return SeenAsset(asset, pointer)

    def _json(self, location: str) -> dict[str, Any]:
        path = local_path(location)
        if path.startswith("/"):
            with open(path, "rb") as file:
                found = json.load(file)
        else:
            with self._files().io.new_input(location).open() as stream:
                found = json.loads(stream.read())
        if not isinstance(found, dict):
            raise ValueError("no object")
        return found


class ExternalLakeCrawler:
    """A catalog of someone else. It is asked for each table; what it points at is not read again."""

    source = LAKE

    def __init__(self, lake: Lake, words: WordsOfTables) -> None:
        self._lake, self._words = lake, words

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterable[Sighting]:
        words = self._words()
        for catalog in self._lake.tables():
            name = str(catalog)
            try:
                state = self._lake.state(catalog)
                if state is None:
                    continue
                pointer = pointer_of(state.location, words.get(name, _NONE))
                mark = known.get(name)
                if mark is not None and mark.pointer == pointer and mark.state == "active":
                    yield UnmovedAsset(name)
                else:
                    yield SeenAsset(self._asset(name, state.uuid, catalog, words.get(name, _NONE)), pointer)
            except ForgeError as error:
                yield UnreadAsset(name, error.line)

    def _asset(self, name: str, uuid: str, catalog: CatalogName, words: TableWords) -> CrawledAsset:
        snapshot, schema = self._lake.snapshot(catalog), self._lake.schema(catalog)
        columns = tuple(
            CrawledColumn(one.name, one.type, one.nullable, words.columns.get(one.name.lower()) or one.doc or "")
            for one in (schema.columns if schema else ())
        )
        return CrawledAsset(
            qualified_name=name,
            type=AssetType.TABLE,
            source=LAKE,
            key=uuid,
            system="iceberg",
            description=words.description,
            owner=words.owner,
            domain=words.domain,
            tags=words.tags,
            columns=columns,
            primary_key=words.primary_key or (snapshot.identifier if snapshot else ()),
            row_count=snapshot.statistics.record_count if snapshot else None,
            size_bytes=snapshot.statistics.total_size if snapshot else None,
            updated_at=snapshot.time if snapshot else None,
        )


def pointer_of(location: str, words: TableWords) -> str:
    """Of the metadata file, and of what the project says of the table."""
    return location if words == _NONE else f"{location}#{words.digest[:16]}"

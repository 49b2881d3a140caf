"""dbt as a source: the manifest of a project. Models, seeds, snapshots and sources are tables or views, exposures are
dashboards, metrics are metrics."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.crawl import CrawlMark, Sighting
from forge.catalog.text import clean_text
from forge.model.errors import ForgeError, MissingFileError
from forge.stores.crawlers.digests import digest_of, find_unmoved, with_digest

_LARGEST = 1_000_000_000
_TABLES = ("model", "seed", "snapshot", "source")
_EXPOSURES = {"ml": AssetType.MODEL, "dashboard": AssetType.DASHBOARD, "analysis": AssetType.DASHBOARD}
Raw = Mapping[str, Any]


class DbtCrawler:
    def __init__(self, source: str, path: Path, shown: str) -> None:
        """`shown`: the path as a person wrote it."""
        self.source = source
        self._path, self._shown = path, shown

    def sightings(self, known: Mapping[str, CrawlMark]) -> Iterable[Sighting]:
        text, folder = self._read(), self._path.parent.parent.name
        digest = digest_of((folder.encode(errors="surrogateescape"), text))
        return find_unmoved(known, digest) or with_digest(list(self._assets(self._parse(text), folder)), digest)

    def _assets(self, content: Raw, folder: str) -> Iterator[CrawledAsset]:
        project = str(_mapping(content, "metadata").get("project_name") or folder)
        names: dict[str, str] = {}
        for id_, raw in (*_entries(content, "nodes"), *_entries(content, "sources")):
            kind = str(raw.get("resource_type") or id_.partition(".")[0])
            if kind in _TABLES and _mapping(raw, "config").get("materialized") != "ephemeral":
                names[id_] = _relation(raw)
                yield self._table(id_, kind, raw, names[id_])
        for part, type_ in (("exposures", AssetType.DASHBOARD), ("metrics", AssetType.METRIC)):
            for id_, raw in _entries(content, part):
                yield self._other(id_, raw, f"dbt:{project}.{part}", type_, names)

    def _read(self) -> bytes:
        try:
            if self._path.stat().st_size > _LARGEST:
                raise ForgeError("E103", "The manifest is larger than 1 GB", where=self._shown)
            return self._path.read_bytes()
        except FileNotFoundError as error:
            raise MissingFileError(
                "There is no manifest of dbt", where=self._shown, fix="Run `dbt parse`, or correct catalog.dbt."
            ) from error
        except OSError as error:
            raise self._unreadable(error) from error

    def _parse(self, text: bytes) -> Raw:
        try:
            content = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise self._unreadable(error) from error
        if not isinstance(content, dict) or not isinstance(content.get("nodes"), dict):
            raise ForgeError("E103", "The file is no manifest of dbt", where=self._shown, fix="Run `dbt parse`.")
        return content

    def _unreadable(self, error: Exception) -> ForgeError:
        why = str(error)[:200]
        return ForgeError("E103", "The manifest cannot be read", where=self._shown, why=why, fix="Run `dbt parse`.")

    def _table(self, id_: str, kind: str, raw: Raw, name: str) -> CrawledAsset:
        is_view = kind == "model" and _mapping(raw, "config").get("materialized", "view") == "view"
        meta = {**_mapping(raw, "source_meta"), **_mapping(_mapping(raw, "config"), "meta"), **_mapping(raw, "meta")}
        return CrawledAsset(
            qualified_name=name,
            type=AssetType.VIEW if is_view else AssetType.TABLE,
            source=self.source,
            key=clean_text(id_),
            system="dbt",
            location=_text(raw, "original_file_path"),
            description=_text(raw, "description"),
            owner=_owner(meta),
            domain=_text(meta, "domain") or None,
            tags=_texts(raw.get("tags")),
            columns=tuple(_column(key, column) for key, column in _entries(raw, "columns")),
            primary_key=_texts(raw.get("primary_key")),
        )

    def _other(self, id_: str, raw: Raw, place: str, type_: AssetType, names: Mapping[str, str]) -> CrawledAsset:
        meta = {**_mapping(_mapping(raw, "config"), "meta"), **_mapping(raw, "meta")}
        depends = _mapping(raw, "depends_on").get("nodes")
        return CrawledAsset(
            qualified_name=f"{place}.{_text(raw, 'name') or clean_text(id_)}",
            type=_EXPOSURES.get(_text(raw, "type"), type_) if type_ is AssetType.DASHBOARD else type_,
            source=self.source,
            key=clean_text(id_),
            system="dbt",
            location=_text(raw, "url") or _text(raw, "original_file_path"),
            description=_text(raw, "description"),
            owner=_owner(_mapping(raw, "owner")) or _owner(meta),
            domain=_text(meta, "domain") or None,
            tags=_texts(raw.get("tags")),
            backed_by=tuple(names[one] for one in depends if one in names) if isinstance(depends, list) else (),
        )


def _relation(raw: Raw) -> str:
    relation = _text(raw, "alias") or _text(raw, "identifier") or _text(raw, "name")
    parts = (_text(raw, "database"), _text(raw, "schema"), relation)
    return f"dbt:{'.'.join(part for part in parts if part)}"


def _column(key: str, raw: Raw) -> CrawledColumn:
    return CrawledColumn(
        _text(raw, "name") or clean_text(key), _text(raw, "data_type"), True, _text(raw, "description")
    )


def _owner(said: Raw) -> str | None:
    owner = said.get("owner") or said.get("email") or said.get("name")
    return clean_text(owner)[:1000] if isinstance(owner, str) and owner else None


def _entries(raw: Raw, name: str) -> list[tuple[str, Raw]]:
    return [(str(key), one) for key, one in _mapping(raw, name).items() if isinstance(one, Mapping)]


def _mapping(raw: Raw, name: str) -> Raw:
    found = raw.get(name)
    return found if isinstance(found, Mapping) else {}


def _text(raw: Raw, name: str) -> str:
    found = raw.get(name)
    return clean_text(found) if isinstance(found, str) else ""


def _texts(given: object) -> tuple[str, ...]:
    found = [given] if isinstance(given, str) else given if isinstance(given, list) else []
    return tuple(dict.fromkeys(clean_text(one) for one in found if isinstance(one, str) and one))

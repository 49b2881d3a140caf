"""The same questions by the way that HTTP takes: a project whose store holds the assets, the index that follows it, and
what the first search after a change pays."""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path

from bench.catalog.generate import CatalogMaker
from bench.catalog.queries import AskedQuery
from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.crawl import SeenAsset, plan_crawl
from forge.catalog.discovery.usage import UsageKind
from forge.catalog.edit import plan_edit
from forge.catalog.search.document import SearchDocument
from forge.catalog.search.query import SearchQuery
from forge.flows.runs.records import AuditRecord
from forge.stores.sql.catalog.asset_store import SqlAssetStore
from forge.wiring import Wiring

SETTINGS = "project: bench\nuser: {name: Ada, email: ada@example.com}\ncatalog: {follow: false}\n"
CHANGES = 20
_AT_ONCE = 5_000


@dataclass(frozen=True, slots=True)
class FlowMeasurements:
    """Milliseconds: of each question by the flow, and of the first search after an edit, and after use that moves an
    asset. `stored` and `indexed` in seconds."""

    assets: int
    stored: float
    indexed: float
    asked: list[float]
    edited: list[float]
    used: list[float]


def measure_flow(assets: int, folder: Path, queries: Sequence[AskedQuery], changes: int = CHANGES) -> FlowMeasurements:
    """In a folder that is kept, what was built before is used again."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "forge.yaml").write_text(SETTINGS)
    wiring = Wiring.of(folder)
    try:
        built = _build(wiring, assets, folder / "flow.json")
        search, store = wiring.catalog.search.catalog, wiring.catalog.assets
        search.search(SearchQuery(text="warm", limit=1))
        asked = [_milliseconds(lambda one=one: search.search(one.query)) for one in queries]  # type: ignore[misc]
        names = [document.id for document in islice(CatalogMaker(assets).documents(), changes)]
        edited = [_after(lambda name=name: _edit(store, name), wiring) for name in names]  # type: ignore[misc]
        recorder = wiring.catalog.discovery.recorder
        used = [
            _after(lambda name=name: recorder.record(UsageKind.VIEW, [name] * 7, uuid.uuid4().hex), wiring)  # type: ignore[misc]
            for name in names
        ]
        return FlowMeasurements(assets, built["stored"], built["indexed"], asked, edited, used)
    finally:
        wiring.catalog.search.index.close()
        wiring.close()


def _build(wiring: Wiring, assets: int, kept: Path) -> dict[str, float]:
    if not kept.is_file():
        stored = _milliseconds(lambda: _store(wiring.catalog.assets, assets)) / 1000
        indexed = _milliseconds(wiring.catalog.search.catalog.reindex) / 1000
        kept.write_text(json.dumps({"stored": stored, "indexed": indexed}))
    found: dict[str, float] = json.loads(kept.read_text())
    return found


def _store(store: SqlAssetStore, assets: int) -> None:
    """As crawls of many sources would have brought them."""
    documents, now = CatalogMaker(assets).documents(), datetime.now(UTC)
    for number in range(0, assets, _AT_ONCE):
        source = f"source{number // _AT_ONCE}"
        seen = [SeenAsset(_crawled(one, source)) for one in islice(documents, _AT_ONCE)]
        store.apply(plan_crawl(source, (), seen, lambda: uuid.uuid4().hex), now)


def _crawled(document: SearchDocument, source: str) -> CrawledAsset:
    return CrawledAsset(
        qualified_name=document.id,
        type=AssetType(document.type.value),
        source=source,
        description=document.description,
        owner=document.owner,
        domain=document.domain,
        tags=document.tags,
        columns=tuple(CrawledColumn(column.name, column.type) for column in document.columns),
        updated_at=document.fresh_at,
    )


def _edit(store: SqlAssetStore, name: str) -> None:
    asset, now = store.asset(name), datetime.now(UTC)
    assert asset is not None
    edit = plan_edit(asset, {"description": f"edited {uuid.uuid4().hex}"}, now, "ada")
    assert edit is not None
    assert store.edit(edit, AuditRecord(now, "ada", "catalog.edit", name))


def _after(change: Callable[[], object], wiring: Wiring) -> float:
    """Of the first search after a change, which must have moved the index."""
    search = wiring.catalog.search.catalog
    before = wiring.catalog.search.index.cursor()
    change()
    took = _milliseconds(lambda: search.search(SearchQuery(text="edited", limit=20)))
    assert wiring.catalog.search.index.cursor() != before
    return took


def _milliseconds(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000

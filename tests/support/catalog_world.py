"""A catalog in memory: tables that were crawled, renamed, documented or are gone."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime

from forge.catalog.asset import AssetType, CrawledAsset, CrawledColumn
from forge.catalog.crawl import SeenAsset, plan_crawl
from forge.catalog.edit import plan_edit
from forge.flows.catalog.asset_store import AssetStore
from forge.flows.runs.records import AuditRecord
from forge.stores.memory.asset_store import MemoryAssetStore

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)


def table(name: str, columns: str = "", **fields: object) -> CrawledAsset:
    """`columns`: like `id:bigint name`; `key` knows it again after a rename."""
    pairs = (one.partition(":") for one in columns.split())
    made = tuple(CrawledColumn(column, kind or "string") for column, _, kind in pairs)
    given: dict[str, object] = {"type": AssetType.TABLE, "source": "lake", "key": name, "columns": made, **fields}
    return CrawledAsset(qualified_name=name, **given)  # type: ignore[arg-type]


@dataclass
class CatalogWorld:
    assets: AssetStore = field(default_factory=MemoryAssetStore)
    now: datetime = NOW

    def crawl(self, *seen: CrawledAsset) -> None:
        """All there is: what was known and is not seen has vanished."""
        marks = self.assets.marks("lake")
        plan = plan_crawl("lake", marks, [SeenAsset(one) for one in seen], lambda: uuid.uuid4().hex)
        self.assets.apply(plan, self.now)

    def say(self, name: str, **said: object) -> None:
        asset = self.assets.asset(name)
        assert asset is not None
        edit = plan_edit(asset, said, self.now, "eve")
        assert edit is not None
        assert self.assets.edit(edit, AuditRecord(self.now, "eve", "catalog.edit", name))

"""What stores write into the catalog's log of changes."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Engine

from forge.flows.catalog.asset_store import CatalogChange
from forge.stores.sql.catalog.asset_store import SqlAssetStore


def logged(engine: Engine, act: Callable[[], object]) -> list[tuple[str, str]]:
    """Kind and name of each change that this wrote, in their order."""
    log = SqlAssetStore(engine)

    def changes() -> tuple[CatalogChange, ...]:
        return log.changes(limit=100_000)

    last = max((one.id for one in changes()), default=0)
    act()
    return [(one.kind, one.name) for one in changes() if one.id > last]

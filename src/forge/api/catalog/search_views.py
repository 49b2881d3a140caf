"""Results of a search as HTTP shows them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from forge.api.catalog.asset_views import asset_view
from forge.api.catalog.wire.assets import AssetView
from forge.catalog.search.document import ASSET_TYPES, SearchDocument
from forge.catalog.search.page import CatalogHit
from forge.flows.catalog.assets import Asset


def hit_view(hit: CatalogHit, assets: Mapping[str, Asset], now: datetime) -> dict[str, Any]:
    """With the checks of a table of the lake as they are now."""
    document = hit.document
    found = hit.to_dict()
    if hit.column is None and document.type in ASSET_TYPES:
        known = assets.get(document.qualified_name)
        found["asset"] = _documented(asset_view(known, now), document) if known else _view_of(document, now)
    return found


def _documented(asset: AssetView, document: SearchDocument) -> AssetView:
    """The words of the catalog go before those of the last run, as on the asset's own page."""
    documented = {"description": document.description, "owner": document.owner, "tags": list(document.tags)}
    return asset.model_copy(update=documented)


def _view_of(document: SearchDocument, now: datetime) -> AssetView:
    """Of an asset outside the lake, or of one that no commit has any more."""
    age = (now - document.fresh_at).total_seconds() / 3600 if document.fresh_at else None
    return AssetView.model_validate(
        {
            "id": document.id,
            "name": document.name,
            "qualified_name": document.qualified_name,
            "type": document.type.value,
            "description": document.description,
            "owner": document.owner,
            "tags": list(document.tags),
            "columns": len(document.columns),
            "updated_at": document.fresh_at,
            "freshness_hours": None if age is None else round(max(age, 0.0), 2),
        }
    )

"""An asset as people see it: the same keys in the terminal, in Python and over HTTP."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from forge.catalog.asset import CatalogAsset, CrawledColumn
from forge.catalog.classification import EffectiveClassification

DOCUMENTED = (
    "description",
    "owner",
    "team",
    "stewards",
    "tags",
    "terms",
    "classification",
    "domain",
    "primary_key",
    "deprecated",
)


def asset_summary(asset: CatalogAsset) -> dict[str, Any]:
    """For lists."""
    seen = asset.crawled
    return {
        "id": asset.qualified_name,
        "name": seen.name,
        "qualified_name": asset.qualified_name,
        "type": seen.type.value,
        "description": asset.description,
        "owner": asset.owner,
        "tags": list(asset.tags),
        "domain": asset.domain,
        "source": seen.source,
        "catalog_state": asset.state.value,
        "documentation_version": asset.version,
    }


def documentation_view(
    asset: CatalogAsset, missing: Iterable[str] = (), classified: EffectiveClassification | None = None
) -> dict[str, Any]:
    """What people say of it, and where each field comes from. `classified`: the level that holds."""
    documented, seen = asset.documentation, asset.crawled
    level = classified.level if classified else documented.classification
    return {
        "team": documented.team,
        "stewards": list(documented.stewards),
        "domain": asset.domain,
        "classification": level.value if level else None,
        "classification_why": classified.why if classified else "",
        "deprecated": documented.deprecated,
        "terms": list(documented.terms),
        "primary_key": list(asset.primary_key),
        "source": seen.source,
        "source_system": seen.system,
        "location": seen.location,
        "backed_by": list(seen.backed_by),
        "catalog_state": asset.state.value,
        "created_at": asset.created_at,
        "former_names": list(asset.former_names),
        "documentation_version": asset.version,
        "origins": origins_of(asset),
        "missing": list(missing),
    }


def asset_sheet(
    asset: CatalogAsset, missing: Iterable[str] = (), classified: EffectiveClassification | None = None
) -> dict[str, Any]:
    """All of it."""
    seen = asset.crawled
    return {
        **asset_summary(asset),
        **documentation_view(asset, missing, classified),
        "row_count": seen.row_count,
        "size_bytes": seen.size_bytes,
        "updated_at": seen.updated_at,
        "schema": [column_view(asset, column) for column in seen.columns],
    }


def column_view(asset: CatalogAsset, column: CrawledColumn) -> dict[str, Any]:
    documented = asset.of_column(column.name)
    return {
        "name": column.name,
        "type": column.type,
        "nullable": column.nullable,
        "description": asset.column_description(column),
        "tags": list(documented.tags),
        "term": documented.term,
    }


def origins_of(asset: CatalogAsset) -> dict[str, str]:
    """file, edit or crawl of each field that has a value; of one in a file, its place: `file catalog/core.yaml:7`."""
    found = {name: asset.origin(name) for name in DOCUMENTED}
    documented = {name: origin.value for name, origin in found.items() if origin is not None}
    return {**documented, **{path: f"file {place}" for path, place in asset.places.items()}}

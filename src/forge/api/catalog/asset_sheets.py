"""One asset as HTTP shows it: a table at a commit with what the catalog says of it, or an asset outside the lake."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from forge.api.catalog.wire.assets import AssetColumn, AssetContractView, AssetDetail, AssetUseView
from forge.api.site import Site
from forge.catalog.asset import CatalogAsset
from forge.catalog.asset_view import asset_summary, column_view, documentation_view
from forge.catalog.discovery.usage import UsagePeriod, total_usage


def documented_detail(detail: AssetDetail, asset: CatalogAsset | None, missing: Sequence[str]) -> AssetDetail:
    """The words of the catalog go before those of the last run; without an asset, nothing was crawled yet."""
    if asset is None:
        return detail
    words = {one.name.lower(): column_view(asset, one) for one in asset.crawled.columns}
    schema = [
        column.model_copy(
            update={
                "description": _description(asset, column.name, words) or column.description,
                "tags": list(asset.of_column(column.name).tags),
                "term": asset.of_column(column.name).term,
            }
        )
        for column in detail.schema_
    ]
    said = {
        "description": asset.description or detail.description,
        "owner": asset.owner or detail.owner,
        "tags": list(asset.tags) or detail.tags,
    }
    return detail.model_copy(update={**said, **documentation_view(asset, missing), "schema_": schema})


def crawled_detail(asset: CatalogAsset, missing: Sequence[str], now: datetime) -> AssetDetail:
    """Of an asset that no commit has: outside the lake, or vanished."""
    seen = asset.crawled
    age = (now - seen.updated_at).total_seconds() / 3600 if seen.updated_at else None
    known = set(AssetDetail.model_fields)
    said = {key: value for key, value in asset_summary(asset).items() if key in known}
    return AssetDetail(
        **{**said, **documentation_view(asset, missing)},
        at="",
        commit="",
        version=0,
        snapshot_id=None,
        columns=len(seen.columns),
        row_count=seen.row_count,
        size_bytes=seen.size_bytes,
        updated_at=seen.updated_at,
        freshness_hours=round(max(age, 0.0), 2) if age is not None else None,
        key=list(asset.primary_key),
        schema=[AssetColumn.model_validate(column_view(asset, column)) for column in seen.columns],
    )


def with_facts(detail: AssetDetail, asset: CatalogAsset | None, site: Site, score: float | None) -> AssetDetail:
    """What other rooms know of it: checks, contract, usage, personal data and what that asks for."""
    name, parts = detail.qualified_name, site.wiring.catalog
    found = parts.pii.types_of([name])
    types, held = found.get(name, {}), parts.classifications([name], found)[name]
    facts = {
        "quality_score": score,
        "contract": _contract(name, site),
        "usage": _usage(name, asset, site),
        "classification": held.level.value if held.level else None,
        "classification_why": held.why,
        "schema_": [
            column.model_copy(update={"pii_type": types.get(column.name.lower())}) for column in detail.schema_
        ],
    }
    return detail.model_copy(update=facts)


def _contract(name: str, site: Site) -> AssetContractView | None:
    for head in site.wiring.contracts.registry.heads():
        if name.lower() in (table.lower() for table in head.newest.tables):
            return AssetContractView(id=head.id, version=head.newest.version, state=head.state.value)
    return None


def _usage(name: str, asset: CatalogAsset | None, site: Site) -> AssetUseView:
    names = (name, *asset.former_names) if asset else (name,)
    today = site.wiring.clock().date()
    counts = site.wiring.catalog.discovery.usage.counts(names, UsagePeriod.MONTH.since(today), today)
    return AssetUseView.of(total_usage(name, counts))


def _description(asset: CatalogAsset, name: str, words: Mapping[str, Mapping[str, Any]]) -> str:
    seen = words.get(name.lower())
    return str(seen["description"]) if seen else asset.of_column(name).description or ""

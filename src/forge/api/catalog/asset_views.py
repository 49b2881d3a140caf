"""Assets as HTTP shows them."""

from __future__ import annotations

from datetime import datetime

from forge.api.catalog.wire.assets import AssetDetail, AssetView
from forge.api.versioning.commit_views import commit_view
from forge.flows.catalog.asset_sheet import AssetSheet, asset_row
from forge.flows.catalog.assets import Asset


def asset_view(asset: Asset, now: datetime) -> AssetView:
    return AssetView.model_validate(asset_row(asset, now))


def asset_detail(sheet: AssetSheet) -> AssetDetail:
    commit = sheet.found.last_commit if sheet.found else None
    return AssetDetail.model_validate({**sheet.to_dict(), "last_commit": commit_view(commit) if commit else None})

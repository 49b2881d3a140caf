"""Assets as HTTP shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from forge.api.catalog.wire.assets import AssetColumn, AssetDetail, AssetView
from forge.api.versioning.commit_views import commit_view
from forge.flows.catalog.assets import NEVER, Asset, AssetVersion, ColumnState
from forge.quality.verdict import Outcome


def asset_view(asset: Asset, now: datetime) -> AssetView:
    return AssetView(**_fields(asset, now))


def asset_detail(found: AssetVersion, at: str, now: datetime) -> AssetDetail:
    version = found.version
    fields = {**_fields(found.asset, now), "columns": len(found.columns)}
    return AssetDetail(
        **fields,
        at=at,
        commit=found.commit.id,
        version=version.number,
        snapshot_id=None if version.snapshot_id is None else str(version.snapshot_id),
        key=list(version.key),
        schema=[_column(column) for column in found.columns],
        last_commit=commit_view(found.last_commit) if found.last_commit else None,
        last_run=version.run_id,
        upstream_tables=list(found.upstream_tables),
        downstream_tables=list(found.downstream_tables),
        downstream_count=found.downstream_count,
    )


def _fields(asset: Asset, now: datetime) -> dict[str, Any]:
    record, standing = asset.record, asset.standing
    known = record.updated_at != NEVER
    age = (now - record.updated_at).total_seconds() / 3600
    return {
        "id": str(record.table),
        "name": record.table.name,
        "qualified_name": str(record.table),
        "type": record.kind,
        "description": record.description,
        "owner": record.owner,
        "tags": list(record.tags),
        "columns": len(record.columns),
        "row_count": record.row_count,
        "size_bytes": record.size_bytes,
        "updated_at": record.updated_at if known else None,
        "freshness_hours": round(max(age, 0.0), 2) if known else None,
        "checks_passed": standing.count(Outcome.PASSED),
        "checks_failed": standing.count(Outcome.FAILED),
        "checks_not_measured": standing.count(Outcome.NOT_MEASURED),
        "state": standing.state,
    }


def _column(state: ColumnState) -> AssetColumn:
    column = state.column
    return AssetColumn.of(state, name=column.name, type=column.type, nullable=column.nullable, pii=state.personal)

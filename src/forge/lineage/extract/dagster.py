"""Dagster assets, declared and materialized, as batches of claims.

The asset `["core", "orders"]` is the table `core.orders`, unless `dagster/table_name` names another. A dependency
between assets is an edge between tables; `dagster/column_lineage` gives column edges. Dagster records no
transformations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from forge.lineage.facts.claim import ClaimBatch, EdgeClaim, NodeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import Entity, NodeType, column_of

EXTRACTOR = "dagster"
Key = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DagsterColumn:
    name: str
    type: str = ""
    description: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DagsterAsset:
    """`lineage`: column → asset and column of each source. `at` and `run_id`: of a materialization; without them it
    is the declaration in code."""

    key: Key
    deps: tuple[Key, ...] = ()
    columns: tuple[DagsterColumn, ...] = ()
    lineage: Mapping[str, tuple[tuple[Key, str], ...]] = field(default_factory=dict)
    table: str = ""
    group: str = ""
    description: str = ""
    owners: tuple[str, ...] = ()
    job: str = ""
    run_id: str = ""
    at: datetime | None = None


def batches_of_assets(
    assets: Iterable[DagsterAsset],
    now: datetime,
    *,
    actor: str = "",
    database: str = "lake",
    known: frozenset[str] = frozenset(),
) -> tuple[ClaimBatch, ...]:
    """One batch an asset; of the same asset the newest counts. `known`: tables that the lake describes better."""
    newest: dict[tuple[Key, bool], DagsterAsset] = {}
    for asset in sorted(assets, key=lambda asset: (asset.at or now, asset.key)):
        newest[asset.key, asset.at is None] = asset
    names = {asset.key: asset.table for asset in newest.values() if asset.table}
    tables = {key: _table(key, names.get(key, ""), database) for key in _keys(newest.values())}
    return tuple(_batch(asset, tables, now, actor, known) for asset in newest.values())


def producer_of_asset(asset: DagsterAsset) -> str:
    path = "/".join(asset.key)
    return f"dagster:{path}" if asset.at is not None else f"dagster-assets:{path}"


def _keys(assets: Iterable[DagsterAsset]) -> set[Key]:
    found: set[Key] = set()
    for asset in assets:
        found |= {asset.key, *asset.deps, *(key for sources in asset.lineage.values() for key, _ in sources)}
    return found


def _table(key: Key, named: str, database: str) -> Entity:
    parts = named.split(".") if named else list(key)
    if len(parts) == 3 and parts[0].lower() == database.lower():
        parts = parts[1:]
    return Entity(NodeType.TABLE if len(parts) > 1 else NodeType.DATASET, ".".join(parts))


def _batch(
    asset: DagsterAsset, tables: Mapping[Key, Entity], now: datetime, actor: str, known: frozenset[str]
) -> ClaimBatch:
    at = asset.at or now
    seen = Evidence(basis=Basis.OBSERVED if asset.at else Basis.DECLARED, extractor=EXTRACTOR, run_id=asset.run_id)
    edges = tuple(_edges(asset, tables, (seen,)))
    nodes = () if tables[asset.key].id in known else tuple(_nodes(asset, tables[asset.key]))
    return ClaimBatch(producer=producer_of_asset(asset), at=at, edges=edges, nodes=nodes, actor=actor)


def _edges(asset: DagsterAsset, tables: Mapping[Key, Entity], evidence: tuple[Evidence, ...]) -> Iterable[EdgeClaim]:
    target, kind = tables[asset.key], EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.DERIVED)
    sources = dict.fromkeys((*asset.deps, *(key for found in asset.lineage.values() for key, _ in found)))
    for key in sources:
        if key != asset.key:  # an asset that adds to itself reads itself
            yield EdgeClaim(source=tables[key], target=target, kind=kind, evidence=evidence)
    for column, found in asset.lineage.items():
        for key, name in found:
            source, end = column_of(tables[key].id, name), column_of(target.id, column)
            if source != end:
                yield EdgeClaim(source=source, target=end, kind=kind, evidence=evidence)


def _nodes(asset: DagsterAsset, table: Entity) -> Iterable[NodeClaim]:
    attributes = {
        "group": asset.group,
        "description": asset.description,
        "owners": list(asset.owners),
        "job": asset.job,
    }
    details = {key: value for key, value in attributes.items() if value}
    yield NodeClaim(table, {"connector": EXTRACTOR, "asset": "/".join(asset.key), **details})
    for column in asset.columns:
        facts = {"data_type": column.type, "description": column.description}
        yield NodeClaim(column_of(table.id, column.name), {key: value for key, value in facts.items() if value})

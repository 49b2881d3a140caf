"""A table version (`core.orders@v9`) is a node of its own, connected to its table: what derives from the version
derives from the table, and what produced the version produced the table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from forge.lineage.edge import Transformation
from forge.lineage.facts.claim import EdgeClaim
from forge.lineage.facts.evidence import Basis, Evidence
from forge.lineage.graph.store import LineageStore
from forge.lineage.kind import EdgeKind, EdgeRelationship, EdgeType
from forge.lineage.node import TABLE_LIKE, Entity, NodeType, table_of

_SAME = EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.COPIED)
_EVIDENCE = (Evidence(basis=Basis.DECLARED, extractor="version"),)


def split_version(name: str) -> tuple[str, str]:
    """The table and the version; no version where the name has none."""
    base, at, version = name.rpartition("@")
    return (base, version) if at and base else (name, "")


def version_details(entity: Entity) -> Mapping[str, object]:
    base, version = split_version(entity.name)
    return {"dataset": base, "version": version} if version else {}


def with_versions(store: LineageStore, claims: Sequence[EdgeClaim]) -> tuple[EdgeClaim, ...]:
    """The claims, and one edge more for each end that is a version of a known table: from the table to a version that
    something is made from, and from a version that is made to the table."""
    read = {claim.source.id: claim.source for claim in claims if _is_version(claim.source)}
    made = {claim.target.id: claim.target for claim in claims if _is_version(claim.target)}
    tables = _tables(store, {split_version(one.name)[0] for one in (*read.values(), *made.values())})
    more = [(tables.get(split_version(one.name)[0]), one) for one in read.values()]
    joined = [_joined(table, version) for table, version in more if table is not None]
    back = [(one, tables.get(split_version(one.name)[0])) for one in made.values()]
    joined += [_joined(version, table) for version, table in back if table is not None]
    return (*claims, *joined)


def versions_of(store: LineageStore, tables: Iterable[str]) -> dict[str, tuple[EdgeClaim, ...]]:
    """The edges between tables and versions of them that were recorded earlier."""
    found: dict[str, tuple[EdgeClaim, ...]] = {}
    for table in tables:
        named = store.search(f"{table}@", (NodeType.DATASET, NodeType.TABLE), limit=1000)
        versions = [node.entity for node in named if split_version(node.id)[0] == table]
        if versions:
            found[table] = tuple(_joined(table_of(table), version) for version in versions)
    return found


def _is_version(entity: Entity) -> bool:
    return entity.type in TABLE_LIKE and bool(split_version(entity.name)[1])


def _tables(store: LineageStore, names: Iterable[str]) -> dict[str, Entity]:
    nodes = store.nodes(list(store.numbers(sorted(names)).values())).values()
    return {node.id: node.entity for node in nodes if node.type in TABLE_LIKE}


def _joined(source: Entity, target: Entity) -> EdgeClaim:
    return EdgeClaim(
        source=source, target=target, kind=_SAME, transformation=Transformation.IDENTITY, evidence=_EVIDENCE
    )

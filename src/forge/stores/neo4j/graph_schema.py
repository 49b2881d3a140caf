"""How the graph looks in Neo4j: labels, relationships, and entities and edges as properties.

    (:Database)-[:HAS_SCHEMA]->(:Schema)-[:HAS_TABLE]->(:Table)-[:HAS_COLUMN]->(:Column)-[:HAS_FIELD]->(:Field)
    (:Column)-[:DERIVED_FROM {transformation, confidence, valid_from, valid_to, …}]->(:Column)

All that the record knows is also an `:Entity` with its `id`. An arrow points as its word is read, so DERIVED_FROM goes
from what was derived to what it was derived from. Each version of an edge is a relationship of its own; the one
without `valid_to` holds now."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from forge.lineage.facts.fact import EdgeVersion
from forge.lineage.graph.levels import group_of
from forge.lineage.kind import EdgeKind, EdgeType
from forge.lineage.node import TABLE_LIKE, GraphLevel, Node, NodeType, place_of

ENTITY = "Entity"
# All table-like types have the label Table; `type` has the exact one. What is declared above tables is apart
# from the hierarchy, which follows from the names.
LABELS: Mapping[NodeType, str] = {
    NodeType.SYSTEM: "Namespace",
    NodeType.DATABASE: "Namespace",
    NodeType.SCHEMA: "Namespace",
    **dict.fromkeys(sorted(TABLE_LIKE), "Table"),
    NodeType.COLUMN: "Column",
    NodeType.FIELD: "Field",
    NodeType.RECORD: "Record",
    NodeType.TRANSFORM: "Transform",
    NodeType.PIPELINE: "Pipeline",
    NodeType.PROCESS: "Process",
    NodeType.DASHBOARD: "Dashboard",
    NodeType.REPORT: "Report",
    NodeType.MODEL: "Model",
}
OWN_LABELS = tuple(sorted(set(LABELS.values())))

DERIVED_FROM, INFLUENCED_BY = "DERIVED_FROM", "INFLUENCED_BY"
# Read from the target of an edge to its source, as in "a dashboard consumes a column"; the others are read along it.
BACKWARD = (DERIVED_FROM, INFLUENCED_BY, "CONSUMES")
FORWARD = ("CONTAINS", "EXECUTES", "PRODUCES", "PASSES")
RELATIONS = (*BACKWARD, *FORWARD)

CONSTRAINTS = (
    f"CREATE CONSTRAINT forge_entity IF NOT EXISTS FOR (n:{ENTITY}) REQUIRE n.id IS UNIQUE",
    "CREATE CONSTRAINT forge_feed IF NOT EXISTS FOR (n:LineageFeed) REQUIRE n.name IS UNIQUE",
    *(
        f"CREATE CONSTRAINT forge_{label.lower()} IF NOT EXISTS FOR (n:{label}) REQUIRE n.qualified_name IS UNIQUE"
        for label in ("Database", "Schema", "Table", "Column")
    ),
    *(
        f"CREATE CONSTRAINT forge_{relation.lower()} IF NOT EXISTS FOR ()-[r:{relation}]-() "
        "REQUIRE (r.id, r.valid_from) IS UNIQUE"
        for relation in RELATIONS
    ),
)


def relation_of(kind: EdgeKind) -> str:
    if kind.type is EdgeType.DERIVES_FROM:
        return DERIVED_FROM if kind.indirect is None else INFLUENCED_BY
    return str(kind.type).upper()


def relations_of(types: Iterable[EdgeType], *, indirect: bool) -> frozenset[str]:
    """The relationships that a traversal of these edge types follows."""
    found = {relation_of(EdgeKind(type_, None)) for type_ in types}
    return frozenset(found | {INFLUENCED_BY} if indirect and DERIVED_FROM in found else found)


def entity_properties(node: Node) -> dict[str, object]:
    details = node.details
    found: dict[str, object | None] = {
        "id": node.id,
        "name": node.name,
        "type": str(node.type),
        "qualified_name": node.qualified_name,
        "table": node.table or None,
        "parent": node.parent or None,
        "unresolved": node.unresolved,
        "created_at": node.created_at,
        "updated_at": node.updated_at,
        "data_type": _text(details.get("data_type")),
        "is_nullable": details.get("nullable") if isinstance(details.get("nullable"), bool) else None,
        "kind": _text(details.get("kind")),
        "source_file": _text(details.get("source_file")),
        "details": json.dumps(dict(details), sort_keys=True, default=str, ensure_ascii=False) if details else None,
    }
    return {name: value for name, value in found.items() if value is not None}


def table_place(node: Node, database: str) -> dict[str, str]:
    """Schema and database of a table. Outside the lake, the system is part of their names."""
    place = place_of(node.id, database=database)
    database_name = group_of(node.id, GraphLevel.DATABASE, database=database).name
    return {
        "id": node.id,
        "system": place.system,
        "database": place.database,
        "schema": place.schema,
        "database_name": database_name,
        "schema_name": f"{database_name}.{place.schema}",
    }


def edge_properties(version: EdgeVersion) -> dict[str, object]:
    kind = version.key.kind
    seen = {one.place for fact in version.facts for one in fact.evidence if one.place}
    found: dict[str, object | None] = {
        "id": version.id,
        "relationship": str(kind.relationship) if kind.relationship else None,
        "subtype": str(kind.indirect) if kind.indirect else None,
        "transformation": str(version.transformation),
        "expression": version.expression,
        "masking": version.masking,
        "confidence": version.confidence,
        "level": version.level,
        "valid_from": version.valid_from,
        "valid_to": version.valid_to,
        "producers": sorted({fact.producer for fact in version.facts}),
        "seen_in": sorted(seen) or None,
        "actor": version.facts[0].actor or None if version.facts else None,
    }
    return {name: value for name, value in found.items() if value is not None}


def edge_row(version: EdgeVersion) -> dict[str, Any]:
    ends = (version.key.source, version.key.target)
    begin, end = ends if relation_of(version.key.kind) in FORWARD else ends[::-1]
    return {"begin": begin, "end": end, "properties": edge_properties(version)}


def life_rows(versions: Iterable[EdgeVersion]) -> list[dict[str, Any]]:
    """When the versions of each edge begin; any others are outdated."""
    starts: dict[str, list[datetime]] = {}
    for version in versions:
        starts.setdefault(version.id, []).append(version.valid_from)
    return [{"id": edge_id, "starts": begun} for edge_id, begun in starts.items()]


def _text(value: object) -> str | None:
    return None if value is None or value == "" else str(value)

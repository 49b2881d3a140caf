from __future__ import annotations

import pytest

from forge.lineage.edge import IndirectType
from forge.lineage.kind import FLOWS, EdgeKind, EdgeRelationship, EdgeType, indirect_kind
from forge.lineage.node import Node, NodeType
from forge.stores.neo4j.graph_schema import LABELS, RELATIONS, entity_properties, relation_of, relations_of, table_place


def test_every_type_of_node_has_a_label() -> None:
    assert set(LABELS) == set(NodeType)


@pytest.mark.parametrize(
    ("kind", "relation"),
    [
        (EdgeKind(), "DERIVED_FROM"),
        (EdgeKind(EdgeType.DERIVES_FROM, EdgeRelationship.ANONYMIZED), "DERIVED_FROM"),
        (indirect_kind(IndirectType.JOIN), "INFLUENCED_BY"),
        (EdgeKind(EdgeType.CONTAINS, None), "CONTAINS"),
        (EdgeKind(EdgeType.EXECUTES, None), "EXECUTES"),
        (EdgeKind(EdgeType.PRODUCES, None), "PRODUCES"),
        (EdgeKind(EdgeType.CONSUMES, None), "CONSUMES"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.word,
)
def test_every_kind_of_edge_has_a_relation(kind: EdgeKind, relation: str) -> None:
    assert relation_of(kind) == relation
    assert relation in RELATIONS


def test_what_shapes_rows_is_followed_only_when_asked_for() -> None:
    assert relations_of(FLOWS, indirect=False) == {"DERIVED_FROM", "PRODUCES", "CONSUMES"}
    assert relations_of(FLOWS, indirect=True) == {"DERIVED_FROM", "INFLUENCED_BY", "PRODUCES", "CONSUMES"}
    assert relations_of({EdgeType.CONSUMES}, indirect=True) == {"CONSUMES"}


@pytest.mark.parametrize(
    ("table", "database", "schema"),
    [
        ("core.orders", "lake", "lake.core"),
        ("lake.core.orders", "lake", "lake.core"),
        ("shop.public.users", "shop", "shop.public"),
        ("pg:shop.public.users", "pg:shop", "pg:shop.public"),
        ("files:data/x.csv", "files", "files.default"),
    ],
)
def test_the_names_above_a_table(table: str, database: str, schema: str) -> None:
    place = table_place(Node(id=table, type=NodeType.TABLE, name="t", table=table), "lake")
    assert (place["database_name"], place["schema_name"]) == (database, schema)


def test_unknown_details_are_left_out_and_free_ones_are_kept_as_text() -> None:
    column = Node(
        id="a.b.c",
        type=NodeType.COLUMN,
        name="c",
        table="a.b",
        parent="a.b",
        details={"data_type": "int", "owner": {"team": "é"}},
    )
    assert entity_properties(column) == {
        "id": "a.b.c",
        "name": "c",
        "type": "column",
        "qualified_name": "a.b.c",
        "table": "a.b",
        "parent": "a.b",
        "unresolved": False,
        "data_type": "int",
        "details": '{"data_type": "int", "owner": {"team": "é"}}',
    }

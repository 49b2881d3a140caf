"""Plans written by hand: what a real session hardly produces, or only slowly. The rest is in tests/spark."""

from __future__ import annotations

import itertools
import json
import time
from typing import Any

import pytest

from forge.lineage.edge import Edge, Extraction, Transformation
from forge.lineage.extract.spark.plan import extract_analysed, extract_plan, table_name
from forge.model.names import ColumnName

LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
EXPRESSION = "org.apache.spark.sql.catalyst.expressions."

Tree = list[dict[str, Any]]


def node(kind: str, *children: Tree, package: str = LOGICAL, **fields: Any) -> Tree:
    head = {"class": package + kind, "num-children": len(children), **fields}
    return [head, *itertools.chain(*children)]


def expression(kind: str, *children: Tree, **fields: Any) -> Tree:
    return node(kind, *children, package=EXPRESSION, **fields)


def column(name: str, number: int) -> Tree:
    return expression("AttributeReference", name=name, dataType="long", exprId={"id": number})


def alias(child: Tree, name: str, number: int) -> Tree:
    return expression("Alias", child, name=name, exprId={"id": number})


def table(name: str, *columns: Tree) -> Tree:
    relation = node(
        "DataSourceV2Relation", package="org.apache.spark.sql.execution.datasources.v2.", output=list(columns)
    )
    return node("SubqueryAlias", relation, identifier={"name": name, "qualifier": "[forge, core]"})


def extract(plan: Tree) -> Extraction:
    return extract_plan(json.dumps(plan), "out.t", {})


A, B = column("a", 1), column("b", 2)
ORDERS = table("orders", A, B)


def copied(source: str, target: str) -> Edge:
    return Edge(
        source=ColumnName("core.orders", source),
        target=ColumnName("out.t", target),
        transformation=Transformation.IDENTITY,
        expression=source,
    )


def test_a_plan_may_be_text_or_a_list() -> None:
    plan = node("Project", ORDERS, projectList=[A])
    assert extract_plan(plan, "out.t", {}) == extract(plan)
    assert extract(plan).edges == (copied("a", "a"),)


def test_an_unknown_node_that_says_nothing_hands_its_columns_on() -> None:
    found = extract(node("Project", node("SomethingNew", ORDERS), projectList=[A]))
    assert found.edges == (copied("a", "a"),)
    assert found.gaps == ()


def test_an_unknown_node_may_hand_on_some_columns() -> None:
    found = extract(node("SomethingNew", ORDERS, output=[B]))
    assert found.edges == (copied("b", "b"),)


def test_an_unknown_node_with_columns_of_its_own_is_opaque() -> None:
    found = extract(node("SomethingNew", ORDERS, output=[column("x", 9)]))
    assert [(e.source.column, e.target.column, e.transformation, e.confidence) for e in found.edges] == [
        ("a", "x", Transformation.UNKNOWN, 0.3),
        ("b", "x", Transformation.UNKNOWN, 0.3),
    ]
    assert "SomethingNew" in found.gaps[0].reason


def test_an_unknown_leaf_is_a_gap() -> None:
    found = extract(node("NewSource", output=[A]))
    assert found.edges == ()
    assert "NewSource" in found.gaps[0].reason


def test_an_unknown_node_over_two_tables_is_a_gap_that_keeps_the_columns() -> None:
    found = extract(node("NewJoin", ORDERS, table("other", column("c", 3))))
    assert [str(edge.source) for edge in found.edges] == ["core.orders.a", "core.orders.b", "core.other.c"]
    assert "NewJoin" in found.gaps[0].reason


def test_a_column_that_cannot_be_found_is_a_gap() -> None:
    found = extract(node("Project", ORDERS, projectList=[column("lost", 77), A]))
    assert found.edges == (copied("a", "a"),)
    assert "lost" in found.gaps[0].reason


def test_an_unknown_expression_takes_all_its_columns() -> None:
    found = extract(node("Project", ORDERS, projectList=[alias(expression("BrandNew", A, B), "x", 5)]))
    assert [(e.source.column, e.transformation, e.expression) for e in found.edges] == [
        ("a", Transformation.TRANSFORMATION, "brand_new(a, b)"),
        ("b", Transformation.TRANSFORMATION, "brand_new(a, b)"),
    ]


def test_a_subquery_without_its_plan_is_a_gap() -> None:
    inner = expression("ScalarSubquery", exprId={"id": 8})
    found = extract(node("Project", ORDERS, projectList=[alias(inner, "x", 5)]))
    assert found.edges == ()
    assert "ScalarSubquery" in found.gaps[0].reason


def test_a_cte_without_its_definition_is_a_gap() -> None:
    found = extract(node("CTERelationRef", cteId=3, output=[A]))
    assert found.edges == ()
    assert "CTE 3" in found.gaps[0].reason


def test_text_that_is_no_plan_is_a_gap() -> None:
    for broken in ("", "{", "[]", "{}", '[{"class": "x.Project"}]', '[{"class": "x.Project", "num-children": 1}]'):
        found = extract_plan(broken, "out.t", {})
        assert found.edges == ()
        assert found.gaps[0].place == "out.t"
        assert "could not be read" in found.gaps[0].reason


def test_too_many_columns_through_opaque_code_link_only_the_tables() -> None:
    wide = table("wide", *(column(f"c{i}", i) for i in range(300)))
    found = extract(node("MapInPandas", wide, output=[column(f"x{i}", 1000 + i) for i in range(300)]))
    assert found.edges == ()
    assert [edge.source for edge in found.table_edges] == ["core.wide"]
    assert "too many columns" in found.gaps[0].reason


def test_names_are_mapped_or_stripped() -> None:
    names = {"forge.forge_staging.r1__core__orders": "core.orders"}
    assert table_name("forge.forge_staging.r1__core__orders", names) == "core.orders"
    assert table_name("forge.core.customers", names) == "core.customers"
    assert table_name("forge.core.customers.branch_dev", names) == "core.customers"
    assert table_name("forge.forge_staging.r1__core__orders.branch_dev", names) == "core.orders"
    assert table_name("forge.core.customers.snapshots", names) == "core.customers.snapshots"
    assert table_name("other.core.orders", lambda name: name.upper()) == "OTHER.CORE.ORDERS"


def test_the_json_is_not_asked_for_where_conditions_are_too_deep() -> None:
    def asked() -> str:
        raise AssertionError("asked for")

    text = (
        "Project ["
        + "CASE WHEN a#1 THEN " * 11
        + "b#2"
        + " END" * 11
        + " AS x#3]\n+- RelationV2[a#1, b#2] forge.core.orders"
    )
    found = extract_analysed(text, asked, "out.t", {"forge.core.orders": "core.o"})
    assert [edge.source for edge in found.table_edges] == ["core.o"]
    assert "11 deep" in found.gaps[0].reason


@pytest.mark.slow
def test_two_thousand_columns_through_twenty_projections_take_seconds() -> None:
    width, steps = 2000, 20
    plan = table("wide", *(column(f"c{i}", i) for i in range(width)))
    for step in range(steps):
        before, after = step * width, (step + 1) * width
        items = [
            alias(expression("Add", column(f"c{i}", before + i), column("c0", before)), f"c{i}", after + i)
            for i in range(width)
        ]
        plan = node("Project", plan, projectList=items)
    start = time.process_time()
    found = extract_plan(plan, "out.t", {})
    assert time.process_time() - start < 8
    assert len(found.edges) == 2 * width - 1
    assert found.gaps == ()


@pytest.mark.slow
def test_very_deep_plans_and_expressions_are_read() -> None:
    plan = ORDERS
    for step in range(3000):
        plan = node(
            "Project", plan, projectList=[alias(column("a", 1 if step == 0 else 10 + step - 1), "a", 10 + step)]
        )
    assert extract(plan).edges == (copied("a", "a"),)
    total = A
    for _ in range(3000):
        total = expression("Add", total, B)
    found = extract(node("Project", ORDERS, projectList=[alias(total, "x", 5)]))
    assert [edge.source.column for edge in found.edges] == ["a", "b"]
    assert len(found.edges[0].expression) <= 500


def test_columns_of_type_char_are_padded_between_a_table_and_its_name() -> None:
    """A table of Spark's own catalog; `text` as Spark prints it says nothing of the table but its name above."""
    relation = node("LogicalRelation", package="org.apache.spark.sql.execution.datasources.", output=[A, B])
    length = expression("Literal", value="5", dataType="integer")
    padded = expression("objects.StaticInvoke", A, length, functionName="readSidePadding", dataType="string")
    project = node("Project", relation, projectList=[alias(padded, "a", 3), B])
    named = node("SubqueryAlias", project, identifier={"name": "orders", "qualifier": "[forge, core]"})
    found = extract(node("Project", named, projectList=[column("a", 3), B]))
    assert found.edges == (copied("a", "a"), copied("b", "b"))
    assert found.gaps == ()

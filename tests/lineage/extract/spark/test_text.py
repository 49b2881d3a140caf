from __future__ import annotations

import itertools
from typing import Any

import pytest

from forge.lineage.extract.spark.text import render
from forge.lineage.extract.spark.tree import tree_of

Tree = list[dict[str, Any]]


def make(kind: str, *children: Tree, **fields: Any) -> Tree:
    return [{"class": f"x.{kind}", "num-children": len(children), **fields}, *itertools.chain(*children)]


def literal(value: object, data_type: str = "integer") -> Tree:
    return make("Literal", value=value, dataType=data_type)


A, B, C = (make("AttributeReference", name=name, dataType="long") for name in "abc")


@pytest.mark.parametrize(
    ("tree", "text"),
    [
        (make("Alias", make("Multiply", A, literal("2")), name="x"), "a * 2"),
        (make("Multiply", make("Add", A, B), C), "(a + b) * c"),
        (make("Add", make("Multiply", A, B), C), "a * b + c"),
        (make("Subtract", A, make("Subtract", B, C)), "a - (b - c)"),
        (make("And", make("Or", A, B), make("EqualTo", B, C)), "(a OR b) AND b = c"),
        (make("Not", make("IsNull", A)), "NOT (a IS NULL)"),
        (make("In", A, literal("1"), literal("2")), "a IN (1, 2)"),
        (make("EqualTo", A, literal("it's", "string")), "a = 'it''s'"),
        (make("Coalesce", A, literal(None)), "coalesce(a, NULL)"),
        (make("Add", A, literal("86400000000", "interval day to second")), "a + INTERVAL 1 DAY"),
        (make("Add", A, literal("90000000", "interval day to second")), "a + INTERVAL 90 SECOND"),
        (make("Add", A, literal("24", "interval year to month")), "a + INTERVAL 2 YEAR"),
        (make("Cast", A, dataType="integer"), "cast(a AS int)"),
        (make("Cast", literal("1"), dataType="long"), "1"),
        (make("AggregateExpression", make("Sum", A), isDistinct=False), "sum(a)"),
        (make("AggregateExpression", make("Count", A, B), isDistinct=True), "count(DISTINCT a, b)"),
        (make("CaseWhen", A, B), "CASE WHEN a THEN b END"),
        (make("CaseWhen", A, B, C), "CASE WHEN a THEN b ELSE c END"),
        (make("Nvl", make("Coalesce", A, B), left=A, right=B, replacement=0), "nvl(a, b)"),
        (make("RegExpReplace", A, B, C), "regexp_replace(a, b, c)"),
        (make("SomeNewFunction", A), "some_new_function(a)"),
        (make("PythonUDF", A, B, name="clean"), "clean(a, b)"),
    ],
)
def test_an_expression_reads_as_sql(tree: Tree, text: str) -> None:
    assert render(tree_of(tree)) == text

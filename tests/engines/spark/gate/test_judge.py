"""Trees judged by the list, without a JVM."""

from __future__ import annotations

import pytest

from forge.engines.spark.gate.allow_list import MOST_ROWS_OF_RANGE
from forge.engines.spark.gate.java import TreePart
from forge.engines.spark.gate.judge import judge_analysed, judge_expression, judge_query
from forge.model.errors import ForgeError

ANALYSIS = "org.apache.spark.sql.catalyst.analysis."
EXPRESSIONS = "org.apache.spark.sql.catalyst.expressions."
LOGICAL = "org.apache.spark.sql.catalyst.plans.logical."
PIN = "forge_pin_1"


def relation(*names: str, mark: str = "") -> TreePart:
    return TreePart(f"{ANALYSIS}UnresolvedRelation{mark}", True, names)


def call(*names: str) -> TreePart:
    return TreePart(f"{ANALYSIS}UnresolvedFunction", True, names)


def refusal(*parts: TreePart) -> ForgeError:
    with pytest.raises(ForgeError) as refused:
        judge_query(parts, {PIN}, "query")
    return refused.value


def test_a_query_over_its_views_and_its_own_ctes_passes() -> None:
    with_ = TreePart(f"{LOGICAL}UnresolvedWith", True, ("Recent",))
    judge_query([TreePart(f"{LOGICAL}Project", True), with_, relation(PIN), relation("recent")], {PIN}, "query")


@pytest.mark.parametrize(
    "part",
    [
        relation("text", "/etc/passwd"),
        relation("core", "orders"),
        relation("forge", PIN),
        relation("forge_pin_2"),
        relation(PIN, mark=" with options"),
        relation(PIN, mark=" as a stream"),
        TreePart(f"{LOGICAL}ScriptTransformation", True),
        TreePart(f"{LOGICAL}InsertIntoStatement", True),
        TreePart(f"{LOGICAL}UnresolvedHint", True),
        TreePart(f"{ANALYSIS}PlanWithUnresolvedIdentifier", True),
        TreePart("org.apache.spark.sql.execution.command.SetCommand", True),
        TreePart("org.apache.iceberg.spark.Whatever", False),
        TreePart(f"{EXPRESSIONS}NotInventedYet", True),
        call("system", "builtin", "upper"),
        call("never_heard_of_that_function_at_all"),
        TreePart(f"{ANALYSIS}UnresolvedTableValuedFunction", True, ("python_worker_logs",)),
        TreePart(f"{ANALYSIS}UnresolvedGenerator", True, ("forge", "explode")),
        TreePart(f"{ANALYSIS}UnresolvedGenerator", True, ("from_json",)),
        TreePart(f"{ANALYSIS}UnresolvedFunction with a hidden type", True, ("from_json",)),
    ],
)
def test_whatever_is_not_on_the_list_is_refused(part: TreePart) -> None:
    assert refusal(relation(PIN), part).code == "E216"


def test_the_refusal_names_the_function_and_says_why() -> None:
    error = refusal(call("JAVA_METHOD"))
    assert "java_method" in error.what
    assert "runs Java" in str(error.why)
    assert error.fix


def test_a_misspelt_function_is_told_as_that() -> None:
    error = refusal(call("uper"))
    assert error.code == "E211"
    assert "upper" in str(error.fix)


def test_an_expression_holds_no_query_of_its_own() -> None:
    judge_expression([TreePart(f"{EXPRESSIONS}GreaterThan", True), call("abs")], "check")
    with pytest.raises(ForgeError, match="query within an expression"):
        judge_expression([TreePart(f"{EXPRESSIONS}ScalarSubquery", True)], "check")
    with pytest.raises(ForgeError):
        judge_expression([TreePart(f"{LOGICAL}Project", True)], "check")


def test_an_analysed_query_reads_its_own_views_only_and_makes_no_endless_rows() -> None:
    judge_analysed([TreePart(f"{LOGICAL}View", True, (PIN,))], {PIN}, (), "query")
    judge_analysed([TreePart("the.class.of.a.Function", True)], {PIN}, {"the.class.of.a.Function"}, "query")
    for part in (
        TreePart(f"{LOGICAL}View", True, ("another",)),
        TreePart("org.apache.spark.sql.execution.datasources.LogicalRelation", True),
        TreePart("org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation", True),
        TreePart(f"{EXPRESSIONS}ScalaUDF", True),
        TreePart(f"{EXPRESSIONS}PythonUDF", True),
        TreePart(f"{LOGICAL}Range", True, (str(MOST_ROWS_OF_RANGE + 1),)),
    ):
        with pytest.raises(ForgeError) as refused:
            judge_analysed([part], {PIN}, (), "query")
        assert refused.value.code == "E216"

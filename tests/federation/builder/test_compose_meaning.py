"""Spark reads what the builder writes as it was meant: each name as that name, each value as that value."""

from __future__ import annotations

import pytest
from pyspark.sql import SparkSession
from sqlglot.dialects.spark import Spark

from forge.engines.spark.gate import gate_of
from forge.federation.builder.compose import compose
from forge.federation.builder.query import (
    BuilderQuery,
    Filter,
    Order,
    OutputTerm,
    Table,
    Term,
    TermCondition,
    Value,
)
from forge.model.names import TableName

pytestmark = pytest.mark.spark

TEXTS = (
    *("it's", '"', "`", "\\", "\\'", "\\\\", "''", "' OR '1'='1' --", "a\nb", "\r\n\t", "*/", "/*", "--", ";", ":x"),
    *(
        "%_\\%",
        "\\n",
        "\\u0041",
        "\\101",
        "${env:HOME}",
        "ß",
        "日本",
        "😀",
        "\u202e",
        "\u2028",
        "",
        " ",
        "NULL",
        "r'x'",
    ),
)
WORDS = tuple(word.lower() for word in Spark.Tokenizer.KEYWORDS if word.isidentifier())
TABLE = TableName("core", "t")


def test_values_are_what_was_typed(spark: SparkSession) -> None:
    rows = spark.createDataFrame([(text,) for text in (*TEXTS, "A", "\n", "%", "x", "its")], "x string")
    condition = TermCondition(Term("x"), "in", tuple(Value("text", text) for text in TEXTS))
    sql = compose(BuilderQuery(tables=(Table(("core", "t")),), where=Filter("and", ((condition,),))))
    found = gate_of(spark).frame(sql, {TABLE: rows}, {}).collect()
    assert sorted(row.x for row in found) == sorted(TEXTS)


@pytest.mark.parametrize(("text", "found"), [("50\\%", ["50%"]), ("50%", ["50%", "500"]), ("5_0", ["500"])])
def test_a_pattern_is_what_was_typed(spark: SparkSession, text: str, found: list[str]) -> None:
    rows = spark.createDataFrame([("50%",), ("500",), ("x",)], "x string")
    condition = TermCondition(Term("x"), "like", (Value("text", text),))
    query = BuilderQuery(
        tables=(Table(("core", "t")),), where=Filter("and", ((condition,),)), order_by=(Order(Term("x")),)
    )
    assert [row.x for row in gate_of(spark).frame(compose(query), {TABLE: rows}, {}).collect()] == found


def test_a_word_is_a_name(spark: SparkSession) -> None:
    names = [*WORDS, "a b", "a`b", "1a", "é", "日本", "-- x", "a'b"]
    rows = spark.createDataFrame([tuple(range(len(names)))], ", ".join(f"`{n.replace('`', '``')}` int" for n in names))
    for alias in ("left", "on", "select", "a`b"):
        columns = tuple(OutputTerm(Term(name, alias), name) for name in names)
        sql = compose(BuilderQuery(tables=(Table(("core", "t"), alias),), columns=columns))
        found = gate_of(spark).frame(sql, {TABLE: rows}, {})
        assert found.columns == names
        assert tuple(found.collect()[0]) == tuple(range(len(names)))


def test_dates_numbers_and_flags_are_what_was_typed(spark: SparkSession) -> None:
    rows = spark.sql("SELECT DATE'2026-11-19' d, TIMESTAMP'2026-11-19 08:30:00.5' t, -1.50BD n, true f")
    values = (("d", "date", "2026-11-19"), ("t", "timestamp", "2026-11-19 08:30:00.5"), ("n", "number", "-1.50"))
    tests = tuple(
        (TermCondition(Term(name), "=", (Value(kind, text),)),)  # type: ignore[arg-type]
        for name, kind, text in (*values, ("f", "boolean", "true"))
    )
    sql = compose(BuilderQuery(tables=(Table(("core", "t")),), where=Filter("and", tests)))
    assert gate_of(spark).frame(sql, {TABLE: rows}, {}).count() == 1

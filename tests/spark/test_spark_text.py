"""Text that is written anew from its tree means to Spark what it meant. Spark's own examples of its functions tell."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from forge.engines.spark.federation.spark_text import spark_text
from forge.engines.spark.gate import SqlGate, gate_of
from forge.engines.spark.gate.allow_list import FUNCTIONS
from forge.model.errors import ForgeError
from forge.transforms.sql_parse import parse_query

pytestmark = pytest.mark.spark

_EXAMPLE = re.compile(r"^\s*> (SELECT.*?);\s*$", re.MULTILINE | re.DOTALL)
_NEVER_TWICE = re.compile(r"rand|uuid|shuffle|now|current|curdate|localtime|uniform|monoton|unix_timestamp\(\)")
# The parser reads the alias of rows without parentheses as one of the last value.
_BARE_ROWS = re.compile(r"\bVALUES [^(]", re.IGNORECASE)
MORE = (
    "SELECT listagg(DISTINCT x, '-') WITHIN GROUP (ORDER BY x DESC) FROM VALUES ('a'), ('b'), ('a') AS t(x)",
    "SELECT listagg(x, '-') WITHIN GROUP (ORDER BY y, x DESC) FROM VALUES ('a', 2), ('b', 1), ('c', 1) AS t(x, y)",
    "SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY x DESC) FROM VALUES (1), (2), (3), (4) AS t(x)",
    "SELECT CAST('12:30:01.5' AS TIME) + INTERVAL '1' HOUR",
    "SELECT typeof(unix_date(DATE '2024-02-29')), 7 DIV 2, -7 % 3, 7 / 2, 1 <=> NULL, 'it''s', 'a\\nb', r'a\\nb'",
    "SELECT DATE '2024-02-29' + INTERVAL '1' YEAR, TIMESTAMP '2024-02-29 01:00:00' - INTERVAL '1 2' DAY TO HOUR",
    "SELECT TIMESTAMP_NTZ '2024-02-29 01:00:00', TIMESTAMP_LTZ '2024-02-29 01:00:00', 1.50BD, 1L, 2S, 3Y, 1e3, 2D, 3F",
    "SELECT x, count(*) FROM VALUES (1), (2), (1) AS t(x) GROUP BY ALL ORDER BY x DESC NULLS LAST LIMIT 1 OFFSET 1",
    "SELECT 'a' LIKE ANY ('a', 'b'), 'x%' LIKE 'x\\%', 'x%' LIKE 'x!%' ESCAPE '!', 'ab' RLIKE 'a.', 'A' ILIKE 'a'",
)


@pytest.fixture(scope="module")
def gate(spark: SparkSession) -> SqlGate:
    return gate_of(spark)


def examples(spark: SparkSession) -> Iterator[str]:
    """Of the functions that the gate lets through."""
    jvm = spark._jvm
    assert jvm is not None
    registry = jvm.org.apache.spark.sql.catalyst.analysis.FunctionRegistry.builtin()
    for name in sorted(FUNCTIONS):
        known = registry.lookupFunction(jvm.org.apache.spark.sql.catalyst.FunctionIdentifier(name))
        if known.isDefined():
            for found in _EXAMPLE.finditer(known.get().getExamples()):
                yield found.group(1).replace("_FUNC_", name)


def answered(gate: SqlGate, text: str) -> tuple[list[str], str]:
    frame = gate.frame(text, {}, {})
    return [field.dataType.simpleString() for field in frame.schema.fields], repr(
        [tuple(row) for row in frame.collect()]
    )


def plain(text: str) -> str:
    return re.sub(r"\s", "", text).lower()


def test_examples_of_spark_keep_their_meaning(gate: SqlGate, spark: SparkSession) -> None:
    changed: list[str] = []
    tried = 0
    for text in (*examples(spark), *MORE):
        if _NEVER_TWICE.search(text) or _BARE_ROWS.search(text):
            continue
        try:
            again = spark_text(parse_query(text, "example").tree)
        except ForgeError:  # refused, not misread
            continue
        tried += 1
        if plain(again) == plain(text):
            continue
        try:
            expected = answered(gate, text)
        except (PySparkException, ForgeError):  # an example of an error, or what the gate refuses
            continue
        try:
            found = answered(gate, again)
        except (PySparkException, ForgeError) as error:
            changed.append(f"{text}\n  {again}\n  {str(error)[:200]}")
            continue
        if found != expected:
            changed.append(f"{text}\n  {again}\n  {expected} {found}")

    assert tried > 700
    assert not changed, "\n".join(changed)

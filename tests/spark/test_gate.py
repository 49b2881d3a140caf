"""The gate: what is judged is what runs, and what is not on the list does not run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from forge.engines.spark.gate import SqlGate, gate_of
from forge.engines.spark.gate.allow_list import FUNCTIONS, REFUSED_FUNCTIONS, TABLE_FUNCTIONS
from forge.flows.runs.engine import Pin
from forge.model.errors import ForgeError
from forge.model.names import CatalogName, TableName

pytestmark = pytest.mark.spark

ORDERS = TableName("gate", "orders")
PINS = {ORDERS: Pin(ORDERS, CatalogName("gate", "orders"))}
SECRET = "the content of a file of the server"


@pytest.fixture(scope="module")
def gate(spark: SparkSession) -> Iterator[SqlGate]:
    spark.sql("CREATE NAMESPACE IF NOT EXISTS forge.gate")
    spark.sql("CREATE OR REPLACE TABLE forge.gate.orders (id INT, name STRING, xs ARRAY<INT>) USING iceberg")
    spark.sql("INSERT INTO forge.gate.orders VALUES (1, 'a', array(1, 2)), (2, 'b', array(3))")
    spark.sql("CREATE OR REPLACE TABLE forge.gate.hidden USING iceberg AS SELECT 7 AS id")
    yield gate_of(spark)
    spark.sql("DROP TABLE forge.gate.orders")
    spark.sql("DROP TABLE forge.gate.hidden")


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    path = tmp_path / "secret.txt"
    path.write_text(SECRET)
    return path


def rows(gate: SqlGate, sql: str, **params: object) -> list[tuple[object, ...]]:
    return [tuple(row) for row in gate.frame(sql, PINS, params).collect()]


# A type as JSON can name a module of Python, which is imported when the type is read, or a class of Java.
ODD_TYPE = (
    '{"type":"struct","fields":[{"name":"a","nullable":true,"metadata":{},"type":'
    '{"type":"udt","pyClass":"tempfile.mkdtemp","serializedClass":"","sqlType":"string"}}]}'
)
ODD_CLASS = '{"type":"udt","class":"java.util.ArrayList","pyClass":null,"sqlType":"string"}'
HALVES = f"concat('{ODD_TYPE[:9]}', '{ODD_TYPE[9:]}')"

# What the parsers read differently, and what runs programs, reads files or writes.
INTRUDERS = (
    "SELECT TRANSFORM(id) USING 'id' AS (x STRING) FROM gate.orders",
    "SELECT 1 /* /*+ */ , (SELECT max(value) FROM text.`{file}`) -- */",
    "/* /*+ */ INSERT INTO forge.gate.orders SELECT 3, 'c', array() -- */\nSELECT id FROM gate.orders",
    "/* /*+ */ DROP TABLE forge.gate.orders -- */ -- \\\nSELECT 1",
    "FROM gate.orders MAP id USING 'cat' AS (x)",
    "FROM gate.orders REDUCE id USING 'cat' AS (x)",
    "SELECT * FROM text.`{file}`",
    "SELECT * FROM parquet.`{file}`",
    "SELECT * FROM json.`{file}`, gate.orders",
    "SELECT * FROM gate.hidden",
    "SELECT * FROM forge.gate.hidden",
    "SELECT * FROM hidden",
    "SELECT * FROM gate.orders.snapshots",
    "SELECT * FROM gate.orders VERSION AS OF 1",
    "SELECT * FROM gate.orders TIMESTAMP AS OF '2020-01-01'",
    "SELECT * FROM IDENTIFIER('forge.gate.' || 'hidden')",
    "SELECT IDENTIFIER('id') FROM gate.orders",
    "SELECT java_method('java.lang.System', 'getProperty', 'user.dir')",
    "SELECT reflect('java.lang.Runtime', 'getRuntime')",
    "SELECT try_reflect('java.lang.System', 'getenv', 'PATH')",
    "SELECT builtin.reflect('java.lang.System', 'getenv', 'PATH')",
    "SELECT system.builtin.java_method('java.lang.System', 'getenv', 'PATH')",
    "SELECT input_file_name() FROM gate.orders",
    "SELECT current_user(), session_user()",
    "SELECT current_user",
    "SELECT from_xml('<a>1</a>', 'a INT', map('rowValidationXSDPath', '{file}'))",
    "SELECT from_protobuf(X'00', 'M', '{file}')",
    "SELECT xpath('<!DOCTYPE a [<!ENTITY x SYSTEM \"file://{file}\">]><a>&x;</a>', 'a/text()')",
    f"SELECT from_json('{{}}', '{ODD_TYPE}')",
    f"SELECT from_json('{{}}', '{ODD_CLASS}')",
    f"SELECT From_Json('{{}}', {HALVES}).a FROM gate.orders",
    f"SELECT from_json('{{}}', lower('{ODD_TYPE}'))",
    f"SELECT from_csv('x', '{ODD_TYPE}')",
    f"SELECT variant_get(parse_json('{{}}'), '$', '{ODD_TYPE}')",
    f"SELECT try_variant_get(parse_json('{{}}'), '$', '{ODD_CLASS}')",
    f"SELECT 1 FROM gate.orders LATERAL VIEW from_json('{{}}', '{ODD_CLASS}') t AS x",
    f"SELECT 1 FROM gate.orders ORDER BY transform(xs, x -> from_json('{{}}', '{ODD_CLASS}'))",
    "SELECT * FROM python_worker_logs()",
    "SELECT * FROM range(1000000000000)",
    "SELECT forge.system.bucket(2, id) FROM gate.orders",
    "SELECT * FROM gate.orders WITH ('path' = '{file}')",
    "SELECT * FROM STREAM gate.orders",
    "EXECUTE IMMEDIATE 'DROP TABLE forge.gate.orders'",
    "BEGIN DROP TABLE forge.gate.orders; END",
    "BEGIN SELECT 1; END",
    "WITH a AS (SELECT 1) INSERT INTO forge.gate.orders SELECT 3, 'c', array()",
    "FROM gate.orders INSERT INTO forge.gate.hidden SELECT id",
    "SET spark.sql.runSQLOnFiles=true",
    "ADD JAR '{file}'",
    "LIST JARS",
    "SHOW TABLES IN forge.gate",
    "DESCRIBE forge.gate.hidden",
    "EXPLAIN SELECT 1",
    "CACHE TABLE x AS SELECT 1",
    "CREATE TEMPORARY FUNCTION f AS 'java.lang.Object'",
    "CREATE TEMPORARY VIEW v USING text OPTIONS (path '{file}')",
    "CALL forge.system.expire_snapshots('gate.orders')",
    "SELECT 1; DROP TABLE forge.gate.orders",
    "TABLE text.`{file}`",
    "SELECT (SELECT count(*) FROM csv.`{file}`)",
    "SELECT * FROM gate.orders WHERE EXISTS (SELECT 1 FROM orc.`{file}`)",
    "WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n FROM text.`{file}`) SELECT * FROM r",
    "SELECT * FROM gate.orders, LATERAL (SELECT * FROM text.`{file}`)",
    "FROM gate.orders |> JOIN text.`{file}`",
    "SELECT * FROM gate.orders LATERAL VIEW json_tuple((SELECT max(value) FROM text.`{file}`), 'a') t",
)


@pytest.mark.parametrize("text", INTRUDERS)
def test_what_is_not_on_the_list_is_refused_and_changes_nothing(
    text: str, gate: SqlGate, spark: SparkSession, secret: Path
) -> None:
    from pyspark.errors import AnalysisException

    with pytest.raises((ForgeError, AnalysisException)) as refused:
        gate.frame(text.replace("{file}", str(secret)), PINS, {}).collect()

    assert SECRET not in str(refused.value)
    assert spark.table("forge.gate.orders").count() == 2
    assert spark.table("forge.gate.hidden").count() == 1


HONEST = (
    ("SELECT from_json('{\"a\": 1}', 'a INT').a, from_csv('1', 'a INT').a", [(1, 1)]),
    ("SELECT from_json('{\"a\": 1}', schema_of_json('{\"a\": 1}')).a", [(1,)]),
    ("SELECT variant_get(parse_json('{\"a\": 1}'), '$.a', 'int')", [(1,)]),
    ("SELECT id, name FROM gate.orders ORDER BY id", [(1, "a"), (2, "b")]),
    ("SELECT gate.orders.id FROM gate.orders WHERE forge.gate.orders.name = 'b'", [(2,)]),
    ("SELECT /* a comment */ count(*) -- another\nFROM gate.orders", [(2,)]),
    ("SELECT /*+ BROADCAST(o) */ max(o.id) FROM gate.orders o", [(2,)]),
    ("WITH x AS (SELECT * FROM gate.orders), y AS (SELECT * FROM x) SELECT sum(y.id) FROM y JOIN x USING (id)", [(3,)]),
    ("SELECT x FROM gate.orders LATERAL VIEW explode(xs) t AS x ORDER BY x", [(1,), (2,), (3,)]),
    ("SELECT sum(id) FROM range(10)", [(45,)]),
    ("VALUES (1, 'x')", [(1, "x")]),
    ("SELECT name FROM gate.orders WHERE id = (SELECT max(id) FROM gate.orders)", [("b",)]),
    ("TABLE gate.orders |> WHERE id > 1 |> SELECT id", [(2,)]),
    ("SELECT transform(xs, x -> x + 1) FROM gate.orders WHERE id = 1", [([2, 3],)]),
    ("SELECT id, row_number() OVER w FROM gate.orders WINDOW w AS (ORDER BY id DESC) ORDER BY id", [(1, 2), (2, 1)]),
    ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 4) SELECT max(n) FROM r", [(4,)]),
    ("SELECT '${env:PATH}', '${spark.app.name}'", [("${env:PATH}", "${spark.app.name}")]),
    ("SELECT '/* no comment */', \"-- nor this\"", [("/* no comment */", "-- nor this")]),
)


@pytest.mark.parametrize("text", [text for text in INTRUDERS if "udt" in text])
def test_a_type_that_names_a_class_is_refused_before_spark_reads_it(text: str, gate: SqlGate) -> None:
    with pytest.raises(ForgeError) as refused:
        gate.frame(text, PINS, {})
    assert refused.value.code == "E216"


@pytest.mark.parametrize(("text", "expected"), HONEST)
def test_a_query_over_pinned_tables_gives_what_spark_gives(
    text: str, expected: list[tuple[object, ...]], gate: SqlGate
) -> None:
    assert rows(gate, text) == expected


def test_no_name_or_text_is_filled_with_the_environment_of_the_server(spark: SparkSession) -> None:
    """Names of columns come from uploads, and stand in statements of Forge's own."""
    frame = spark.createDataFrame([(1,)], "x INT").toDF("${env:PATH}")
    frame.createOrReplaceTempView("uploaded")
    assert spark.sql("SELECT `${env:PATH}` FROM uploaded").columns == ["${env:PATH}"]
    spark.catalog.dropTempView("uploaded")


def test_values_are_bound_and_never_become_text(gate: SqlGate) -> None:
    assert rows(gate, "SELECT :word, id FROM gate.orders WHERE id = :id", word="' OR 1=1 --", id=2) == [
        ("' OR 1=1 --", 2)
    ]


def test_every_function_of_spark_is_on_one_of_the_two_lists(gate: SqlGate) -> None:
    known = set(gate.functions())
    assert known - FUNCTIONS - set(REFUSED_FUNCTIONS) == set()
    assert FUNCTIONS & set(REFUSED_FUNCTIONS) == set()
    assert (FUNCTIONS | set(REFUSED_FUNCTIONS)) - known == set()
    assert "range" in TABLE_FUNCTIONS


def test_names_of_pinned_tables_do_not_outlive_the_query(gate: SqlGate) -> None:
    rows(gate, "SELECT count(*) FROM gate.orders")
    assert gate.views() == ()


GREEDY = (
    "SELECT count(*) FROM gate.orders WHERE regexp_like(repeat(name, 500000), '^(a|b|.)*Z$')",
    "SELECT count(*) FROM gate.orders WHERE size(array_repeat(name, 2000000000 + id)) > 3",
)


@pytest.mark.parametrize("text", GREEDY)
def test_a_query_that_runs_out_of_stack_or_memory_fails_alone(text: str, gate: SqlGate) -> None:
    from forge.engines.spark.errors import SPARK_ERRORS

    with pytest.raises(SPARK_ERRORS):
        rows(gate, text)
    assert rows(gate, "SELECT count(*) FROM gate.orders") == [(2,)], "Spark lives on"

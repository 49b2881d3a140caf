"""What is not on the list is refused, in words."""

from __future__ import annotations

import re

import pyarrow as pa
import pytest
from rest_plans import plan_of
from sqlglot import exp

from forge.engines.datafusion.executor import DataFusionExecutor
from forge.engines.datafusion.lowering import lower_plan

TABLES = {
    "t": pa.table(
        {
            "a": pa.array([1], pa.int32()),
            "f": [1.0],
            "s": ["x"],
            "d": pa.array([1], pa.date32()),
            "xs": [[1]],
            "big": pa.array([1], pa.decimal128(38, 0)),
        }
    ),
    "u": pa.table({"a": pa.array([1], pa.int32())}),
}

REFUSED = {
    "SELECT regexp_extract(s, 'a', 0) AS x FROM t": "regexp_extract",
    "SELECT reflect('java.lang.Runtime', 'getRuntime') AS x FROM t": "reflect",
    "SELECT version() AS x": "version",
    "SELECT current_user() AS x": "current_user",
    "SELECT now() AS x": "not computed",
    "SELECT rand() AS x": "rand",
    "SELECT arrow_cast(a, 'Int8') AS x FROM t": "arrow_cast",
    "SELECT * FROM parquet.`/etc/passwd`": "with db",
    "SELECT * FROM range(10)": "not computed",
    "SELECT explode(xs) AS x FROM t": "explode",
    "SELECT a FROM t LATERAL VIEW explode(xs) y AS z": "laterals",
    "SELECT a FROM t TABLESAMPLE (10 PERCENT)": "not computed",
    "SELECT /*+ BROADCAST(t) */ a FROM t": "hint",
    "SELECT a FROM t GROUP BY ROLLUP (a)": "not computed",
    "SELECT a FROM t PIVOT (count(1) FOR a IN (1, 2))": "not computed",
    "SELECT sum(a) OVER w AS x FROM t WINDOW w AS (ORDER BY a)": "window",
    "SELECT try_cast(s AS int) AS x FROM t": "safe",
    "SELECT cast(s AS int) AS x FROM t": "cast of string to int",
    "SELECT cast(f AS string) AS x FROM t": "cast of double to string",
    "SELECT a + s AS x FROM t": "int and string",
    "SELECT a = s AS x FROM t": "int beside string",
    "SELECT a = '1' AS x FROM t": "a text beside int",
    "SELECT d + INTERVAL '1' DAY AS x FROM t": "INTERVAL",
    "SELECT round(f, 2) AS x FROM t": "round of double",
    "SELECT stddev(a) AS x FROM t": "stddev",
    "SELECT sum(f) OVER (ORDER BY a ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS x FROM t": "moving window",
    "SELECT sum(big) AS x FROM t": "sum of decimal(38,0)",
    "SELECT -big AS x FROM t": "negative of decimal(38,0)",
    "SELECT 2L * big AS x FROM t": "a number with a type",
    "SELECT s LIKE s AS x FROM t": "LIKE",
    r"SELECT s LIKE 'a\\_b' AS x FROM t": "backslash",
    "SELECT s RLIKE 'a' AS x FROM t": "not computed",
    "SELECT 'it' 's' AS x": "two quotes",
    "SELECT a IN (SELECT a FROM u) AS x FROM t": "IN with a subquery",
    "SELECT a FROM t WHERE a > 1 OR a IN (SELECT a FROM u)": "IN with a subquery",
    "SELECT (SELECT max(u.a) FROM u WHERE u.a = t.a) AS x FROM t": "not known",
    "SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE EXISTS (SELECT 1 FROM t x WHERE x.a = t.a))": "not known",
    "SELECT a FROM t INTERSECT ALL SELECT a FROM u": "INTERSECT ALL",
    "SELECT DISTINCT xs FROM t": "nested",
    "SELECT xs[0] AS x FROM t": "not computed",
    "SELECT min(xs) AS x FROM t": "min of array",
    "SELECT count(DISTINCT a, s) AS x FROM t": "several columns",
    "SELECT max(a) AS x, f FROM t": "neither grouped",
    "SELECT a FROM t ORDER BY xs": "sorting by array",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_not_proved_is_refused_in_words(text: str) -> None:
    found = DataFusionExecutor().refusal(plan_of(text, TABLES))
    assert found is not None
    assert REFUSED[text] in found


@pytest.mark.slow
def test_a_query_too_deep_or_too_long_is_refused() -> None:
    for text in (
        f"SELECT {' + '.join(['a'] * 300)} AS x FROM t",
        f"SELECT a FROM t WHERE a IN ({', '.join(['1'] * 20_000)})",
    ):
        found = DataFusionExecutor().refusal(plan_of(text, TABLES))
        assert found == "the query is too large to be computed in-process"


def test_what_is_run_holds_names_of_its_own_and_quoted_literals_only() -> None:
    plan = plan_of(
        'WITH w AS (SELECT a AS secret_name, s FROM t WHERE s <> "x\' y") SELECT secret_name, count(*) AS many FROM w '
        "WHERE s = :wanted GROUP BY secret_name",
        TABLES,
    )
    sql = lower_plan(plan, {"wanted": "'; DROP TABLE f0 --"}).sql
    bare = re.sub(r"'(?:[^']|'')*'", "", sql)
    assert "secret_name" not in sql
    assert "many" not in sql
    assert not re.search(r"[;\"\\`]|--|/\*|DROP", bare)
    assert "'x'' y'" in sql
    assert "'''; DROP TABLE f0 --'" in sql


def test_a_subclass_is_not_on_the_list_because_its_parent_is() -> None:
    plan = plan_of("SELECT a FROM t", TABLES)

    class OddColumn(exp.Column):
        pass

    plan.rest.set("expressions", [OddColumn(this=exp.to_identifier("a"))])
    assert "is not computed in-process" in (DataFusionExecutor().refusal(plan) or "")

"""Subqueries that stand for virtual tables: which become part of the query, and which may not."""

from __future__ import annotations

import pytest
import sqlglot
from each_case import each_case
from sqlglot import exp

from forge.federation.planner.local_names import FreshNames
from forge.federation.planner.merge_virtual import MERGED, merge_virtual

V = "(SELECT t.a AS a, t.b AS b FROM t AS t WHERE t.c > 1) AS v"
MADE = "(SELECT t.a AS a, CAST(t.b + 1 AS INT) AS b FROM t AS t) AS v"
TWO = "(SELECT t.a AS a, u.b AS b FROM t AS t JOIN u AS u ON t.id = u.id WHERE u.c > 1) AS v"
LEFT = "(SELECT t.a AS a, u.b AS b FROM t AS t LEFT JOIN u AS u ON t.id = u.id) AS v"


def merged(sql: str) -> str:
    tree = sqlglot.parse_one(sql, read="spark")
    assert isinstance(tree, exp.Query)
    for one in tree.find_all(exp.Subquery):
        if one.alias.startswith("v"):
            one.meta[MERGED] = True
    merge_virtual(tree, FreshNames({one.name for one in tree.find_all(exp.Identifier)}))
    return tree.sql("spark").replace("`", "")


@each_case(
    [
        (f"SELECT v.a AS a FROM {V} WHERE v.b = 2", "SELECT t_.a AS a FROM t AS t_ WHERE t_.b = 2 AND t_.c > 1"),
        (
            f"SELECT sum(v.b) AS s FROM {MADE} GROUP BY v.b",
            "SELECT SUM((CAST(t_.b + 1 AS INT))) AS s FROM t AS t_ GROUP BY (CAST(t_.b + 1 AS INT))",
        ),
        (
            f"SELECT v.a AS a FROM x AS x LEFT JOIN {V} ON x.id = v.b",
            "SELECT t_.a AS a FROM x AS x LEFT JOIN t AS t_ ON x.id = t_.b AND t_.c > 1",
        ),
        (
            f"SELECT v.a AS a FROM x AS x RIGHT JOIN {V} ON x.id = v.b",
            "SELECT t_.a AS a FROM x AS x RIGHT JOIN t AS t_ ON x.id = t_.b WHERE t_.c > 1",
        ),
        (
            f"SELECT v.a AS a FROM {LEFT} JOIN x AS x ON x.id = v.b",
            "SELECT t_.a AS a FROM t AS t_ LEFT JOIN u AS u_ ON t_.id = u_.id JOIN x AS x ON x.id = u_.b",
        ),
        (
            f"SELECT v.a AS a FROM x AS x JOIN {TWO} ON x.id = v.b",
            "SELECT t_.a AS a FROM x AS x CROSS JOIN t AS t_ JOIN u AS u_ ON t_.id = u_.id"
            " WHERE u_.c > 1 AND x.id = u_.b",
        ),
        (
            f"SELECT x.a AS a FROM x AS x WHERE EXISTS(SELECT 1 AS one FROM {V} WHERE v.a = x.a)",
            "SELECT x.a AS a FROM x AS x WHERE EXISTS(SELECT 1 AS one FROM t AS t_ WHERE t_.a = x.a AND t_.c > 1)",
        ),
        (
            "SELECT v2.a AS a FROM (SELECT v1.a AS a FROM (SELECT t.a AS a FROM t AS t) AS v1) AS v2 WHERE v2.a = 1",
            "SELECT t__.a AS a FROM t AS t__ WHERE t__.a = 1",
        ),
        (
            f"SELECT v.a AS a FROM {V} WHERE v.b IN (SELECT v.b AS b FROM y AS v)",
            "SELECT t_.a AS a FROM t AS t_ WHERE t_.b IN (SELECT v.b AS b FROM y AS v) AND t_.c > 1",
        ),
    ],
    lambda case: case[0],
)
def test_what_means_the_same_is_merged(case: tuple[str, str]) -> None:
    sql, expected = case
    assert merged(sql) == expected


@pytest.mark.parametrize(
    "sql",
    [
        f"SELECT v.a AS a FROM x AS x LEFT JOIN {MADE} ON x.id = v.a",  # 1 + NULL of no row is not NULL in general
        f"SELECT v.a AS a FROM x AS x LEFT JOIN {TWO} ON x.id = v.a",
        f"SELECT v.a AS a FROM {V} RIGHT JOIN x AS x ON x.id = v.a",
        f"SELECT v.a AS a FROM {V} FULL JOIN x AS x ON x.id = v.a",
        f"SELECT v.a AS a FROM x AS x FULL JOIN {V} ON x.id = v.a",
        f"SELECT x.a AS a FROM x AS x SEMI JOIN {V} ON x.id = v.a",
        f"SELECT v.a AS a FROM x AS x LEFT JOIN {V} ON x.id = v.a RIGHT JOIN y AS y ON y.id = v.a",
        f"SELECT v.a AS a FROM x AS x JOIN {LEFT} ON x.id = v.a",
        "SELECT v.a AS a FROM (SELECT 1 AS a FROM t AS t) AS v GROUP BY v.a ORDER BY v.a",
        "SELECT v.a AS a FROM (SELECT t.a AS a FROM t AS t LIMIT 1) AS v WHERE v.a = 1",
        "SELECT v.a AS a FROM (SELECT DISTINCT t.a AS a FROM t AS t) AS v",
        "SELECT v.a AS a FROM (SELECT t.a AS a FROM t AS t GROUP BY t.a) AS v",
        "SELECT w.a AS a FROM (SELECT t.a AS a FROM t AS t) AS w",
    ],
)
def test_what_could_mean_something_else_stays(sql: str) -> None:
    assert merged(sql) == sqlglot.parse_one(sql, read="spark").sql("spark")

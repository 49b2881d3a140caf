"""The row limit of a request as a part of its query."""

from __future__ import annotations

import pytest
from sqlglot import exp, parse_one

from forge.federation.plan import Fragment, QueryPlan
from forge.federation.row_limit import limit_rows, rows_enough


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT a FROM t", "SELECT a FROM t LIMIT 7"),
        ("SELECT a FROM t ORDER BY a LIMIT 9", "SELECT a FROM t ORDER BY a LIMIT 7"),
        ("SELECT a FROM t LIMIT 3", "SELECT a FROM t LIMIT 3"),
        ("SELECT a FROM t LIMIT 9 OFFSET 2", "SELECT a FROM t LIMIT 7 OFFSET 2"),
        ("SELECT a FROM t LIMIT :n", "SELECT a FROM t LIMIT :n"),
        ("SELECT a FROM t UNION ALL SELECT b FROM u", "SELECT a FROM t UNION ALL SELECT b FROM u LIMIT 7"),
        (
            "WITH c AS (SELECT 1 AS a LIMIT 9) SELECT a FROM c",
            "WITH c AS (SELECT 1 AS a LIMIT 9) SELECT a FROM c LIMIT 7",
        ),
    ],
)
def test_the_smaller_limit_holds(sql: str, expected: str) -> None:
    tree = parse_one(sql, dialect="spark")
    assert isinstance(tree, exp.Query)
    assert limit_rows(tree, 7).sql("spark") == expected
    assert limit_rows(tree, None) is tree
    assert tree.sql("spark") == sql, "the tree that came is changed"


@pytest.mark.parametrize(
    ("rest", "rows"),
    [
        ("SELECT f.a FROM f LIMIT 5", 5),
        ("SELECT upper(q.a) AS a FROM (SELECT f.a, NULL AS b FROM f) AS q LIMIT 5 OFFSET 2", 7),
        ("SELECT f.a FROM f", None),
        ("SELECT f.a FROM f WHERE f.a > 1 LIMIT 5", None),
        ("SELECT f.a FROM f ORDER BY f.a LIMIT 5", None),
        ("SELECT DISTINCT f.a FROM f LIMIT 5", None),
        ("SELECT count(*) FROM f LIMIT 5", None),
        ("SELECT row_number() OVER (ORDER BY f.a) FROM f LIMIT 5", None),
        ("SELECT explode(f.a) FROM f LIMIT 5", None),
        ("SELECT f.a FROM f CROSS JOIN f AS g LIMIT 5", None),
        ("SELECT f.a FROM f TABLESAMPLE (10 ROWS) LIMIT 5", None),
        ("SELECT q.a FROM (SELECT f.a FROM f OFFSET 3) AS q LIMIT 5", None),
        ("SELECT (SELECT max(f.a) FROM f) FROM f LIMIT 5", None),
    ],
)
def test_reading_ends_where_each_row_is_one_of_the_result(rest: str, rows: int | None) -> None:
    tree = parse_one(rest, dialect="spark")
    assert isinstance(tree, exp.Query)
    fragment = Fragment("f", "s", exp.select("a").from_("t"), (), relations=())
    assert rows_enough(QueryPlan(rest, (fragment,), tree)) == rows
    assert rows_enough(QueryPlan(rest, (fragment, fragment), tree)) is None

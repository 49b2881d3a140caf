from __future__ import annotations

import pytest

from forge.model.errors import ForgeError, errors_of
from forge.transforms.sql import find_inputs, find_parameters

INPUTS: list[tuple[str, str]] = [
    ("SELECT 1", ""),
    ("VALUES (1, 'a'), (2, 'b')", ""),
    ("SELECT * FROM core.orders", "core.orders"),
    ("SELECT * FROM CORE.Orders", "core.orders"),
    ("SELECT * FROM `core`.`orders` AS `my orders`", "core.orders"),
    ("SELECT * FROM forge.core.orders", "core.orders"),
    ("SELECT * FROM core.a a JOIN core.a b ON a.id = b.parent", "core.a core.a"),
    ("SELECT * FROM core.a, core.b CROSS JOIN core.c", "core.a core.b core.c"),
    ("SELECT * FROM core.a LEFT ANTI JOIN core.b USING (i) LEFT SEMI JOIN core.c USING (i)", "core.a core.b core.c"),
    ("SELECT * FROM (SELECT * FROM core.a) x WHERE id IN (SELECT id FROM core.b)", "core.a core.b"),
    ("SELECT (SELECT max(x) FROM core.b) FROM core.a WHERE EXISTS (SELECT 1 FROM core.c)", "core.b core.a core.c"),
    ("SELECT * FROM core.a t, LATERAL (SELECT * FROM core.b u WHERE u.id = t.id)", "core.a core.b"),
    ("SELECT e FROM core.a LATERAL VIEW OUTER explode(xs) v AS e", "core.a"),
    ("SELECT * FROM core.a PIVOT (sum(x) FOR y IN (1, 2)) p", "core.a"),
    ("SELECT * FROM core.a UNPIVOT (v FOR n IN (x, y))", "core.a"),
    ("SELECT a FROM core.a UNION ALL SELECT a FROM core.b MINUS SELECT a FROM core.c", "core.a core.b core.c"),
    ("(SELECT a FROM core.a) ORDER BY 1 LIMIT 3", "core.a"),
    ("FROM core.a SELECT x", "core.a"),
    ("FROM core.a |> WHERE x > 1 |> JOIN core.b USING (id) |> SELECT x", "core.a core.b"),
    ("TABLE core.orders", "core.orders"),
    ("WITH x AS (TABLE core.a) TABLE x", "core.a"),
    ("TABLE core.a UNION ALL TABLE core.b", "core.a core.b"),
    ("SELECT table FROM core.a table", "core.a"),
    ("SELECT * FROM core.orders TABLESAMPLE (10 PERCENT) o", "core.orders"),
    ("SELECT * FROM range(10) r JOIN core.a ON r.id = a.id", "core.a"),
    ("SELECT * FROM explode(array(1, 2))", ""),
    ("SELECT * FROM VALUES (1, 2) AS t(a, b)", ""),
    ("SELECT /*+ BROADCAST(b) */ * FROM core.a JOIN core.b ON a.x = b.x", "core.a core.b"),
    ("SELECT 'core.x', \"FROM core.y\" -- core.z\nFROM /* core.w */ core.a", "core.a"),
    ("SELECT '🎉 äöü' AS x FROM core.a", "core.a"),
    # CTEs are no tables, whatever they are called
    ("WITH x AS (SELECT * FROM core.a) SELECT * FROM x", "core.a"),
    ("WITH X AS (SELECT 1) SELECT * FROM x", ""),
    (
        "WITH orders AS (SELECT * FROM core.orders) SELECT * FROM orders JOIN staging.orders s",
        "core.orders staging.orders",
    ),
    ("WITH a AS (SELECT 1), b AS (SELECT * FROM a) SELECT * FROM a, b", ""),
    ("WITH a AS (SELECT 1), b AS (WITH a AS (SELECT * FROM core.t) SELECT * FROM a) SELECT * FROM a, b", "core.t"),
    ("SELECT * FROM (WITH x AS (SELECT * FROM core.a) SELECT * FROM x)", "core.a"),
    ("WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT * FROM t", ""),
    ("WITH a AS (SELECT 1) SELECT * FROM core.t WHERE EXISTS (SELECT 1 FROM a)", "core.t"),
    ("/* forge\nkind: full\n*/\nSELECT * FROM core.a;\n-- the end", "core.a"),
]


@pytest.mark.parametrize(("sql", "tables"), INPUTS)
def test_the_real_tables_of_a_query_are_found_in_order(sql: str, tables: str) -> None:
    assert [str(reference.table) for reference in find_inputs(sql, "a.sql")] == tables.split()


def test_each_input_has_its_line_and_column() -> None:
    sql = "/* forge\n*/\nSELECT 'ü🎉'\nFROM core.a a\n  JOIN staging.b b ON true"
    assert [(str(r.table), r.line, r.column) for r in find_inputs(sql, "a.sql")] == [
        ("core.a", 4, 6),
        ("staging.b", 5, 8),
    ]


REFUSED = [
    # unknown tables
    ("SELECT *\nFROM orders", "E202", "a.sql:2:6", "schema.table"),
    ("WITH order AS (SELECT 1) SELECT * FROM ordr", "E202", "a.sql:1:40", "order"),
    ("WITH x AS (SELECT * FROM x) SELECT * FROM x", "E202", "a.sql:1:26", "CTE"),
    ("WITH b AS (SELECT * FROM a), a AS (SELECT 1) SELECT * FROM b", "E202", "a.sql:1:26", "CTE"),
    ("SELECT * FROM (WITH x AS (SELECT 1) SELECT * FROM x) y, x", "E202", "a.sql:1:57", "CTE"),
    ("SELECT * FROM other.core.orders", "E202", "a.sql:1:15", "forge."),
    ("SELECT * FROM core.orders.snapshots", "E202", "a.sql:1:15", "forge."),
    ("SELECT * FROM parquet.`/data/x`", "E202", "a.sql:1:15", "sources/"),
    # versions of one's own, and names that are hidden
    ("SELECT * FROM core.a VERSION AS OF 12", "E206", "a.sql:1:15", "pins"),
    ("SELECT * FROM core.a TIMESTAMP AS OF '2026-01-01' o", "E206", "a.sql:1:15", "pins"),
    ("SELECT * FROM core.b JOIN core.a@dev~1 o", "E206", "a.sql:1:27", "pins"),
    ("SELECT * FROM core.a @dev", "E206", "a.sql:1:15", "pins"),
    ("SELECT a@b FROM core.a", "E201", "a.sql:1:8", "@b"),
    ("SELECT * FROM core.a FOR SYSTEM_TIME AS OF '2026-01-01'", "E206", "a.sql:1:15", "pins"),
    ("SELECT * FROM IDENTIFIER('core.a')", "E206", "a.sql:1:15", "IDENTIFIER"),
    ("SELECT * FROM IDENTIFIER(:t)", "E206", "a.sql:1:15", "IDENTIFIER"),
    ("SELECT * FROM fn(TABLE(core.a))", "E206", "a.sql:1:24", "function"),
    ("SELECT * FROM fn(TABLE core.a)", "E206", "a.sql:1:18", "function"),
    # syntax
    ("SELECT a\nFROM core.t\nWHERE (a", "E201", "a.sql:3:8", "'a'"),
    ("SELECT a,\n  b c d\nFROM core.t", "E201", "a.sql:2:7", "'d'"),
    ("SELEC a FROM core.t", "E201", "a.sql:1:9", "FROM"),
    ("SELEC", "E201", "a.sql:1:1", "SELEC"),
    ("SELECT a\nFROM core.t WHERE b = 'x", "E201", "a.sql:2:23", "closed"),
    ("SELECT `a FROM core.t", "E201", "a.sql:1:8", "closed"),
    ("SELECT a FROM core.t /* no end", "E201", "a.sql:1:22", "closed"),
    # not one query
    ("", "E213", "a.sql:1", "no query"),
    ("-- nothing\n;", "E213", "a.sql:1", "no query"),
    ("INSERT INTO core.t SELECT 1", "E213", "a.sql:1:1", "INSERT"),
    ("  CREATE TABLE core.t AS SELECT 1", "E213", "a.sql:1:3", "CREATE"),
    ("DROP TABLE core.t", "E213", "a.sql:1:1", "DROP"),
    ("SHOW TABLES", "E213", "a.sql:1:1", "SHOW"),
    ("EXPLAIN SELECT 1", "E213", "a.sql:1:1", "EXPLAIN"),
    ("SET spark.x = 1", "E213", "a.sql:1:1", "SET"),
    ("WITH a AS (SELECT 1) INSERT INTO core.t SELECT * FROM a", "E213", "a.sql:1:1", "writes"),
    ("FROM core.t INSERT INTO core.u SELECT a", "E213", "a.sql:1:1", "writes"),
    ("SELECT 1;\n\nSELECT 2", "E213", "a.sql:3:1", "second"),
]


@pytest.mark.parametrize(("sql", "code", "where", "word"), REFUSED)
def test_what_is_no_query_over_tables_is_refused_with_its_place(sql: str, code: str, where: str, word: str) -> None:
    with pytest.raises(ForgeError) as raised:
        find_inputs(sql, "a.sql")
    error = raised.value
    assert (error.code, error.where) == (code, where)
    assert word in f"{error.what} {error.why} {error.fix}"


def test_a_deeply_nested_query_is_refused_and_does_not_crash() -> None:
    with pytest.raises(ForgeError) as raised:
        find_inputs("SELECT " + "(" * 3000 + "1" + ")" * 3000, "a.sql")
    assert raised.value.code == "E201"


def test_all_unknown_tables_of_a_query_are_told_at_once() -> None:
    with pytest.raises(ForgeError) as raised:
        find_inputs("SELECT * FROM a\nJOIN b\nJOIN core.c", "a.sql")
    assert [error.where for error in errors_of(raised.value)] == ["a.sql:1:15", "a.sql:2:6"]


@pytest.mark.parametrize(
    ("sql", "names"),
    [
        ("SELECT 1", []),
        ("SELECT * FROM core.t WHERE at >= :start AND at < :end", ["start", "end"]),
        ("SELECT :a, :b, :a FROM core.t LIMIT :n", ["a", "b", "n"]),
        ("SELECT ':no' -- :nor\nFROM core.t WHERE x::int = :p::int", ["p"]),
        ("SELECT * FROM core.t WHERE day BETWEEN :day AND date_add(:day, 1) AND x = :limit", ["day", "limit"]),
    ],
)
def test_the_parameters_of_a_query_are_found_once_each(sql: str, names: list[str]) -> None:
    assert [parameter.name for parameter in find_parameters(sql, "a.sql")] == names


def test_a_parameter_has_its_place_and_a_question_mark_is_refused() -> None:
    (found,) = find_parameters("SELECT *\nFROM core.t WHERE d = :day", "a.sql")
    assert (found.line, found.column) == (2, 23)
    with pytest.raises(ForgeError) as raised:
        find_parameters("SELECT *\nFROM core.t WHERE d = ?", "a.sql")
    assert (raised.value.code, raised.value.where) == ("E206", "a.sql:2:23")


@pytest.mark.parametrize(
    "text",
    ["SELECT map(1, 2, 3) FROM core.a", "SELECT /*+ ' */ 1", "FROM core.a |> UNION SELECT id FROM core.a '' SELECT 1"],
)
def test_a_text_that_trips_the_parser_is_told_as_one_that_cannot_be_read(text: str) -> None:
    with pytest.raises(ForgeError) as refused:
        find_inputs(text, "query")
    assert refused.value.code == "E201"


@pytest.mark.parametrize("text", ["TABLE core.@orders", "SELECT x FROM core.:aorders"])
def test_a_table_whose_name_is_a_parameter_is_unknown(text: str) -> None:
    with pytest.raises(ForgeError) as refused:
        find_inputs(text, "query")
    assert refused.value.code in ("E201", "E202")


def test_a_brace_is_no_parameter_either() -> None:
    with pytest.raises(ForgeError, match=r"'\{' is not a parameter") as refused:
        find_parameters("SELECT * FROM {", "a.sql")
    assert refused.value.code == "E206"

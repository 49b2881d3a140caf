"""How names in a query are understood: where tables are not known, where several things have one name, and where code
is deep, long or calls itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from sql_around import Surroundings, catalog_of, extract, function_of, tree_of

from forge.lineage.edge import Extraction
from forge.lineage.extract.catalog import TableCatalog
from forge.lineage.extract.definition import definitions_of
from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.relation import Relation, RelationColumn, copy_of, relation_of
from forge.lineage.extract.sql.expression import value_of_expression
from forge.lineage.extract.sql.output_name import output_name
from forge.lineage.extract.sql.query import relation_of_query
from forge.lineage.extract.sql.scope import QueryScope

NOTHING_KNOWN = TableCatalog()
KNOWN = catalog_of(Path(__file__).parents[2] / "cases" / "tables.sql")


def lines(found: Extraction) -> set[str]:
    direct = {f"{edge.target.column} <- {edge.source} {edge.transformation}" for edge in found.edges}
    return direct | {f"~ {edge.subtype} {edge.source}" for edge in found.indirect}


def reasons(found: Extraction) -> list[str]:
    return [gap.reason for gap in found.gaps]


def with_tables(**tables: Mapping[str, str]) -> TableCatalog:
    return TableCatalog(definitions_of(tables))


def test_a_column_of_the_only_unknown_table_is_its_own() -> None:
    found = extract("SELECT a, t.b FROM raw.t WHERE c > 1", NOTHING_KNOWN)
    assert lines(found) == {"a <- raw.t.a identity", "b <- raw.t.b identity", "~ filter raw.t.c"}
    assert found.gaps == ()


def test_a_known_table_without_the_column_leaves_it_to_the_unknown_one() -> None:
    found = extract("SELECT name, colour FROM lin.customers JOIN raw.t ON id = key", KNOWN)
    assert lines(found) == {
        "name <- lin.customers.name identity",
        "colour <- raw.t.colour identity",
        "~ join lin.customers.id",
        "~ join raw.t.key",
    }


def test_a_column_that_two_unknown_tables_may_have_is_a_gap_and_the_tables_stay() -> None:
    found = extract("SELECT a.x, y FROM a JOIN b ON a.id = b.id", NOTHING_KNOWN)
    assert lines(found) == {"x <- a.x identity", "~ join a.id", "~ join b.id"}
    assert reasons(found) == ["column y may be from a or b; give their columns with --schema"]
    assert {edge.source for edge in found.table_edges} == {"a", "b"}


def test_a_column_that_two_known_tables_have_is_a_gap() -> None:
    found = extract("SELECT o.id FROM lin.orders o, lin.customers c WHERE id > 3", KNOWN)
    assert reasons(found) == ["column id may be from o or c; give their columns with --schema"]


def test_in_a_subquery_of_an_unknown_table_its_own_column_is_meant() -> None:
    found = extract("SELECT a FROM t WHERE a IN (SELECT b FROM u WHERE c = 1)", NOTHING_KNOWN)
    assert lines(found) == {"a <- t.a identity", "~ filter t.a", "~ filter u.b", "~ filter u.c"}


def test_a_column_that_the_outer_query_is_known_to_have_is_not_guessed_to_be_an_unknown_tables() -> None:
    found = extract("SELECT id FROM lin.orders WHERE EXISTS (SELECT 1 FROM raw.t WHERE status = t.key)", KNOWN)
    assert "column status may be from raw.t or lin.orders" in reasons(found)[0]


def test_a_star_of_an_unknown_table_is_looked_through() -> None:
    found = extract(
        "WITH a AS (SELECT * FROM raw.t), b AS (SELECT *, x + 1 AS y FROM a) SELECT x, y FROM b", NOTHING_KNOWN
    )
    assert lines(found) == {"x <- raw.t.x identity", "y <- raw.t.x transformation"}
    assert found.gaps == ()


def test_what_a_star_leaves_out_does_not_arrive() -> None:
    found = extract("SELECT a, b FROM (SELECT * EXCEPT (b) FROM raw.t)", NOTHING_KNOWN)
    assert lines(found) == {"a <- raw.t.a identity"}
    assert reasons(found) == ["column b is not found in raw.t"]


def test_replaced_and_renamed_columns_of_an_unknown_table() -> None:
    found = extract("SELECT * REPLACE (a + 1 AS a) RENAME (b AS c) FROM raw.t", NOTHING_KNOWN, "snowflake")
    assert lines(found) == {"a <- raw.t.a transformation", "c <- raw.t.b identity"}


def test_an_alias_is_no_column_of_an_unknown_table_unless_that_was_read_before() -> None:
    assert lines(extract("SELECT a * 2 AS twice, twice + 1 AS more FROM t", NOTHING_KNOWN)) == {
        "twice <- t.a transformation",
        "more <- t.a transformation",
    }
    assert lines(extract("SELECT upper(name) AS name, length(name) AS n FROM t", NOTHING_KNOWN)) == {
        "name <- t.name transformation",
        "n <- t.name transformation",
    }
    grouped = extract("SELECT date_trunc('day', ts) AS day, count(*) AS n FROM t GROUP BY day", NOTHING_KNOWN)
    assert lines(grouped) == {"day <- t.ts transformation", "~ group_by t.ts"}


def test_a_column_of_from_wins_over_an_earlier_alias() -> None:
    found = extract("SELECT amount AS qty, qty + 1 AS more FROM lin.orders", KNOWN)
    assert "more <- lin.orders.qty transformation" in lines(found)


def test_only_some_dialects_let_a_select_use_its_own_aliases() -> None:
    query = "SELECT a + 1 AS b, b + 1 AS c FROM t"
    assert "c <- t.a transformation" in lines(extract(query, NOTHING_KNOWN, "snowflake"))
    assert "c <- t.b transformation" in lines(extract(query, NOTHING_KNOWN, "postgres"))


def test_where_may_use_an_alias_in_snowflake() -> None:
    catalog = with_tables(t={"a": "int"})
    found = extract("SELECT a + 1 AS b FROM t WHERE b > 3", catalog, "snowflake")
    assert lines(found) == {"b <- t.a transformation", "~ filter t.a"}
    assert reasons(extract("SELECT a + 1 AS b FROM t WHERE b > 3", catalog, "postgres")) == [
        "column b is not found in t"
    ]


def test_order_by_means_what_is_selected_first() -> None:
    assert "~ sort lin.orders.customer_id" in lines(
        extract("SELECT customer_id AS id FROM lin.orders ORDER BY id", KNOWN)
    )
    both = "SELECT o.id FROM lin.orders o JOIN lin.customers c ON o.customer_id = c.id ORDER BY id"
    assert "~ sort lin.orders.id" in lines(extract(both, KNOWN))


def test_a_union_with_an_unknown_star_keeps_what_is_known() -> None:
    found = extract("SELECT id FROM lin.orders UNION ALL SELECT * FROM raw.t", KNOWN)
    assert lines(found) == {"id <- lin.orders.id union"}
    assert "cannot be matched by position" in reasons(found)[0]
    assert {edge.source for edge in found.table_edges} == {"lin.orders", "raw.t"}


def test_names_may_be_written_with_more_than_from_does() -> None:
    found = extract("SELECT lake.lin.orders.id, orders.status FROM lin.orders", KNOWN)
    assert lines(found) == {"id <- lin.orders.id identity", "status <- lin.orders.status identity"}
    aliased = extract("SELECT orders.id FROM lin.orders o", KNOWN)
    assert reasons(aliased) == ["column orders.id is not found in o"]


def test_a_field_of_a_column_of_unknown_type_is_taken_for_that_of_a_struct() -> None:
    found = extract("SELECT t.payload.user.id AS a, payload.kind AS b FROM raw.t t", NOTHING_KNOWN)
    assert lines(found) == {"a <- raw.t.payload.user.id identity", "b <- raw.t.payload.kind identity"}


def test_the_type_tells_a_struct_from_an_array_of_them() -> None:
    catalog = with_tables(t={"s": "struct<A:struct<b:int>>", "l": "array<struct<a:int>>", "m": "map<string,int>"})
    found = extract("SELECT s.a.B AS x, l.a AS y, m.k AS z FROM t", catalog)
    assert lines(found) == {
        "x <- t.s.A.b identity",
        "y <- t.l transformation",
        "z <- t.m transformation",
    }


def test_types_go_through_ctes() -> None:
    found = extract("WITH c AS (SELECT address AS a FROM lin.orders) SELECT a.* FROM c", KNOWN)
    assert lines(found) == {"city <- lin.orders.address.city identity", "zip <- lin.orders.address.zip identity"}


def test_a_struct_that_a_cte_builds_is_taken_apart_where_it_is_read() -> None:
    query = (
        "WITH c AS (SELECT struct(id, struct(email AS e) AS i) AS s FROM lin.customers) SELECT s.*, s.i.e AS f FROM c"
    )
    found = extract(query, KNOWN)
    assert lines(found) >= {"id <- lin.customers.id identity", "f <- lin.customers.email identity"}


def test_a_function_of_the_code_is_replaced_by_its_body() -> None:
    functions = {
        "net": function_of("net", ("price", "rate"), "price * (1 - rate)"),
        "code_of": function_of("code_of", ("c",), "SELECT max(code) FROM lin.countries WHERE name = c"),
        "again": function_of("again", ("x",), "again(x) + 1"),
    }
    found = extract(
        "SELECT net(amount, qty) AS n, code_of(status) AS c, sum(net(amount, 0)) AS s, again(id) AS a FROM lin.orders",
        KNOWN,
        functions=functions,
    )
    assert lines(found) == {
        "n <- lin.orders.amount transformation",
        "n <- lin.orders.qty transformation",
        "c <- lin.countries.code aggregation",
        "s <- lin.orders.amount aggregation",
        "~ filter lin.countries.name",
        "~ filter lin.orders.status",
    }
    assert reasons(found) == ["function again calls itself; what it gives is not known"]


def test_a_table_function_of_the_code_is_read_like_a_subquery() -> None:
    body = "SELECT id, amount FROM lin.orders WHERE status = wanted"
    functions = {"paid": function_of("paid", ("wanted",), body, table=True, columns=("k", "v"))}
    found = extract("SELECT p.k, p.v FROM lin.countries c, LATERAL paid(c.code) AS p", KNOWN, functions=functions)
    assert lines(found) == {
        "k <- lin.orders.id identity",
        "v <- lin.orders.amount identity",
        "~ filter lin.orders.status",
        "~ filter lin.countries.code",
    }


def test_a_function_nobody_knows_takes_all_its_arguments() -> None:
    found = extract("SELECT lib.f(a, b) AS x FROM t", NOTHING_KNOWN)
    assert lines(found) == {"x <- t.a transformation", "x <- t.b transformation"}


def test_ctes_become_steps_with_ids_of_their_own() -> None:
    around = Surroundings(KNOWN)
    inner = "WITH a AS (SELECT id FROM lin.customers) SELECT id FROM a"
    query = f"WITH a AS (SELECT id FROM lin.orders), b AS ({inner}) SELECT a.id, b.id AS x FROM a, b"
    relation = relation_of_query(tree_of(query, "spark"), around)
    assert [(step.label or step.target.split("@")[0], step.made) for step in around.steps] == [
        ("a", OutputKind.CTE),
        ("a", OutputKind.CTE),
        ("b", OutputKind.CTE),
    ]
    assert len({step.target for step in around.steps}) == 3
    assert len(relation.reads) == 2


def test_a_recursive_cte_reads_itself() -> None:
    around = Surroundings(KNOWN)
    query = "WITH RECURSIVE t AS (SELECT id FROM lin.customers UNION ALL SELECT t.id + 1 FROM t) SELECT id FROM t"
    relation = relation_of_query(tree_of(query, "spark"), around)
    (step,) = around.steps
    assert step.target in step.reads
    assert lines(around.extraction(relation)) == {"id <- lin.customers.id transformation"}


def test_without_recursive_a_cte_does_not_see_itself() -> None:
    catalog = with_tables(t={"id": "int"})
    found = extract("WITH t AS (SELECT id + 1 AS id FROM t) SELECT id FROM t", catalog)
    assert lines(found) == {"id <- t.id transformation"}


def test_a_window_that_is_not_defined_is_a_gap() -> None:
    assert reasons(extract("SELECT sum(qty) OVER w AS s FROM lin.orders", KNOWN)) == ["window w is not defined"]


def test_a_window_built_on_another_has_the_keys_of_both() -> None:
    found = extract("SELECT sum(a) OVER v AS s FROM t WINDOW w AS (PARTITION BY b), v AS (w ORDER BY c)", NOTHING_KNOWN)
    assert lines(found) == {
        "s <- t.a window",
        "s <- t.b window",
        "s <- t.c window",
        "~ window t.b",
        "~ window t.c",
    }


def test_the_gap_is_at_the_line_of_the_column() -> None:
    (gap,) = extract("SELECT id,\n  status,\n  colour\nFROM lin.orders", KNOWN).gaps
    assert (gap.line, gap.reason) == (3, "column colour is not found in lin.orders")


DIALECTS = """
snowflake: SELECT f.value AS v, f.index AS i FROM t, LATERAL FLATTEN(input => t.x) f
v <- t.x generator, i <- t.x generator

bigquery: SELECT x, o FROM t, UNNEST(t.arr) AS x WITH OFFSET AS o
x <- t.arr generator, o <- t.arr generator

postgres: SELECT g FROM t, generate_series(1, t.n) g
g <- t.n generator

postgres: SELECT DISTINCT ON (a) b FROM t ORDER BY a, c
b <- t.b identity, ~ group_by t.a, ~ sort t.a, ~ sort t.c

tsql: SELECT n = a + 1, z.c FROM t OUTER APPLY (SELECT TOP 1 c FROM u WHERE u.id = t.id ORDER BY u.at) z
n <- t.a transformation, c <- u.c identity, ~ filter u.id, ~ filter t.id, ~ sort u.at

oracle: SELECT t.a, rownum AS n FROM t, u WHERE t.id = u.id(+)
a <- t.a identity, ~ filter t.id, ~ filter u.id

duckdb: FROM t SELECT a, {'k': b} AS s
a <- t.a identity, s <- t.b identity

duckdb: SELECT [x + a FOR x IN l IF x > b] AS r FROM t
r <- t.l transformation, r <- t.a transformation, r <- t.b transformation

trino: SELECT k, v FROM t CROSS JOIN UNNEST(t.m) AS u (k, v)
k <- t.m generator, v <- t.m generator

mysql: SELECT a, GROUP_CONCAT(b ORDER BY c SEPARATOR ';') AS g FROM t GROUP BY a WITH ROLLUP
a <- t.a identity, g <- t.b aggregation, g <- t.c aggregation, ~ group_by t.a

hive: FROM t MAP a, b USING 'job' AS x
x <- t.a unknown, x <- t.b unknown
"""


@pytest.mark.parametrize("case", DIALECTS.strip().split("\n\n"))
def test_dialects(case: str) -> None:
    head, expected = case.split("\n")
    dialect, _, query = head.partition(": ")
    found = extract(query, with_tables(u={"id": "", "c": "", "at": ""}), dialect)
    assert lines(found) == set(expected.split(", "))


def test_columns_of_duckdb_are_chosen_by_their_names() -> None:
    catalog = with_tables(t={"a1": "", "a2": "", "b": ""})
    found = extract("SELECT min(COLUMNS('a.*')), b FROM t", catalog, "duckdb")
    assert lines(found) == {"a1 <- t.a1 aggregation", "a2 <- t.a2 aggregation", "b <- t.b identity"}


def test_match_recognize_gives_its_keys_and_measures() -> None:
    query = (
        "SELECT * FROM lin.orders MATCH_RECOGNIZE (PARTITION BY status MEASURES a.qty AS q PATTERN (a) "
        "DEFINE a AS a.amount > 1)"
    )
    found = extract(query, KNOWN, "snowflake")
    expected = {"status <- lin.orders.status identity", "q <- lin.orders.qty window"}
    assert lines(found) == expected | {"~ window lin.orders.status", "~ filter lin.orders.amount"}


@pytest.mark.parametrize(
    "value",
    [
        " + ".join(["a"] * 1000),
        " || ".join(["a"] * 1000),
        "CASE WHEN " + " OR ".join(f"a = {number}" for number in range(600)) + " THEN 1 END",
        "f(" * 40 + "a" + ")" * 40,
        "(" * 40 + "a + 1" + ")" * 40,
    ],
    ids=["sum", "concatenation", "conditions", "calls", "brackets"],
)
def test_long_and_deep_expressions_are_read(value: str) -> None:
    found = extract(f"SELECT {value} AS x FROM t", NOTHING_KNOWN)
    assert {str(edge.source) for edge in found.edges} == {"t.a"}
    assert all(len(edge.expression) <= 4_000 for edge in found.edges)


@pytest.mark.slow
def test_a_long_chain_of_unions_is_read() -> None:
    found = extract(" UNION ALL ".join(f"SELECT a FROM t{number}" for number in range(100)), NOTHING_KNOWN)
    assert len(found.edges) == 100


def test_the_text_is_that_of_the_expression_without_its_alias() -> None:
    found = extract("SELECT coalesce(a, b) * 2 AS x, CASE WHEN c THEN cast(d AS INT) END AS y FROM t", NOTHING_KNOWN)
    assert {edge.expression for edge in found.edges if edge.target.column == "x"} == {"COALESCE(a, b) * 2"}
    assert {edge.expression for edge in found.edges if edge.target.column == "y"} == {
        "CASE WHEN c THEN CAST(d AS INT) END"
    }


@pytest.mark.parametrize(
    ("expression", "name"),
    [
        ("o.amount", "amount"),
        ("address.city", "city"),
        ("sum(o.amount)", "sum(amount)"),
        ("count(*)", "count(1)"),
        ("amount * 2", "(amount * 2)"),
        ("round(a / b, 2)", "round((a / b), 2)"),
        ("substr(s, 1, 20)", "substr(s, 1, 20)"),
        ("cast(a AS decimal(15, 4))", "a"),
        ("cast(a + 1 AS decimal(15, 4))", "CAST((a + 1) AS DECIMAL(15,4))"),
        ("a::string", "a"),
        ("int(t.a)", "a"),
        ("int(a + 1)", "(a + 1)"),
        ("case when a = 1 then b end", "CASE WHEN (a = 1) THEN b END"),
        ("count(DISTINCT a, b)", "count(DISTINCT a, b)"),
        ("date_trunc('day', x)", "date_trunc(day, x)"),
    ],
)
def test_a_column_without_an_alias_is_called_what_spark_calls_it(expression: str, name: str) -> None:
    tree = tree_of(f"SELECT {expression} FROM t", "spark")
    assert output_name(tree.expressions[0], "spark") == name


def test_expressions_over_a_relation_see_its_columns_by_their_owners() -> None:
    relation = Relation(
        (
            RelationColumn("id", copy_of("a", "id"), "l"),
            RelationColumn("id", copy_of("b", "id"), "r"),
            RelationColumn("x", copy_of("b", "x"), "r"),
        )
    )
    around = Surroundings(NOTHING_KNOWN)
    scope = QueryScope.of(relation, around)
    tree = tree_of("SELECT l.id + r.x, x", "spark")
    values = [value_of_expression(one, scope) for one in tree.expressions]
    assert [{str(source) for source in value.sources} for value in values] == [{"a.id", "b.x"}, {"b.x"}]
    value_of_expression(tree_of("SELECT id", "spark").expressions[0], scope)
    assert "may be from" in around.gaps[0].reason


def test_expressions_over_an_unknown_relation() -> None:
    around = Surroundings(NOTHING_KNOWN)
    scope = QueryScope.of(relation_of("raw.t", None), around)
    value = value_of_expression(tree_of("SELECT upper(a) IN (SELECT b FROM u)", "spark").expressions[0], scope)
    assert {str(source) for source in value.sources} == {"raw.t.a", "u.b"}
    assert scope.reads == {"raw.t", "u"}

"""SQL as the query builder shows it and back: nothing is changed on the way, and what is not shown is named."""

from __future__ import annotations

import pytest
from each_case import each_case
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlglot.dialects.spark import Spark

from forge.federation.builder.compose import compose
from forge.federation.builder.outline import NotShown, outline
from forge.federation.builder.query import (
    BuilderQuery,
    Connective,
    Filter,
    Order,
    OutputTerm,
    Pair,
    Table,
    Term,
    TermCondition,
    Value,
    is_name,
)
from forge.transforms.sql_parse import parse_query

HOSTILE = (
    *(
        "it's",
        '"',
        "`",
        "\\",
        "\\'",
        "\\\\",
        "''",
        "' OR '1'='1' --",
        "a\nb",
        "\r\n\t",
        "*/",
        "/*",
        "--",
        ";",
        ":x",
        "%_\\%",
    ),
    *(
        "\\n",
        "\\u0041",
        "\\101",
        "${env:HOME}",
        "é",
        "ß",
        "日本",
        "😀",
        "\u202e",
        "\u2028",
        "\ufeff",
        "",
        " ",
        "NULL",
        "r'x'",
    ),
)
WORDS = tuple(word for word in Spark.Tokenizer.KEYWORDS if word.isidentifier())

names = st.one_of(
    st.sampled_from([*WORDS, *(word.lower() for word in WORDS)]),
    st.sampled_from([one for one in HOSTILE if is_name(one)]),
    st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=8),
)
maybe = st.one_of(st.just(""), names)
columns = st.builds(Term, names, maybe)
terms = st.one_of(
    columns,
    st.just(Term(aggregate="count")),
    st.builds(Term, names, maybe, st.sampled_from(["count", "count_distinct", "sum", "avg", "min", "max"])),
)
texts = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=12)).map(
    lambda text: Value("text", text)
)
values = st.one_of(
    texts,
    st.integers(-(10**20), 10**20).map(lambda number: Value("number", str(number))),
    st.decimals(-1000, 1000, places=3).map(lambda number: Value("number", f"{number:f}")),
    st.sampled_from(["1e3", "2.5E-7", "-1e10", "007"]).map(lambda number: Value("number", number)),
    st.booleans().map(lambda flag: Value("boolean", str(flag).lower())),
    st.dates().map(lambda day: Value("date", day.isoformat())),
    st.datetimes().map(lambda time: Value("timestamp", time.isoformat(sep=" "))),
    st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,8}", fullmatch=True).map(lambda name: Value("parameter", name)),
)
tests = st.one_of(
    st.builds(
        TermCondition,
        terms,
        st.sampled_from(["=", "<>", "<", "<=", ">", ">=", "like", "not like"]),
        st.tuples(values),
    ),
    st.builds(TermCondition, terms, st.sampled_from(["between", "not between"]), st.tuples(values, values)),
    st.builds(
        TermCondition, terms, st.sampled_from(["in", "not in"]), st.lists(values, min_size=1, max_size=4).map(tuple)
    ),
    st.builds(TermCondition, terms, st.sampled_from(["is null", "is not null"])),
)


def _normal(filter_: Filter) -> Filter:
    """One group of several tests says the same as several groups of one."""
    if len(filter_.groups) > 1:
        return filter_
    alone = tuple((one,) for group in filter_.groups for one in group)
    other: Connective = "or" if filter_.connective == "and" else "and"
    return Filter(other if len(alone) > 1 else "and", alone)


groups = st.lists(st.lists(tests, min_size=1, max_size=3).map(tuple), max_size=3).map(tuple)
filters = st.builds(Filter, st.sampled_from(["and", "or"]), groups).map(_normal)
paths = st.lists(names, min_size=1, max_size=3).map(tuple)
joined = st.builds(
    Table,
    paths,
    maybe,
    st.sampled_from(["inner", "left", "right", "full"]),
    st.lists(st.builds(Pair, columns, columns), min_size=1, max_size=3).map(tuple),
)


def _is_all(term: Term) -> bool:
    """sqlglot reads ORDER BY `ALL`, and t.`ALL`, as ORDER BY ALL."""
    return term.aggregate is None and "ALL" in (term.table.upper(), term.column.upper())


queries = st.builds(
    BuilderQuery,
    tables=st.builds(lambda first, rest: (first, *rest), st.builds(Table, paths, maybe), st.lists(joined, max_size=3)),
    columns=st.lists(st.builds(OutputTerm, terms, maybe), max_size=4).map(tuple),
    distinct=st.booleans(),
    where=filters,
    group_by=st.lists(columns, max_size=3).map(tuple),
    having=filters,
    order_by=st.lists(st.builds(Order, terms.filter(lambda term: not _is_all(term)), st.booleans()), max_size=3).map(
        tuple
    ),
    limit=st.one_of(st.none(), st.integers(0, 999_999_999)),
)


@pytest.mark.slow
@settings(max_examples=100, deadline=None)
@given(queries)
def test_a_query_is_the_same_after_it_was_written_and_read(query: BuilderQuery) -> None:
    assert outline(parse_query(compose(query), "query").tree) == query


@pytest.mark.slow
@each_case([*WORDS, *HOSTILE], lambda word: repr(word))
def test_a_word_can_be_any_name_and_any_value(word: str) -> None:
    name = word if is_name(word) else "x"
    query = BuilderQuery(
        tables=(Table((name, name), name),),
        columns=(
            OutputTerm(Term(name, name), name),
            OutputTerm(Term(name)),
            OutputTerm(Term(name, "", "sum")),
        ),
        where=Filter(
            "and", ((TermCondition(Term(name), "in", (Value("text", word), Value("text", "x" + word + "1"))),),)
        ),
        group_by=(Term(name),),
    )
    assert outline(parse_query(compose(query), "query").tree) == query


NOT_SHOWN = {
    "SELECT * FROM (SELECT 1) x": ("a subquery in FROM", None),
    "SELECT a.x FROM b.a\nJOIN b.c USING (x)": ("USING", "2:17"),
    "SELECT * FROM a.b, c.d": ("CROSS JOIN, or a comma in FROM", "1:20"),
    "SELECT * FROM a.b LEFT SEMI JOIN c.d ON b.x = d.x": ("LEFT SEMI JOIN", "1:34"),
    "SELECT * FROM a.b NATURAL JOIN c.d": ("NATURAL JOIN", "1:32"),
    "SELECT * FROM a.b JOIN c.d": ("a join without ON", "1:24"),
    "SELECT * FROM a.b JOIN c.d ON b.x < d.x": ("a join on something else than equal columns", "1:31"),
    "SELECT * FROM a.b JOIN c.d ON b.x = d.x OR b.y = d.y": ("a join on something else than equal columns", "1:31"),
    "WITH x AS (SELECT 1) SELECT * FROM x": ("WITH", "1:6"),
    "SELECT /*+ BROADCAST(b) */ * FROM a.b": ("a hint", "1:12"),
    "SELECT 1": ("a query without FROM", None),
    "SELECT 1 FROM a.b": ("an expression, `1`", None),
    "SELECT x FROM a.b UNION SELECT y FROM c.d": ("UNION of two queries", "1:32"),
    "VALUES (1)": ("a query without SELECT", "1:9"),
    "(SELECT x FROM a.b)": ("a query in parentheses", "1:9"),
    "SELECT x FROM a.b LIMIT 5, 10": ("OFFSET", None),
    "SELECT * FROM a.b WHERE x = CAST('2026-11-19' AS DATE FORMAT 'yyyy')": ("a value that is no plain literal", None),
    "SELECT * FROM a.b WHERE x = ?": ("a value that is no plain literal", None),
    "SELECT *, x FROM a.b": ("a * that is not alone", "1:8"),
    "SELECT * EXCEPT (x) FROM a.b": ("a * that is not alone", "1:8"),
    "SELECT b.* FROM a.b": ("all columns of a table, `b.*`", "1:8"),
    "SELECT a.b.x FROM a.b": ("a column by a name of more than two parts, `a.b.x`", "1:8"),
    "SELECT x,\n  upper(y) AS z FROM a.b": ("an expression, `UPPER(y)`", "2:3"),
    "SELECT sum(x) OVER (ORDER BY y) FROM a.b": ("a window function", "1:8"),
    "SELECT (SELECT 1) FROM a.b": ("a subquery", None),
    "SELECT sum(DISTINCT x) FROM a.b": ("an aggregate of something else than a column, `SUM(DISTINCT x)`", "1:8"),
    "SELECT sum(x) FILTER (WHERE y) FROM a.b": ("an expression, `SUM(x) FILTER(WHERE y)`", "1:8"),
    "SELECT count(1) FROM a.b": ("an aggregate of something else than a column, `COUNT(1)`", "1:8"),
    "SELECT count(DISTINCT x, y) FROM a.b": (
        "an aggregate of something else than a column, `COUNT(DISTINCT x, y)`",
        "1:8",
    ),
    "SELECT DISTINCT ON (x) y FROM a.b": ("DISTINCT ON", "1:21"),
    "SELECT * FROM a.b WHERE x = y": ("a comparison with another column, `y`", "1:29"),
    "SELECT * FROM a.b WHERE 1 = x": ("an expression, `1`", None),
    "SELECT * FROM a.b WHERE x": ("a condition, `x`", "1:25"),
    "SELECT * FROM a.b WHERE NOT x = 1": ("NOT of a comparison, `NOT x = 1`", "1:29"),
    "SELECT * FROM a.b WHERE x IN (SELECT 1)": ("a subquery in IN", "1:25"),
    "SELECT * FROM a.b WHERE EXISTS (SELECT 1)": ("EXISTS", None),
    "SELECT * FROM a.b WHERE x = 1 AND (y = 2 OR (z = 3 AND z = 4))": ("AND and OR nested more than once", "1:46"),
    "SELECT * FROM a.b WHERE x <=> 1": ("a condition, `x IS NOT DISTINCT FROM 1`", "1:25"),
    "SELECT * FROM a.b WHERE x LIKE 'a' ESCAPE '/'": ("a condition, `x LIKE 'a' ESCAPE '/'`", "1:25"),
    "SELECT * FROM a.b WHERE x = 5L": ("a value that is no plain literal, `CAST(5 AS BIGINT)`", None),
    "SELECT * FROM a.b WHERE x = DATE '2026-02-30'": ("a value that is no plain literal", None),
    "SELECT * FROM a.b WHERE x = '\\001'": ("a value that is no plain literal", None),
    "SELECT * FROM a.b WHERE x = current_date": ("a value that is no plain literal", None),
    "SELECT * FROM a.b WHERE x BETWEEN SYMMETRIC 1 AND 2": ("BETWEEN SYMMETRIC", None),
    "SELECT x FROM a.b GROUP BY ALL": ("GROUP BY ALL, CUBE, ROLLUP or GROUPING SETS", None),
    "SELECT x FROM a.b GROUP BY ROLLUP (x)": ("an expression, `ROLLUP (x)`", "1:36"),
    "SELECT x FROM a.b GROUP BY 2": ("an expression, `2`", None),
    "SELECT x FROM a.b ORDER BY x NULLS LAST": ("NULLS FIRST or NULLS LAST", "1:28"),
    "SELECT x FROM a.b SORT BY x": ("SORT BY", "1:27"),
    "SELECT x FROM a.b LIMIT :n": ("a LIMIT that is no whole number", None),
    "SELECT x FROM a.b LIMIT 1 OFFSET 2": ("OFFSET", None),
    "SELECT x FROM a.b TABLESAMPLE (5 PERCENT)": ("a table with a version, sample or other clause", None),
    "SELECT x FROM a.b VERSION AS OF 1": ("a table with a version, sample or other clause", None),
    "SELECT x FROM a.b t(u, v)": ("an alias that names columns", "1:21"),
    "SELECT x FROM range(3)": ("something else than a table in FROM", "1:15"),
    "SELECT x FROM a.b.c.d": ("a table by a name of more than three parts", "1:15"),
    "SELECT x FROM a.b LATERAL VIEW explode(y) t AS z": ("LATERAL VIEW", None),
    "SELECT x FROM a.b PIVOT (sum(y) FOR z IN (1))": ("a table with a version, sample or other clause", None),
    f"SELECT {'+'.join('1' * 9000)} FROM a.b": ("an expression", None),
}


@pytest.mark.slow
@each_case(NOT_SHOWN)
def test_what_is_not_shown_is_named_with_its_place(sql: str) -> None:
    parsed = parse_query(sql, "q")
    found = outline(parsed.tree)
    assert isinstance(found, NotShown), found
    what, place = NOT_SHOWN[sql]
    assert found.what.startswith(what), found
    if place is not None:
        assert found.offset is not None
        assert parsed.where(found.offset) == f"q:{place}"


SAME = {
    "TABLE a.b;": "SELECT\n  *\nFROM a.b",
    "from a.b select x": "SELECT\n  x\nFROM a.b",
    "SELECT ALL x AS y FROM a.b AS t": "SELECT\n  x AS y\nFROM a.b AS t",
    "SELECT city, count(*) FROM a.b GROUP BY 1 ORDER BY 2 DESC": "SELECT\n  city,\n  COUNT(*)\nFROM a.b\nGROUP BY\n"
    "  city\nORDER BY\n  COUNT(*) DESC",
    "SELECT * FROM a.b LEFT OUTER JOIN c.d ON (b.x = d.x) AND b.y = d.y": "SELECT\n  *\nFROM a.b\nLEFT JOIN c.d\n"
    "  ON b.x = d.x AND b.y = d.y",
    "SELECT * FROM a.b WHERE ((x = 1) AND (y = 'it''s' or y is not null)) AND z != 2": "SELECT\n  *\nFROM a.b\nWHERE\n"
    "  x = 1 AND (\n    y = 'it\\'s' OR NOT y IS NULL\n  ) AND z <> 2",
    "SELECT * FROM a.b WHERE x = 1 AND y = 2 OR z = 3": "SELECT\n  *\nFROM a.b\nWHERE\n  (\n"
    "    x = 1 AND y = 2\n  ) OR z = 3",
    "SELECT * FROM a.b WHERE x >= DATE'2026-11-19' AND not y between -1 and 2.50": "SELECT\n  *\nFROM a.b\nWHERE\n"
    "  x >= CAST('2026-11-19' AS DATE) AND NOT y BETWEEN -1 AND 2.50",
}


@each_case(SAME)
def test_what_is_written_otherwise_means_the_same(sql: str) -> None:
    found = outline(parse_query(sql, "q").tree)
    assert isinstance(found, BuilderQuery), found
    assert compose(found) == SAME[sql]

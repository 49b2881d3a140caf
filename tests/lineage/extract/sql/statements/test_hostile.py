"""Whatever a file holds, it is read to its end, and what is not understood is told with its line."""

from __future__ import annotations

import pytest
from sql_scripts import edges, gaps, program, tables

GOOD = "CREATE TABLE r AS SELECT a FROM s"


@pytest.mark.parametrize("text", ["", "  \n\t", ";;;", "-- only this", "/* and\n this */"])
def test_nothing_gives_nothing(text: str) -> None:
    read = program(text)
    assert (read.steps, read.gaps, read.statements) == ((), (), 0)


def test_a_file_that_is_no_text_is_one_gap() -> None:
    assert gaps("SELECT \0 FROM s") == ["1: this is not text"]


def test_a_file_that_is_too_large_is_one_gap() -> None:
    assert gaps("x" * 10_000_001) == ["1: the text has 10,000,001 characters; at most 10,000,000 are read"]


def test_ten_thousand_parentheses_hide_nothing_else() -> None:
    text = f"SELECT {'(' * 10_000}1{')' * 10_000};\n{GOOD}"
    assert edges(text) == {"s.a -> r.a", "gap 1: parentheses are 10000 deep; at most 400 are read"}


def test_parentheses_that_are_deep_but_not_too_deep_are_read() -> None:
    assert edges(f"CREATE TABLE r AS SELECT {'(' * 200}a{')' * 200} AS a FROM s") == {"s.a -> r.a"}


@pytest.mark.parametrize(
    "text",
    [
        f"CREATE TABLE x AS SELECT {'[' * 900}1{']' * 900} AS b",
        f"CREATE TABLE x (a {'ARRAY<' * 3000}INT{'>' * 3000})",
        f"CREATE TABLE x AS SELECT {'CASE WHEN b THEN 1 ELSE ' * 400}0{' END' * 400} AS c FROM y",
    ],
)
def test_no_nesting_breaks_the_reader(text: str) -> None:
    assert "s.a -> r.a" in edges(f"{GOOD};{text}", "duckdb")


def test_a_quote_that_is_not_closed_loses_only_what_follows_it() -> None:
    assert edges(f"{GOOD};\n\nSELECT 'abc;\nSELECT 1") == {"s.a -> r.a", "gap 3: a quote or a comment is not closed"}


def test_a_statement_that_cannot_be_parsed_keeps_its_table_edges() -> None:
    text = "INSERT INTO t SELECT a b c FROM s JOIN u ON s.id = u.id WHERE"
    assert tables(text) == {"s -> t", "u -> t"}
    assert len(gaps(text)) == 1


def test_a_cte_of_a_statement_that_cannot_be_parsed_is_no_table() -> None:
    assert tables("WITH c AS (SELECT * FROM s) INSERT INTO t SELECT a b c FROM c JOIN u ON") == {"s -> t", "u -> t"}


def test_a_condition_that_never_ends_is_told() -> None:
    assert gaps(f"IF x > 1;\n{GOOD}") != []
    assert "s.a -> r.a" in edges(f"IF x > 1;\n{GOOD}")


def test_an_own_fault_is_a_gap_of_its_statement(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("oh")

    monkeypatch.setattr("forge.lineage.extract.sql.session.run_tree", broken)
    assert gaps(f"SELECT 1;\n{GOOD}") == [
        "1: it could not be read: ZeroDivisionError: oh",
        "2: it could not be read: ZeroDivisionError: oh",
    ]


def test_statements_are_counted_with_those_understood_and_those_that_only_ask() -> None:
    read = program(f"SELECT 1; {GOOD}; FROB x y z; SHOW TABLES; INSERT INTO t SELECT * FROM nobody")
    assert (read.statements, read.understood, read.queries) == (5, 3, 1)


@pytest.mark.parametrize(
    "text",
    [
        "EXPLAIN SELECT * FROM s",
        "ANALYZE TABLE s COMPUTE STATISTICS",
        "OPTIMIZE s ZORDER BY (a)",
        "VACUUM s RETAIN 0 HOURS",
        "GRANT SELECT ON s TO me",
        "SHOW TABLES",
        "DESCRIBE EXTENDED s",
        "MSCK REPAIR TABLE s",
        "REFRESH TABLE s",
        "SET spark.sql.x = 1",
        "RESET",
        "CREATE DATABASE x",
        "COMMENT ON TABLE s IS 'x'",
        "DROP TABLE IF EXISTS zz",
        "ALTER TABLE s SET TBLPROPERTIES ('a' = 'b')",
        "ADD JAR '/x.jar'",
        "UNCACHE TABLE s",
        "CLEAR CACHE",
    ],
)
def test_what_moves_no_data_is_understood_and_gives_nothing(text: str) -> None:
    read = program(text)
    assert (read.steps, read.gaps, read.understood) == ((), (), 1)

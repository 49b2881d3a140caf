"""CREATE TABLE and ALTER TABLE as definitions."""

from __future__ import annotations

import pytest
from sql_scripts import edges, program

from forge.lineage.extract.definition import ForeignKeyDefinition, TableDefinition


def defined(script: str, dialect: str = "spark") -> dict[str, TableDefinition]:
    return {one.name: one for one in program(script, dialect, {}).definitions}


def columns(definition: TableDefinition) -> list[str]:
    return [f"{one.name} {one.type}{'' if one.nullable else '!'}" for one in definition.columns]


def test_types_are_written_as_spark_writes_them() -> None:
    script = """CREATE TABLE w (a INT NOT NULL COMMENT 'x', b STRUCT<homeCity: STRING, d: ARRAY<DECIMAL(10, 2)>>,
    m MAP<STRING, BIGINT>, p VARCHAR(10) DEFAULT 'x') USING iceberg PARTITIONED BY (days(p), bucket(4, a))"""
    expected = ["a int!", "b struct<homeCity:string,d:array<decimal(10,2)>>", "m map<string,bigint>", "p varchar(10)"]
    assert columns(defined(script)["w"]) == expected


@pytest.mark.parametrize(
    ("dialect", "script", "expected"),
    [
        (
            "postgres",
            "CREATE TABLE w (a serial, b text, c timestamptz, d double precision)",
            "int string timestamp double",
        ),
        ("snowflake", "CREATE TABLE w (a NUMBER(38,0), b VARCHAR, c BOOLEAN)", "decimal(38,0) string boolean"),
        ("bigquery", "CREATE TABLE w (a INT64, b STRUCT<x STRING>, c NUMERIC)", "bigint struct<x:string> decimal"),
        ("oracle", "CREATE TABLE w (a NUMBER(10), b VARCHAR2(20), c DATE)", "decimal(10) varchar(20) date"),
    ],
)
def test_types_of_other_dialects_are_written_as_spark_writes_them(dialect: str, script: str, expected: str) -> None:
    assert " ".join(one.type for one in defined(script, dialect)["w"].columns) == expected


def test_keys_are_found_inline_as_constraints_and_added_later() -> None:
    script = """CREATE TABLE w (a int PRIMARY KEY, b int REFERENCES u (x), c int, d int,
      CONSTRAINT f FOREIGN KEY (c, d) REFERENCES z (e, g));
    CREATE TABLE v (a int, b int, PRIMARY KEY (a));
    ALTER TABLE v ADD CONSTRAINT k FOREIGN KEY (b) REFERENCES w (a);"""
    found = defined(script, "postgres")
    assert found["w"].primary_key == ("a",)
    assert found["w"].foreign_keys == (
        ForeignKeyDefinition(("b",), "u", ("x",)),
        ForeignKeyDefinition(("c", "d"), "z", ("e", "g")),
    )
    assert found["v"].primary_key == ("a",)
    assert found["v"].foreign_keys == (ForeignKeyDefinition(("b",), "w", ("a",)),)
    assert columns(found["v"])[0] == "a int!"


def test_partition_columns_of_hive_are_the_last() -> None:
    script = "CREATE EXTERNAL TABLE w (a INT) PARTITIONED BY (day STRING, hour INT) STORED AS ORC LOCATION '/x'"
    assert columns(defined(script, "hive")["w"]) == ["a int", "day string", "hour int"]


def test_what_alter_does_is_in_the_definition() -> None:
    script = """CREATE TABLE w (a INT, b INT, c INT);
    ALTER TABLE w ADD COLUMNS (d STRING);
    ALTER TABLE w DROP COLUMNS (b, c);
    ALTER TABLE w RENAME COLUMN a TO e;
    ALTER TABLE w ALTER COLUMN e TYPE BIGINT;
    ALTER TABLE w CHANGE COLUMN d f STRING;"""
    assert columns(defined(script)["w"]) == ["e bigint", "f string"]


def test_columns_replaced_are_the_only_ones_left() -> None:
    script = "CREATE TABLE w (a INT, b INT); ALTER TABLE w REPLACE COLUMNS (x STRING)"
    assert columns(defined(script, "hive")["w"]) == ["x string"]


def test_a_statement_sees_the_columns_that_the_table_has_at_that_point() -> None:
    script = """CREATE TABLE w (a int, b int, c int);
    ALTER TABLE w DROP COLUMN b;
    INSERT INTO w SELECT id, a FROM s;
    ALTER TABLE w ADD COLUMN d int;
    INSERT INTO w SELECT id, a, a FROM s;"""
    assert edges(script) == {"s.id -> w.a", "s.a -> w.c", "s.a -> w.d"}


def test_a_definition_further_down_helps_the_statements_before_it() -> None:
    script = "INSERT INTO w SELECT id, b FROM s; CREATE TABLE w (k int, v string)"
    assert edges(script) == {"s.id -> w.k", "s.b -> w.v"}


def test_a_query_that_makes_a_table_defines_it() -> None:
    made = {one.name: one for one in program("CREATE VIEW v (k, l) AS SELECT id, upper(b) FROM s").definitions}
    assert (made["v"].kind, made["v"].inferred, columns(made["v"])) == ("view", True, ["k int", "l "])


def test_a_table_like_another_has_its_columns() -> None:
    script = "CREATE TABLE x (a int, b text); CREATE TABLE y (LIKE x INCLUDING ALL, c int)"
    assert columns(defined(script, "postgres")["y"]) == ["a int", "b string", "c int"]


def test_temporary_tables_are_nobodys_definition() -> None:
    assert defined("CREATE TEMP TABLE w (a int); CREATE TABLE #v (a int)", "tsql") == {}


def test_names_are_completed_by_the_schema_in_use() -> None:
    script = "USE lab; CREATE TABLE w (a INT); INSERT INTO w SELECT id FROM other.x"
    assert set(defined(script)) == {"lab.w"}
    assert edges(script, tables={}) == {"other.x.id -> lab.w.a"}

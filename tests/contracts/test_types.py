"""One grammar of types: the words of Spark, Iceberg and SQL, and which type readers of another one can take."""

from __future__ import annotations

import pytest

from forge.contracts.types import (
    Field,
    Type,
    holds,
    iceberg_text,
    is_promotion,
    logical_of,
    normal_type,
    parse_type,
    same_type,
)


@pytest.mark.parametrize(
    ("written", "normal"),
    [
        ("INT", "int"),
        ("integer", "int"),
        ("long", "bigint"),
        ("int8", "bigint"),
        ("NUMERIC( 12 , 2 )", "decimal(12,2)"),
        ("decimal(9)", "decimal(9,0)"),
        ("DEC", "decimal(10,0)"),
        ("number", "decimal(38,0)"),
        ("double  precision", "double"),
        ("character varying(20)", "varchar(20)"),
        ("varchar", "string"),
        ("varchar(max)", "string"),
        ("char", "char(1)"),
        ("text[]", "array<string>"),
        ("int[][]", "array<array<int>>"),
        ("list<long>", "array<bigint>"),
        ("map<string, integer>", "map<string,int>"),
        ("ROW(a int, b varchar(3) not null)", "struct<a:int,b:varchar(3)>"),
        ("STRUCT<A: INT, B: STRUCT<C: LONG>>", "struct<a:int,b:struct<c:bigint>>"),
        ("struct<1: a: required int, 2: b: optional list<long>>", "struct<a:int,b:array<bigint>>"),
        ("struct<order no:int>", "struct<order no:int>"),
        ("struct<`a:b`:int COMMENT 'x, y>'>", "struct<`a:b`:int>"),
        ("struct<>", "struct<>"),
        ("decimal(12,2) not null", "decimal(12,2)"),
        ("timestamp(6) with time zone", "timestamp(6)"),
        ("interval day to second", "interval day to second"),
        ("Geography", "geography"),
    ],
)
def test_a_type_has_one_spelling(written: str, normal: str) -> None:
    assert normal_type(written) == normal
    assert normal_type(normal) == normal


@pytest.mark.parametrize(
    "text", ["", "<", "array<", "array<int", "map<int>", "decimal(12,2", "struct<a>", "array<int>>", "decimal(x)", "[]"]
)
def test_what_is_no_type_equals_itself_only(text: str) -> None:
    assert parse_type(text) == Type(text.lower())
    assert same_type(text, text)
    assert not same_type(text, "int")


def test_a_type_deeper_than_any_table_is_not_understood() -> None:
    deep = "array<" * 5000 + "int" + ">" * 5000
    assert parse_type(deep).name == deep


def test_a_struct_says_which_fields_may_be_null() -> None:
    struct = parse_type("struct<a: int not null, `B`: string>")
    assert struct.fields == (Field("a", Type("int"), nullable=False), Field("B", Type("string")))
    assert struct.get("b") == struct.fields[1]
    assert struct.get("c") is None


def test_the_order_and_case_of_fields_make_no_difference() -> None:
    assert same_type("struct<a:int,b:string>", "STRUCT<B: string, A: integer>")
    assert not same_type("struct<a:int>", "struct<a:int,b:int>")
    assert not is_promotion("struct<a:int,b:string>", "struct<b:string,a:int>")


PROMOTIONS = [
    ("tinyint", "smallint"),
    ("int", "long"),
    ("INT", "bigint"),
    ("smallint", "bigint"),
    ("float", "double"),
    ("decimal(10,2)", "decimal(12,2)"),
    ("varchar(10)", "varchar(20)"),
    ("varchar(10)", "string"),
    ("array<int>", "array<bigint>"),
    ("map<string,float>", "map<string,double>"),
    ("struct<a:int>", "struct<b:string,a:bigint>"),
    ("array<struct<a:decimal(5,1)>>", "array<struct<a:decimal(6,1)>>"),
]


@pytest.mark.parametrize(("old", "new"), PROMOTIONS)
def test_a_wider_type_is_a_promotion_and_the_way_back_is_none(old: str, new: str) -> None:
    assert is_promotion(old, new)
    assert not is_promotion(new, old)
    assert not is_promotion(old, old)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("decimal(10,2)", "decimal(12,4)"),  # every value fits, but sums and texts of readers change
        ("decimal(10,2)", "decimal(10,1)"),
        ("int", "double"),
        ("bigint", "decimal(20,0)"),
        ("int", "string"),
        ("date", "timestamp"),
        ("timestamp", "timestamp_ntz"),
        ("char(2)", "char(3)"),
        ("string", "binary"),
        ("array<int>", "int"),
        ("struct<a:int,b:int>", "struct<a:bigint>"),
        ("map<string,int>", "map<string,string>"),
        ("jsonb", "json"),
    ],
)
def test_what_readers_would_notice_is_no_promotion(old: str, new: str) -> None:
    assert not is_promotion(old, new)


def test_a_promotion_holds_along_a_chain() -> None:
    chain = ["tinyint", "smallint", "int", "bigint"]
    for start, old in enumerate(chain):
        for new in chain[start + 1 :]:
            assert is_promotion(old, new)


@pytest.mark.parametrize(
    ("actual", "logical"),
    [
        ("bigint", "integer"),
        ("decimal(12,2)", "number"),
        ("varchar(3)", "string"),
        ("timestamp_ntz", "timestamp"),
        ("struct<a:int>", "object"),
        ("map<string,int>", "map"),
        ("array<float>", "array"),
        ("void", None),
    ],
)
def test_a_type_has_a_word_in_the_standard(actual: str, logical: str | None) -> None:
    assert logical_of(actual) == logical
    assert logical is None or holds(logical, actual)


@pytest.mark.parametrize(
    ("spark", "iceberg"),
    [
        ("bigint", "long"),
        ("smallint", "int"),
        ("timestamp", "timestamptz"),
        ("timestamp_ntz", "timestamp"),
        ("decimal(12,2)", "decimal(12, 2)"),
        ("array<bigint>", "list<long>"),
        ("struct<a:int,b:map<string,bigint>>", "struct<a: int, b: map<string, long>>"),
    ],
)
def test_iceberg_has_words_of_its_own(spark: str, iceberg: str) -> None:
    assert iceberg_text(spark) == iceberg

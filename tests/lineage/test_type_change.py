from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forge.lineage.type_change import TypeChange, casts_in, classify, still_meets

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WIDER = [
    ("tinyint", "smallint"), ("smallint", "int"), ("int", "bigint"), ("tinyint", "bigint"),
    ("int", "double"), ("smallint", "float"), ("float", "double"),
    ("int", "decimal(10,0)"), ("int", "decimal(12,2)"), ("bigint", "decimal(20,0)"), ("tinyint", "decimal(3,0)"),
    ("decimal(10,2)", "decimal(12,2)"), ("decimal(10,2)", "decimal(12,4)"), ("decimal(9,0)", "int"),
    ("decimal(18,0)", "bigint"),
    ("date", "timestamp"), ("date", "timestamp_ntz"),
    ("array<int>", "array<bigint>"), ("map<string,int>", "map<string,bigint>"),
    ("struct<a:int,b:float>", "struct<a:bigint,b:double>"),
    ("array<struct<a:date>>", "array<struct<a:timestamp>>"),
]  # fmt: skip
WIDER_OF_TEXT = [  # Spark has no length in its own types
    ("varchar(10)", "varchar(20)"), ("varchar(10)", "string"), ("char(5)", "varchar(5)"), ("char(5)", "string"),
    ("char(5)", "char(9)"), ("varchar(5)", "text"),
]  # fmt: skip
WIDER_OF_FIELDS = [("struct<a:int>", "struct<a:int,b:string>"), ("struct<a:int>", "struct<b:int,a:bigint>")]
UNRELATED = [
    ("int", "string"), ("string", "int"), ("int", "boolean"), ("bigint", "double"), ("int", "float"),
    ("decimal(10,2)", "decimal(10,4)"), ("decimal(10,2)", "double"), ("timestamp", "timestamp_ntz"),
    ("int", "date"), ("array<int>", "int"), ("array<int>", "map<int,int>"), ("array<int>", "array<string>"),
    ("struct<a:int>", "struct<b:int>"), ("struct<a:int,b:int>", "struct<a:bigint,b:smallint>"),
    ("decimal(9,1)", "int"), ("varchar(5)", "char(9)"), ("binary", "string"), ("hllsketch", "int"),
    ("hllsketch", "thetasketch"), ("", "int"), ("array<int", "array<bigint"), ("map<int>", "map<bigint>"),
]  # fmt: skip
SAME = [
    ("int", "INTEGER"), ("bigint", " Long "), ("decimal(12,2)", "NUMERIC( 12 , 2 )"), ("decimal", "decimal(10,0)"),
    ("decimal(5)", "decimal(5,0)"), ("double", "double  precision"), ("varchar(10)", "character varying(10)"),
    ("string", "TEXT"), ("string", "varchar"), ("boolean", "bool"), ("timestamp", "timestamp with time zone"),
    ("timestamp_ntz", "timestamp without time zone"), ("array<int>", "ARRAY < INTEGER >"), ("int[]", "array<int>"),
    ("struct<a:int,b:string>", "STRUCT<A: INT, `b`: STRING>"), ("struct<a:int>", "struct<a int not null>"),
    ("struct<a:int,b:string>", "struct<b:string,a:int>"), ("map<string,decimal(4,2)>", "map<text, dec(4, 2)>"),
    ("hllsketch", "HllSketch"), ("struct<a:int>", "struct<a:int comment 'of x, y'>"), ("timestamp(6)", "timestamp"),
]  # fmt: skip


def ids(pair: object) -> str:
    return str(pair)


@pytest.mark.parametrize(("old", "new"), [*WIDER, *WIDER_OF_TEXT, *WIDER_OF_FIELDS], ids=ids)
def test_a_type_that_holds_every_value_is_wider_and_the_way_back_narrower(old: str, new: str) -> None:
    assert classify(old, new) is TypeChange.WIDENING
    assert classify(new, old) is TypeChange.NARROWING


@pytest.mark.parametrize(("old", "new"), UNRELATED, ids=ids)
def test_types_of_which_neither_holds_the_other_are_unrelated(old: str, new: str) -> None:
    assert classify(old, new) is TypeChange.UNRELATED
    assert classify(new, old) is TypeChange.UNRELATED


@pytest.mark.parametrize(("old", "new"), SAME, ids=ids)
def test_spellings_of_one_type_are_the_same(old: str, new: str) -> None:
    assert classify(old, new) is TypeChange.SAME
    assert classify(new, old) is TypeChange.SAME


OPPOSITE = {TypeChange.WIDENING: TypeChange.NARROWING, TypeChange.NARROWING: TypeChange.WIDENING}
SIMPLE = st.sampled_from(sorted({name for pair in (*WIDER, *WIDER_OF_TEXT, *UNRELATED, *SAME) for name in pair}))


@given(SIMPLE, SIMPLE, SIMPLE)
def test_wider_than_wider_is_wider(a: str, b: str, c: str) -> None:
    held = (TypeChange.WIDENING, TypeChange.SAME)
    assert classify(b, a) is OPPOSITE.get(classify(a, b), classify(a, b))
    if classify(a, b) in held and classify(b, c) in held:
        assert classify(a, c) in held


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_is_answered(old: str, new: str) -> None:
    assert classify(old, old) is TypeChange.SAME
    assert classify(old, new) in TypeChange


@pytest.mark.parametrize(
    ("old", "new", "meets"),
    [
        ("int", "bigint", True),
        ("decimal(10,2)", "decimal(12,2)", True),
        ("varchar(5)", "string", True),
        ("float", "double", False),
        ("date", "timestamp", False),
    ],
    ids=ids,
)
def test_a_wider_join_key_still_meets_the_old_one(old: str, new: str, meets: bool) -> None:
    assert still_meets(old, new) is meets


@pytest.mark.parametrize(
    ("expression", "types"),
    [
        ("CAST(a AS INT)", ("INT",)),
        ("sum(cast(a as decimal(12, 2)))", ("decimal(12, 2)",)),
        ("try_cast(a as double precision)", ("double precision",)),
        ("a::bigint + b::numeric(4,1)", ("bigint", "numeric(4,1)")),
        ("cast(a as array<int>)", ("array<int>",)),
        ("a AS b", ()),
        ("SUM(a)", ()),
        ("broadcast_as(x)", ()),
    ],
    ids=ids,
)
def test_casts_are_found_in_expressions(expression: str, types: tuple[str, ...]) -> None:
    assert casts_in(expression) == types


@pytest.mark.spark
def test_spark_itself_casts_up_what_is_called_wider(spark: SparkSession) -> None:
    """Not the other way round: Spark also casts up what loses digits (bigint to double) and anything to text."""
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    parse = jvm.org.apache.spark.sql.types.DataType.fromDDL
    up = jvm.org.apache.spark.sql.catalyst.expressions.Cast.canUpCast
    assert [pair for pair in WIDER if not up(parse(pair[0]), parse(pair[1]))] == []
    lossless = [pair for pair in WIDER if pair[0] != "decimal(9,0)"]
    assert [pair for pair in lossless if up(parse(pair[1]), parse(pair[0]))] == []

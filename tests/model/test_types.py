"""One parser for every spelling, one canonical text. `cases/spellings.txt` is the list a person can read."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from type_texts import DATA_TYPES

from forge.model.types import DataType, TypeField, balanced, iceberg_text, parse_type, same_type

LINES = (Path(__file__).parent / "cases" / "spellings.txt").read_text().splitlines()
CASES = [tuple(part.strip() for part in line.split(" = ")) for line in LINES if line and not line.startswith("#")]
SPELLINGS = [(spelling.strip(), canonical) for canonical, row in CASES for spelling in row.split("|")]


@pytest.mark.parametrize(("spelling", "canonical"), SPELLINGS, ids=[f"{a} = {b}" for a, b in SPELLINGS])
def test_a_spelling_has_a_canonical_text_which_is_one_of_itself(spelling: str, canonical: str) -> None:
    assert str(parse_type(spelling)) == canonical
    assert str(parse_type(canonical)) == canonical
    assert same_type(spelling, canonical)


def test_no_spelling_stands_there_twice() -> None:
    assert len({spelling for spelling, _ in SPELLINGS}) == len(SPELLINGS)


@given(DATA_TYPES)
def test_the_canonical_text_says_all_of_a_type(of: DataType) -> None:
    assert parse_type(str(of)) == of
    assert same_type(str(of), of)
    assert balanced(str(of))


@given(st.text(max_size=40) | st.text("structarymp<>(),:[]` '\"12", max_size=40))
def test_any_text_is_answered_and_its_canonical_text_stays(text: str) -> None:
    found = parse_type(text)
    assert parse_type(text) is found
    assert parse_type(str(found)) == found


@pytest.mark.parametrize(
    "text", ["", "<", "array<", "array<int", "map<int>", "decimal(12,2", "struct<a>", "array<int>>", "decimal(x)", "[]"]
)
def test_what_is_no_type_equals_itself_only(text: str) -> None:
    assert parse_type(text) == DataType(text.lower())
    assert same_type(text, text)
    assert not same_type(text, "int")


def test_a_type_deeper_than_any_table_is_not_understood() -> None:
    deep = "array<" * 5000 + "int" + ">" * 5000
    assert parse_type(deep).name == deep


def test_a_struct_says_which_fields_may_be_null() -> None:
    struct = parse_type("struct<a: int not null, `B`: string>")
    assert struct.fields == (TypeField("a", DataType("int")), TypeField("B", DataType("string")))
    assert [field.nullable for field in struct.fields] == [False, True]
    assert struct.get("b") == struct.fields[1]
    assert struct.get("c") is None


def test_the_order_and_case_of_fields_make_no_difference() -> None:
    assert same_type("struct<a:int,b:string>", "STRUCT<B: string, A: integer>")
    assert not same_type("struct<a:int>", "struct<a:int,b:int>")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("int", "bigint"),
        ("decimal(12,2)", "decimal(12,3)"),
        ("timestamp", "timestamp_ntz"),
        ("timestamp", "timestamp(3)"),
        ("array<int>", "array<bigint>"),
        ("struct<a:int>", "struct<b:int>"),
        ("varchar(10)", "string"),
    ],
)
def test_other_types_are_not_the_same(one: str, other: str) -> None:
    assert not same_type(one, other)


@pytest.mark.parametrize(
    ("spark", "iceberg"),
    [
        ("bigint", "long"),
        ("smallint", "int"),
        ("timestamp", "timestamptz"),
        ("timestamp_ntz", "timestamp"),
        ("decimal(12,2)", "decimal(12, 2)"),
        ("fixed(16)", "fixed[16]"),
        ("array<bigint>", "list<long>"),
        ("struct<a:int,b:map<string,bigint>>", "struct<a: int, b: map<string, long>>"),
    ],
)
def test_iceberg_has_words_of_its_own(spark: str, iceberg: str) -> None:
    assert iceberg_text(spark) == iceberg

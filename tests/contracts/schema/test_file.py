"""Files that say which columns tables have."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

from forge.contracts.schema.file import column_of, read_schemas
from forge.model.errors import ForgeError
from forge.model.schema import Column, Schema


def test_tables_and_their_columns_keep_their_order_and_their_names() -> None:
    found = read_schemas("core.orders: {b: int, A: 'decimal(12,2) not null'}\nraw.x: {}\n")
    assert found == {
        "core.orders": Schema((Column("b", "int"), Column("A", "decimal(12,2)", nullable=False))),
        "raw.x": Schema(()),
    }


@pytest.mark.parametrize(
    ("text", "kind", "nullable"),
    [
        ("bigint", "bigint", True),
        ("bigint not null", "bigint", False),
        ("BIGINT  NOT\tNULL", "BIGINT", False),
        ("bigint null", "bigint", True),
        ("null", "null", True),
        ("decimal(12, 2) NOT NULL DEFAULT 0", "decimal(12, 2)", False),
        ("struct<a:int not null>", "struct<a:int not null>", True),
        ("struct<a:int not null> not null", "struct<a:int not null>", False),
        ("struct<`not null`:int>", "struct<`not null`:int>", True),
        ("string comment 'not null'", "string", True),
        ("timestamp with time zone not null", "timestamp with time zone", False),
        ("double precision", "double precision", True),
        ("int primary key", "int", False),
        ("int required", "int", False),
    ],
)
def test_what_stands_behind_a_type_is_not_part_of_it(text: str, kind: str, nullable: bool) -> None:
    assert column_of("a", text) == Column("a", kind, nullable)


def test_json_of_spark_and_iceberg_keep_what_tells_their_timestamps_apart() -> None:
    spark = [{"name": "a", "type": "timestamp", "nullable": True, "metadata": {"comment": "when"}}]
    iceberg = [{"id": 1, "name": "a", "required": True, "type": "timestamp", "doc": "when"}]
    [one] = read_schemas(json.dumps({"type": "struct", "fields": spark}))[""].columns
    [two] = read_schemas(json.dumps({"type": "struct", "fields": iceberg}))[""].columns
    assert one == Column("a", "timestamp_ltz", nullable=True, doc="when")
    assert two == Column("a", "timestamp without time zone", nullable=False, doc="when")


@pytest.mark.parametrize(
    ("text", "words", "place"),
    [
        ("", "empty", "s.yaml:1"),
        ("orders", "it must be table", "s.yaml:1"),
        ("orders: bigint\nid: [a, b]", "a list stands for an array", None),
        ("orders: {a: int, b: }", "b has no type", None),
        ("orders: {a: int, a: string}", "'a' is given twice", "s.yaml:1:18"),
        ('{"orders": {"a": "int", "a": "string"}}', "'a' is given twice", "s.yaml:1"),
        ("orders:\n  a: int\n  b: struct<c: int>\n", "malformed YAML", "s.yaml:3:14"),
        ("orders:\n\ta: int\n", "spaces only", "s.yaml:2:1"),
        ("orders: {b: int, a: [int, string]}", "a list stands for an array", None),
        ("orders: {a: int}\nORDERS: {a: int}", "stands there twice", None),
        ("? [a]\n: {b: int}", "a plain text", "s.yaml:1:3"),
        ("b: {c: {type: int, nullable: perhaps}}", "neither true nor false", None),
    ],
)
def test_what_is_no_schema_is_refused_with_its_place(text: str, words: str, place: str | None) -> None:
    with pytest.raises(ForgeError) as refused:
        read_schemas(text, "s.yaml")
    assert refused.value.code == "E103"
    assert words in refused.value.what
    assert refused.value.fix
    if place:
        assert refused.value.where == place


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ForgeError, match="not UTF-8"):
        read_schemas(b"orders: {a: \xff}")
    assert read_schemas("\ufefforders: {a: int}".encode())["orders"].names == ("a",)


def bomb(levels: int) -> str:
    lines = ["a0: &a0 {x: int}"]
    lines += [f"a{i}: &a{i} {{{', '.join(f'k{j}: *a{i - 1}' for j in range(9))}}}" for i in range(1, levels)]
    return "\n".join(lines)


def test_aliases_that_grow_without_end_are_refused() -> None:
    with pytest.raises(ForgeError, match="more than 500,000 values"):
        read_schemas(bomb(12))


@pytest.mark.parametrize("text", ["[" * 100_000, "{a: " * 5_000, '{"a":' * 100_000, "- " * 20_000])
def test_endless_nesting_is_refused(text: str) -> None:
    with pytest.raises(ForgeError) as refused:
        read_schemas(text)
    assert refused.value.code == "E103"


def test_a_file_that_is_too_large_is_not_read() -> None:
    with pytest.raises(ForgeError, match="larger than"):
        read_schemas(b"a" * 10_000_001)


@settings(max_examples=examples(60))
@given(st.text(st.sampled_from("ab:{}[],<>()\"'\n -&*!?0"), max_size=40))
def test_any_text_is_a_schema_or_refused_with_a_code(text: str) -> None:
    codes = set()
    try:
        read_schemas(text)
    except ForgeError as error:
        codes.add(error.code)
    assert codes <= {"E103"}

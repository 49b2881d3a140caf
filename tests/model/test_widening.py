"""`cases/widening.txt` says for every pair of types what each policy allows; PyIceberg and plain Python agree."""

from __future__ import annotations

import struct
from fractions import Fraction
from itertools import count, product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyiceberg.exceptions import ResolveError
from pyiceberg.schema import promote
from pyiceberg.types import IcebergType, UnknownType
from type_texts import DATA_TYPES, PRIMITIVES

from forge.model.types import DataType, parse_type, same_type
from forge.model.widening import Policy, TypeChange, classify, widens
from forge.stores.lake.spark_types import iceberg_type

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

POLICIES: tuple[Policy, ...] = ("iceberg", "reader", "value")
GRID, PAIRS = (Path(__file__).parent / "cases" / "widening.txt").read_text().split("\n# Nested types")
ROWS = [line.split() for line in GRID.splitlines() if line[:2].strip().isdecimal()]
TYPES = [row[1] for row in ROWS]
CASES = [(row[1], new, answer) for row in ROWS for new, answer in zip(TYPES, row[2:], strict=True)]
CASES += [
    (old.strip(), new.strip(), line.split()[0])
    for line in PAIRS.splitlines()[1:]
    for old, new in [line.split(maxsplit=1)[1].split(" -> ")]
]


def answer_of(old: str, new: str) -> str:
    if same_type(old, new):
        return "="
    return "".join(policy[0] for policy in POLICIES if widens(old, new, policy)) or "."


def test_every_pair_is_as_the_table_says() -> None:
    assert [(old, new, answer_of(old, new)) for old, new, _ in CASES] == CASES
    assert len(CASES) > 700


@given(DATA_TYPES, DATA_TYPES)
def test_what_iceberg_or_a_reader_may_do_loses_no_value(old: DataType, new: DataType) -> None:
    for each in (new, _longer(old)):
        if widens(old, each, "iceberg") or widens(old, each, "reader"):
            assert widens(old, each, "value")


def _longer(of: DataType) -> DataType:
    """Two types out of a hat are seldom related."""
    names = {"tinyint": "int", "int": "bigint", "float": "double", "varchar": "string", "uint8": "uint32"}
    size = (of.size[0] + 1, of.size[1]) if of.name == "decimal" else of.size if of.name not in names else ()
    return DataType(names.get(of.name, of.name), size, of.fields)


@pytest.mark.parametrize("policy", POLICIES)
def test_wider_than_wider_is_wider_and_the_way_back_is_narrower(policy: Policy) -> None:
    wider = {(old, new) for old, new in product(TYPES, TYPES) if widens(old, new, policy)}
    assert {(a, c) for a, b in wider for x, c in wider if b == x} <= wider
    assert all((new, old) not in wider for old, new in wider)
    assert all(classify(*pair, policy) is TypeChange.WIDENING for pair in wider)
    assert all(classify(new, old, policy) is TypeChange.NARROWING for old, new in wider)


@given(PRIMITIVES, st.sampled_from(POLICIES))
def test_a_type_is_not_wider_than_itself(of: DataType, policy: Policy) -> None:
    assert not widens(of, of, policy)
    assert classify(of, of, policy) is TypeChange.SAME


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_text_is_answered(old: str, new: str) -> None:
    for policy in POLICIES:
        assert classify(old, old, policy) is TypeChange.SAME
        assert classify(old, new, policy) in TypeChange


# --- `iceberg`, against PyIceberg's own rule for primitive types

_NOT_THERE = ("uint", "char", "varchar", "tinyint", "smallint", "timestamp(", "void", "uuid", "fixed")
ICEBERG: dict[str, IcebergType] = {
    name: iceberg_type(name, count(1)) for name in TYPES if not name.startswith(_NOT_THERE)
}
ICEBERG["void"] = UnknownType()


def _promotes(old: IcebergType, new: IcebergType) -> bool:
    try:
        return promote(old, new) == new != old
    except ResolveError:
        return False


def test_what_iceberg_may_widen_in_place_is_what_pyiceberg_promotes() -> None:
    """But for string and binary, which it takes for each other when it reads files, and for decimals, of which it
    compares a scale with itself (`file_type.scale == file_type.scale`): the specification says "scale is fixed"."""
    assert len(ICEBERG) > 12
    for (old, before), (new, after) in product(ICEBERG.items(), repeat=2):
        one, other = parse_type(old), parse_type(new)
        expected = _promotes(before, after) and {old, new} != {"string", "binary"}
        if one.name == other.name == "decimal":
            expected = expected and one.size[1] == other.size[1]
        assert widens(old, new, "iceberg") is expected, f"{old} -> {new}"


# --- `value`, against the values themselves


def _extremes(of: DataType) -> list[Fraction | str]:
    """Values of a type that show best whether another type has them all."""
    formats = {"float": "f", "double": "d", "halffloat": "e"}
    bits = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
    if of.name in bits:
        top = 2 ** (bits[of.name] - 1)
        return [Fraction(n) for n in (-top, top - 1, top - 2, 1)]
    if of.name.startswith("uint"):
        top = 2 ** int(of.name[4:])
        return [Fraction(n) for n in (0, top - 1, top - 2, 1)]
    if of.name == "decimal":
        precision, scale = of.size
        return [Fraction(n, 10**scale) for n in (10**precision - 1, -(10**precision) + 1, 10**precision - 2, 1)]
    if of.name in formats:
        size = struct.calcsize(formats[of.name])
        mantissa, exponent = {2: (10, 5), 4: (23, 8), 8: (52, 11)}[size]
        largest = (((1 << exponent) - 2) << mantissa) | ((1 << mantissa) - 1)
        shapes = (largest, 1, (((1 << (exponent - 1)) - 1) << mantissa) | 1)  # the largest, the smallest, next to one
        return [Fraction(struct.unpack(formats[of.name], n.to_bytes(size, "little"))[0]) for n in shapes]
    length = of.size[0] if of.size else 100
    return ["x" * length] if of.name == "char" else ["", "x" * length]


def _holds(of: DataType, value: Fraction | str) -> bool:
    if isinstance(value, str):
        if of.name == "char":
            return len(value) == of.size[0]  # it is filled up with spaces
        return of.name == "string" or (of.name == "varchar" and len(value) <= of.size[0])
    bits = {"tinyint": 8, "smallint": 16, "int": 32, "bigint": 64}
    if of.name in bits:
        return value.denominator == 1 and -(2 ** (bits[of.name] - 1)) <= value < 2 ** (bits[of.name] - 1)
    if of.name.startswith("uint"):
        return value.denominator == 1 and 0 <= value < 2 ** int(of.name[4:])
    if of.name == "decimal":
        scaled = value * Fraction(10) ** of.size[1]
        return bool(scaled.denominator == 1 and abs(scaled) < 10 ** of.size[0])
    try:
        shape = {"float": "f", "double": "d", "halffloat": "e"}[of.name]
        return Fraction(struct.unpack(shape, struct.pack(shape, float(value)))[0]) == value
    except OverflowError:
        return False


NUMBERS = (
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "halffloat",
    "float",
    "double",
)
DIGITS = [f"decimal({p},{s})" for p in (2, 3, 4, 5, 7, 8, 9, 10, 15, 16, 18, 19, 20, 38) for s in (0, 1, 2) if s <= p]
TEXTS = ("char(5)", "char(9)", "varchar(5)", "varchar(9)", "string")


@pytest.mark.parametrize("family", [(*NUMBERS, *DIGITS), TEXTS], ids=["numbers", "texts"])
def test_a_type_is_wider_by_value_where_it_holds_every_value(family: tuple[str, ...]) -> None:
    for old, new in product(family, repeat=2):
        before, after = parse_type(old), parse_type(new)
        expected = old != new and all(_holds(after, value) for value in _extremes(before))
        assert widens(old, new, "value") is expected, f"{old} -> {new}"


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


@pytest.mark.spark
def test_spark_itself_casts_up_what_is_wider_by_value(spark: SparkSession) -> None:
    """Not the other way round: Spark also casts up what loses digits (bigint to double) and anything to text."""
    assert [pair for pair in WIDER if not widens(*pair, "value")] == []
    jvm = spark.sparkContext._jvm
    assert jvm is not None
    parse = jvm.org.apache.spark.sql.types.DataType.fromDDL
    up = jvm.org.apache.spark.sql.catalyst.expressions.Cast.canUpCast
    assert [pair for pair in WIDER if not up(parse(pair[0]), parse(pair[1]))] == []
    lossless = [pair for pair in WIDER if pair[0] != "decimal(9,0)"]
    assert [pair for pair in lossless if up(parse(pair[1]), parse(pair[0]))] == []

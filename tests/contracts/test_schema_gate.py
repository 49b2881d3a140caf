"""The shape of a table against its contract: missing and wrong columns stop the write, unknown ones do not."""

from __future__ import annotations

import pytest

from forge.contracts.contract import Property, TableContract, Violation
from forge.contracts.schema_gate import find_mismatches, normal_type
from forge.model.schema import Column, Schema

# Every type Spark can write, by the name that Spark gives it.
SPARK = (
    *("tinyint", "smallint", "int", "bigint", "float", "double", "decimal(12,2)", "string", "varchar(9)", "char(2)"),
    *("boolean", "date", "timestamp", "timestamp_ntz", "time(6)", "binary", "struct<a:int>", "map<string,int>"),
    *("array<int>", "interval day to second", "variant", "void"),
)
FITTING = {
    "integer": ["tinyint", "smallint", "int", "bigint"],
    "number": ["float", "double", "decimal(12,2)"],
    "string": ["string", "varchar(9)", "char(2)"],
    "boolean": ["boolean"],
    "date": ["date"],
    "timestamp": ["timestamp", "timestamp_ntz"],
    "time": ["time(6)"],
    "object": ["struct<a:int>", "map<string,int>"],
    "array": ["array<int>"],
    "map": ["map<string,int>"],
    "vector": ["array<int>"],
}


def contract(*properties: Property) -> TableContract:
    return TableContract("core.orders", properties=properties, file="c.odcs.yaml", line=7, path="schema[0]")


def mismatches(expected: Property, actual: str) -> tuple[Violation, ...]:
    return find_mismatches(contract(expected), Schema((Column("x", actual),)))


@pytest.mark.parametrize("logical", FITTING)
@pytest.mark.parametrize("actual", SPARK)
def test_a_logical_type_is_held_by_these_types_of_spark(logical: str, actual: str) -> None:
    codes = [v.code for v in mismatches(Property("x", logical_type=logical), actual)]
    assert codes == ([] if actual in FITTING[logical] else ["E530"])


def test_a_column_without_a_type_may_be_anything() -> None:
    assert mismatches(Property("x"), "binary") == ()


@pytest.mark.parametrize(
    ("physical", "actual", "fits"),
    [
        ("INT", "int", True),
        ("integer", "int", True),
        ("long", "bigint", True),
        ("BIGINT", "int", False),
        ("NUMERIC(12, 2)", "decimal(12,2)", True),
        ("decimal( 12 ,2 )", "decimal(12,2)", True),
        ("decimal(12,3)", "decimal(12,2)", False),
        ("decimal", "decimal(10,0)", True),
        ("double precision", "double", True),
        ("bool", "boolean", True),
        ("short", "smallint", True),
        ("byte", "tinyint", True),
        ("real", "float", True),
        ("varchar(9)", "string", False),
        ("timestamp", "timestamp_ntz", False),
        ("timestamptz", "timestamp", True),
        ("ARRAY<LONG>", "array<bigint>", True),
        ("map<string, integer>", "map<string,int>", True),
        ("struct<a: integer, b: struct<long: long>>", "struct<a:int,b:struct<long:bigint>>", True),
        ("struct<a: integer>", "struct<b:int>", False),
        ("struct<dec: decimal(4,1)>", "struct<dec:decimal(4,1)>", True),
        ("struct<decimal: decimal>", "struct<decimal:decimal(10,0)>", True),
    ],
)
def test_a_physical_type_is_compared_exactly_but_for_its_spelling(physical: str, actual: str, fits: bool) -> None:
    found = mismatches(Property("x", logical_type="string", physical_type=physical), actual)
    assert [v.code for v in found] == ([] if fits else ["E530"])


@pytest.mark.parametrize("name", SPARK)
def test_the_names_that_spark_gives_are_the_normal_ones(name: str) -> None:
    assert normal_type(name) == name
    assert normal_type(name.upper()) == name


def test_a_mismatch_says_where_and_what_to_do() -> None:
    place = {"file": "c.odcs.yaml", "line": 12, "column_number": 9, "path": "schema[0].properties[0]"}
    amount = Property("amount", logical_type="number", physical_type="decimal(12,2)", **place)  # type: ignore[arg-type]
    [found] = find_mismatches(contract(amount), Schema((Column("Amount", "string"),)))
    assert found.to_dict() == {
        "code": "FORGE-E530",
        "severity": "error",
        "file": "c.odcs.yaml",
        "line": 12,
        "column": 9,
        "path": "schema[0].properties[0].physicalType",
        "message": "Amount is string, the contract says decimal(12,2)",
        "fix": "Cast it to decimal(12,2) in the query, or change physicalType in the contract.",
    }


def test_a_missing_column_is_an_error_that_names_the_nearest() -> None:
    expected = contract(Property("order_id", line=9, file="c.odcs.yaml"))
    missing, undocumented = find_mismatches(expected, Schema((Column("orderid", "int"),)))
    assert (missing.code, missing.severity, missing.line) == ("E531", "error", 9)
    assert "Did you mean orderid" in missing.fix
    assert (undocumented.code, undocumented.severity, undocumented.line) == ("E532", "info", 7)
    assert "orderid" in undocumented.message


def test_names_differ_in_case_only() -> None:
    schema = Schema((Column("ORDER_ID", "int"), Column("mail", "string")))
    properties = (Property("order_id", "integer"), Property("email", "string", physical_name="Mail"))
    assert find_mismatches(contract(*properties), schema) == ()


def test_a_measure_is_not_expected_in_the_table() -> None:
    assert find_mismatches(contract(Property("revenue", "number", is_column=False)), Schema(())) == ()


def test_all_mismatches_come_at_once_in_the_order_of_the_contract() -> None:
    properties = (Property("a", "integer"), Property("b", "string"), Property("c", "date"))
    found = find_mismatches(
        contract(*properties), Schema((Column("c", "int"), Column("a", "string"), Column("z", "int")))
    )
    assert [v.code for v in found] == ["E530", "E531", "E530", "E532"]

"""The shape of a table against its contract. The cases are in drift.yaml."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest
import yaml
from each_case import each_case
from hypothesis import given, settings
from hypothesis import strategies as st
from quick_examples import examples

from forge.contracts.contract import Contract, ContractProperty, TableContract, Violation
from forge.contracts.drift.table import ContractDrift, drift_of, find_drift
from forge.contracts.load import load_contract
from forge.model.errors import ForgeError
from forge.model.schema import Column, Schema
from forge.model.types import parse_type

CASES: list[dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("drift.yaml").read_text(encoding="utf-8"))

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
    "object": ["struct<a:int>"],
    "array": ["array<int>"],
    "map": ["map<string,int>"],
    "vector": ["array<int>"],
}


def document_of(properties: list[dict[str, Any]]) -> dict[str, Any]:
    table = {"name": "orders", "physicalName": "core.orders", "properties": properties}
    head = {"apiVersion": "v3.2.0", "kind": "DataContract", "version": "1.0.0", "id": "orders", "status": "active"}
    return {**head, "schema": [table]}


def contract_of(document: dict[str, Any]) -> Contract:
    text = yaml.safe_dump(document, allow_unicode=True, sort_keys=False)
    return load_contract(text, "contracts/orders.odcs.yaml")


def told(drifts: tuple[ContractDrift, ...]) -> list[str]:
    found = [each for drift in drifts for each in drift.found]
    return [f"{each.violation.code or each.violation.severity} {'.'.join(each.steps)}" for each in found]


@each_case(CASES, lambda case: str(case["case"]))
def test_a_schema_drifts_from_its_contract_so(case: dict[str, Any]) -> None:
    contract = contract_of(document_of(case["properties"]))
    assert told(drift_of(contract, case["schema"])) == case["found"]


@each_case([case for case in CASES if case["found"]], lambda case: str(case["case"]))
def test_the_patch_of_the_contract_ends_the_drift(case: dict[str, Any]) -> None:
    """All but that a required column may be NULL: a contract is not loosened for what the rows are checked for."""
    document = document_of(case["properties"])
    drifts = drift_of(contract_of(document), case["schema"])
    for drift in drifts:
        for operation in drift.operations:
            assert not (str(operation["path"]).endswith("/required") and operation["value"] is False)
            apply(document, dict(operation))
        assert bool(drift.patch) is any(each.kind != "nullable" for each in drift.found)
        assert "required: false" not in drift.patch
    left = [each.kind for drift in drift_of(contract_of(document), case["schema"]) for each in drift.found]
    assert set(left) <= {"nullable"}


def apply(document: dict[str, Any], operation: dict[str, Any]) -> None:
    """One operation of RFC 6902."""
    *steps, last = operation["path"].split("/")[1:]
    target: Any = document
    for step in steps:
        target = target[int(step)] if isinstance(target, list) else target[step]
    if operation["op"] == "remove":
        del target[int(last) if isinstance(target, list) else last]
    elif isinstance(target, list):
        target.append(operation["value"])
    else:
        target[last] = operation["value"]


def contract(*properties: ContractProperty) -> TableContract:
    return TableContract(table="core.orders", properties=properties, file="c.odcs.yaml", line=7, path="schema[0]")


def drift(expected: ContractProperty, actual: str) -> tuple[Violation, ...]:
    return find_drift(contract(expected), Schema((Column("x", actual),)))


@each_case(product(FITTING, SPARK), lambda pair: f"{pair[0]} in {pair[1]}")
def test_a_logical_type_is_held_by_these_types_of_spark(pair: tuple[str, str]) -> None:
    logical, actual = pair
    codes = [v.code for v in drift(ContractProperty(name="x", logical_type=logical), actual)]
    assert codes == ([] if actual in FITTING[logical] else ["E530"])


@pytest.mark.parametrize(
    ("physical", "actual", "fits"),
    [
        ("INT", "int", True),
        ("long", "bigint", True),
        ("BIGINT", "int", False),
        ("decimal", "decimal(10,0)", True),
        ("varchar(9)", "string", False),
        ("timestamp", "timestamp", True),
        ("timestamp", "timestamp_ntz", False),
        ("timestamptz", "timestamp", True),
        ("timestamptz", "timestamp_ntz", False),
        ("timestamp_ltz", "timestamp", True),
        ("timestamp(6)", "timestamp", True),
        ("timestamp(3)", "timestamp", False),
        ("ARRAY<LONG>", "array<bigint>", True),
        ("map<string, integer>", "map<string,int>", True),
        ("struct<a: integer, b: struct<long: long>>", "struct<a:int,b:struct<long:bigint>>", True),
        ("struct<a: timestamptz>", "struct<a:timestamp>", True),
        ("struct<a: integer>", "struct<b:int>", False),
        ("struct<decimal: decimal>", "struct<decimal:decimal(10,0)>", True),
    ],
)
def test_a_schema_of_spark_is_in_sparks_words(physical: str, actual: str, fits: bool) -> None:
    found = drift(ContractProperty(name="x", logical_type="string", physical_type=physical), actual)
    assert [v.code for v in found] == ([] if fits else ["E530"])


@pytest.mark.parametrize("name", SPARK)
def test_every_type_of_spark_equals_itself_in_any_case(name: str) -> None:
    assert drift(ContractProperty(name="x", physical_type=name), name) == ()
    assert drift(ContractProperty(name="x", physical_type=name.upper()), name) == ()
    assert str(parse_type(name)) == name.removesuffix("(6)")  # microseconds need not be said


def test_a_mismatch_says_where_and_what_to_do() -> None:
    place = {"file": "c.odcs.yaml", "line": 12, "column_number": 9, "path": "schema[0].properties[0]"}
    amount = ContractProperty(name="amount", logical_type="number", physical_type="decimal(12,2)", **place)  # type: ignore[arg-type]
    [found] = find_drift(contract(amount), Schema((Column("Amount", "string"),)))
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


def test_a_finding_stands_at_the_value_that_it_is_about() -> None:
    text = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: core.orders
    properties:
      - name: id
        logicalType: integer
        required: true
      - name: address
        logicalType: object
        properties:
          - name: zip
            description: of the town
            logicalType: string
      - name: gone
"""
    found = find_drift(text, {"core.orders": {"id": "int", "address": "struct<zip:int>", "more": "string"}})
    assert [(v.code, v.line, v.column, v.path) for v in found] == [
        ("", 11, 19, "schema[0].properties[0].required"),
        ("E530", 17, 26, "schema[0].properties[1].properties[0].logicalType"),
        ("E531", 18, 9, "schema[0].properties[2]"),
        ("E532", 8, 5, "schema[0].properties"),
    ]


def test_a_difference_in_nullability_has_no_code_and_is_no_error() -> None:
    [found] = find_drift(contract(ContractProperty(name="a", required=True)), {"orders": {"a": "int"}})
    assert (found.severity, found.to_dict()["code"]) == ("warning", "")


def test_a_missing_column_is_an_error_that_names_the_nearest() -> None:
    expected = contract(ContractProperty(name="order_id", line=9, file="c.odcs.yaml"))
    missing, undocumented = find_drift(expected, Schema((Column("orderid", "int"),)))
    assert (missing.code, missing.severity, missing.line) == ("E531", "error", 9)
    assert "Did you mean orderid" in missing.fix
    assert (undocumented.code, undocumented.severity, undocumented.line) == ("E532", "info", 7)
    assert "orderid" in undocumented.message


def test_a_nested_mismatch_names_the_field() -> None:
    expected = ContractProperty(name="x", physical_type="struct<a:int,b:struct<c:string>>")
    [found] = drift(expected, "struct<a:int,b:struct<c:date>>")
    assert "(b.c: date for string)" in found.message


def test_a_frame_says_nothing_of_null() -> None:
    expected = contract(ContractProperty(name="a", required=True), ContractProperty(name="b", logical_type="integer"))
    schema = Schema((Column("a", "int"), Column("b", "string", nullable=False)))
    assert [v.code for v in find_drift(expected, schema, nullability=False)] == ["E530"]


def test_the_schema_of_a_frame_is_taken_as_it_is() -> None:
    class StructType:  # what pyspark.sql.types.StructType can do
        def jsonValue(self) -> dict[str, Any]:
            return {"type": "struct", "fields": [{"name": "a", "type": "long", "nullable": True, "metadata": {}}]}

    class Frame:
        schema = StructType()

    expected = contract(ContractProperty(name="a", logical_type="string"))
    assert [v.code for v in find_drift(expected, StructType())] == ["E530"]
    assert [v.code for v in find_drift(expected, Frame())] == ["E530"]


@pytest.mark.parametrize(("version", "logical"), [("v3.0.2", None), ("v3.1.0", "timestamp"), ("v3.2.0", "timestamp")])
def test_a_patch_is_written_in_the_words_of_the_contracts_version(version: str, logical: str | None) -> None:
    document = {**document_of([{"name": "a", "logicalType": "string"}]), "apiVersion": version}
    schema = "orders: {a: timestamp, b: timestamp}"
    [drift] = drift_of(contract_of(document), schema)
    for operation in drift.operations:
        apply(document, dict(operation))
    properties = document["schema"][0]["properties"]
    assert [each.get("logicalType") for each in properties] == [logical, logical]
    assert told(drift_of(contract_of(document), schema)) == []
    assert ("logicalType" in drift.patch) is bool(logical)


TABLES = """\
apiVersion: v3.1.0
kind: DataContract
id: shop
version: 1.0.0
status: active
schema:
  - {name: orders, physicalName: core.orders, properties: [{name: a, logicalType: integer}]}
  - {name: customers, physicalName: crm_customers_v2, properties: [{name: b, logicalType: integer}]}
  - {name: items, properties: [{name: c, logicalType: integer}]}
"""


@pytest.mark.parametrize(
    ("schema", "found"),
    [
        ("{core.orders: {a: string}, crm_customers_v2: {b: string}, items: {c: string}}", ["a", "b", "c"]),
        ("{orders: {a: string}, customers: {b: string}, raw.items: {c: string}}", ["a", "b", "c"]),
        ("{raw.orders: {a: string}, sales.crm_customers_v2: {b: string}}", ["b"]),
        ("{}", []),
        ("{nothing: {a: string}}", []),
    ],
)
def test_tables_are_found_by_their_names(schema: str, found: list[str]) -> None:
    drifts = drift_of(load_contract(TABLES, "shop.odcs.yaml"), schema)
    assert [each.steps[0] for drift in drifts for each in drift.found] == found
    assert [drift.table for drift in drifts] == ["core.orders", "crm_customers_v2", "items"]


def test_the_name_of_the_contracts_file_does_not_stand_in_the_way() -> None:
    text = TABLES.replace("  - {name: orders, physicalName: core.orders", "  - {name: other, physicalName: a.b")
    text = "\n".join(line for line in text.splitlines() if "name: other" not in line and "customers" not in line)
    drifts = drift_of(load_contract(text, "items.v1.yaml"), "{sales.items: {c: string}}")
    assert told(drifts) == ["E530 c"]


def test_a_schema_without_a_name_belongs_to_the_table_its_file_is_called_like() -> None:
    schema = json.dumps({"type": "struct", "fields": [{"name": "c", "type": "string", "nullable": True}]})
    whole = load_contract(TABLES, "shop.odcs.yaml")
    assert told(drift_of(whole, schema, "schemas/items.json")) == ["E530 c"]
    with pytest.raises(ForgeError, match="which of the 3 tables"):
        drift_of(whole, schema, "schema.json")


def test_a_name_that_may_be_two_tables_is_asked_for() -> None:
    with pytest.raises(ForgeError, match=r"items may be a\.items or b\.items"):
        drift_of(load_contract(TABLES, "shop.odcs.yaml"), "{a.items: {c: int}, b.items: {c: int}}")


@pytest.mark.parametrize(
    ("kind", "meant"),
    [
        ("intt", "int"),
        ("strng", "string"),
        ("timestmp", "timestamp"),
        ("uint", None),
        ("geography", None),
        ("int4", None),
        ("nvarchar(3)", None),
    ],
)
def test_a_type_that_is_a_slip_of_the_pen_is_not_put_into_the_contract(kind: str, meant: str | None) -> None:
    contract = contract_of(document_of([{"name": "a", "physicalType": "double"}]))
    (drift,) = drift_of(contract, f"orders: {{a: '{kind}', b: '{kind}'}}")
    assert told((drift,)) == ["E530 a", "E532 b"]
    for violation in drift.violations:
        assert (f"did you mean {meant}?" in violation.fix) is bool(meant)
    assert (drift.patch, drift.operations) == ("", ()) if meant else drift.patch and drift.operations


names = st.text(st.sampled_from("abcXYZ_ äβ.`'\"<>,:()"), min_size=1, max_size=8).filter(str.strip)
plain = st.sampled_from(
    ["int", "bigint", "double", "decimal(12,2)", "string", "date", "timestamp", "boolean", "binary"]
)


def spark_types(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    field = st.fixed_dictionaries({"name": names, "type": inner, "nullable": st.booleans(), "metadata": st.just({})})
    struct = st.lists(field, min_size=1, max_size=3, unique_by=lambda f: f["name"].lower())
    return st.one_of(
        st.fixed_dictionaries({"type": st.just("struct"), "fields": struct}),
        st.fixed_dictionaries({"type": st.just("array"), "elementType": inner, "containsNull": st.booleans()}),
        st.fixed_dictionaries(
            {"type": st.just("map"), "keyType": plain, "valueType": inner, "valueContainsNull": st.booleans()}
        ),
    )


@settings(max_examples=examples(30))
@given(
    st.lists(
        st.tuples(names, st.recursive(plain, spark_types, max_leaves=6), st.booleans()),
        max_size=4,
        unique_by=lambda c: c[0].strip().lower(),
    )
)
def test_a_contract_drawn_from_a_schema_has_no_drift(columns: list[tuple[str, Any, bool]]) -> None:
    """The patch of an empty contract is the schema as a contract; it must fit, whatever names and types it has."""
    fields = [{"name": n, "type": t, "nullable": null, "metadata": {}} for n, t, null in columns]
    schema = json.dumps({"type": "struct", "fields": fields})
    document = document_of([])
    for drift in drift_of(contract_of(document), schema):
        assert all(each.kind == "undocumented" for each in drift.found)
        for operation in drift.operations:
            apply(document, dict(operation))
    assert len(document["schema"][0]["properties"]) == len(fields)
    assert told(drift_of(contract_of(document), schema)) == []

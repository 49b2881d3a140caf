"""Schemas for Spark and Iceberg out of a contract: sizes and names are kept, what has no word there is told."""

from __future__ import annotations

import json

import pytest
from pyiceberg.schema import Schema

from forge.contracts.document.file import read_document
from forge.contracts.drift.table import drift_of
from forge.contracts.load import contract_of
from forge.contracts.schema.file import read_schemas
from forge.contracts.schema_output import iceberg_schema, spark_code, spark_ddl

CONTRACT = """\
apiVersion: v3.2.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: orders
    physicalName: core.orders
    description: All o'clock
    properties:
      - {name: id, logicalType: integer, physicalType: bigint, primaryKey: true, description: The key}
      - {name: amount, logicalType: number, physicalType: "decimal(12,2)"}
      - {name: prices, logicalType: array, items: {logicalType: number, physicalType: "decimal(9,3)", required: true}}
      - name: more
        logicalType: object
        properties:
          - {name: at, logicalType: timestamp, required: true}
          - {name: rates, physicalType: "map<string,decimal(5,1)>"}
      - {name: code, logicalType: string, physicalType: "varchar(10)"}
      - {name: unknown, logicalType: object}
"""
ORDERS = contract_of(read_document(CONTRACT, "orders.odcs.yaml"))
(TABLE,) = ORDERS.tables


def test_iceberg_reads_its_schema_with_every_size() -> None:
    made = iceberg_schema(TABLE)
    read = Schema.model_validate_json(made.text)
    assert {field.name: str(field.field_type) for field in read.fields} == {
        "id": "long",
        "amount": "decimal(12, 2)",
        "prices": "list<decimal(9, 3)>",
        "more": "struct<7: at: required timestamptz, 8: rates: optional map<string, decimal(5, 1)>>",
        "code": "string",
    }
    assert (read.find_field("id").required, list(read.identifier_field_ids)) == (True, [1])
    assert json.loads(made.text)["fields"][2]["type"]["element-required"] is True


def test_what_is_exported_does_not_drift_but_for_what_was_told() -> None:
    made = iceberg_schema(TABLE)
    (drift,) = drift_of(ORDERS, read_schemas(made.text), "schema.json")
    assert {v.message.split()[0] for v in drift.violations if v.severity == "error"} == {"code", "the"}
    assert made.lost == (
        "core.orders.unknown: the contract does not say its type, so it was left out",
        "core.orders.code: Iceberg's string has no length; varchar(10) lost it",
    )


def test_spark_gets_the_same_types() -> None:
    code = spark_code([TABLE]).text
    assert "StructField('id', LongType(), False, {'comment': 'The key'})," in code
    assert "StructField('amount', DecimalType(12, 2), True)," in code
    assert "StructField('prices', ArrayType(DecimalType(9, 3), False), True)," in code
    assert "StructField('at', TimestampType(), False)" in code
    assert "MapType(StringType(), DecimalType(5, 1), True)" in code
    compile(code, "schema.py", "exec")


def test_a_table_is_made_by_its_whole_name_and_none_is_replaced() -> None:
    text = spark_ddl([TABLE]).text
    assert text.startswith("CREATE TABLE `core`.`orders` (\n  `id` BIGINT NOT NULL COMMENT 'The key',\n")
    assert "`amount` DECIMAL(12,2),\n" in text
    assert text.endswith(") USING iceberg\nCOMMENT 'All o\\'clock';\n")


@pytest.mark.parametrize("kind", ["interval", "intt"])
def test_a_type_that_they_lack_is_told(kind: str) -> None:
    text = CONTRACT.replace("bigint", kind)
    (table,) = contract_of(read_document(text, "a")).tables
    for made in (iceberg_schema(table), spark_code([table])):
        assert any(f"has no type {kind}" in one for one in made.lost)

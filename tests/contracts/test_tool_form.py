"""Contracts for other tools: sizes and schemas where their exporters read them, and words on what they drop."""

from __future__ import annotations

from typing import Any

from forge.contracts.document.file import read_document
from forge.contracts.load import contract_of
from forge.contracts.tool_form import find_lost, tool_form

CONTRACT = """\
apiVersion: v3.1.0
kind: DataContract
id: orders
version: 1.0.0
status: active
schema:
  - name: orders
    physicalName: core.orders
    properties:
      - {name: id, logicalType: integer}
      - {name: amount, logicalType: number, physicalType: "numeric(12, 2)"}
"""
DOCUMENT = read_document(CONTRACT, "orders.odcs.yaml")


def test_avro_gets_size_and_namespace() -> None:
    data: Any = tool_form(DOCUMENT.data, "avro")
    (table,) = data["schema"]
    assert table["customProperties"] == [{"property": "namespace", "value": "core"}]
    assert table["properties"][1] == {
        "name": "amount",
        "logicalType": "number",
        "physicalType": "decimal",
        "customProperties": [{"property": "precision", "value": 12}, {"property": "scale", "value": 2}],
    }


def test_others_get_the_contract_as_it_is() -> None:
    assert tool_form(DOCUMENT.data, "jsonschema") is DOCUMENT.data


def test_what_a_format_drops_is_told_with_its_line() -> None:
    tables = contract_of(DOCUMENT).tables
    assert list(find_lost(tables, "sqlalchemy")) == [
        "core.orders.amount (line 11): the size of DECIMAL(12,2) is lost in sqlalchemy",
        "core.orders (line 7): is called orders in sqlalchemy, without its schema core",
    ]
    assert list(find_lost(tables, "avro")) == []

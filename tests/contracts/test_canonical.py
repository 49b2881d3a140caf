"""Hashes of contracts: what binds changes them, how it is written does not."""

from __future__ import annotations

import pytest

from forge.contracts.canonical import content_hash, schema_hash
from forge.contracts.document.file import read_document

BASE = """\
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
      - name: amount
        logicalType: number
        physicalType: decimal(12,2)
        description: What was paid
"""


def hash_of(text: str) -> str:
    return schema_hash(read_document(text, "a.odcs.yaml"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("description: What was paid", "description: Something else"),
        ("        description: What was paid\n", ""),
        ("name: id", "name: ID"),
        ("decimal(12,2)", "DECIMAL(12, 2)"),
        ("version: 1.0.0", "version: 2.0.0"),
        ("required: true", "required: true\n        unique: false\n        tags: [key]"),
        ("logicalType: integer\n        required: true", "required: true\n        logicalType: integer"),
        ("    properties:", "    tags: []\n    properties:"),
    ],
)
def test_words_order_and_defaults_do_not_change_the_schema_hash(old: str, new: str) -> None:
    assert old in BASE
    assert hash_of(BASE.replace(old, new)) == hash_of(BASE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("name: amount", "name: total"),
        ("logicalType: integer", "logicalType: string"),
        ("decimal(12,2)", "decimal(12,3)"),
        ("required: true", "required: false"),
        ("required: true", "required: true\n        unique: true"),
        ("required: true", "required: true\n        logicalTypeOptions: {minimum: 0}"),
        ("required: true", "required: true\n        classification: pii"),
        ("core.orders", "core.order"),
    ],
)
def test_what_binds_changes_the_schema_hash(old: str, new: str) -> None:
    assert hash_of(BASE.replace(old, new)) != hash_of(BASE)


def test_the_order_of_columns_does_not_change_the_schema_hash() -> None:
    first, second = BASE.index("      - name: id"), BASE.index("      - name: amount")
    swapped = BASE[:first] + BASE[second:] + BASE[first:second]
    assert hash_of(swapped) == hash_of(BASE)


def test_the_content_hash_is_over_all_that_is_said_and_not_over_the_layout() -> None:
    def content(text: str) -> str:
        return content_hash(read_document(text, "a.odcs.yaml"))

    assert content(BASE.replace("active", '"active"  # now')) == content(BASE)
    assert content(BASE.replace("What was paid", "Net")) != content(BASE)

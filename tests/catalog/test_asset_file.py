"""Documentation in catalog/*.yaml: each field with its line, each error with its place."""

from __future__ import annotations

import pytest

from forge.catalog.asset_file import load_asset_file

TEXT = """\
assets:
  core.orders:
    description: |
      # Orders
      One row for each.
    owner: carlos@shop.example
    tags: [gold]
    columns:
      Amount: What the customer pays
      email:
        tags: [pii]
        term: email_address
  postgresql:shop.public.orders: {domain: sales}
"""


def test_every_field_knows_its_line() -> None:
    read = load_asset_file(TEXT, "catalog/core.yaml")
    assert read.errors == ()
    said = read.assets["core.orders"]
    assert said.documentation.description == "# Orders\nOne row for each.\n"
    assert said.documentation.columns["amount"].description == "What the customer pays"
    assert said.places == {
        "description": "catalog/core.yaml:3",
        "owner": "catalog/core.yaml:6",
        "tags": "catalog/core.yaml:7",
        "columns.amount.description": "catalog/core.yaml:9",
        "columns.email.tags": "catalog/core.yaml:11",
        "columns.email.term": "catalog/core.yaml:12",
    }
    assert read.assets["postgresql:shop.public.orders"].documentation.domain == "sales"


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("assets:\n  a.b:\n    owner: 7\n", "E851", "c.yaml:3"),
        ("assets:\n  a.b:\n    ownr: x\n", "E851", "c.yaml:3"),
        ("assets:\n  a.b:\n    tags: gold\n", "E851", "c.yaml:3"),
        ("assets:\n  a.b:\n    row_count: 7\n", "E852", "c.yaml:3"),
        ("assets:\n  a.b:\n    columns:\n      x:\n        tags: 7\n", "E851", "c.yaml:5"),
        ("assets:\n  a.b: text\n", "E851", "c.yaml:2"),
        ("assets: [1]\n", "E851", "c.yaml:1"),
        ("- 1\n", "E851", "c.yaml:1"),
        ("asets: {}\n", "E104", "c.yaml:1"),
        ("assets:\n  a.b: {owner: x, owner: y}\n", "E103", "c.yaml:2"),
        ("assets: {\n", "E103", "c.yaml:2"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, code: str, where: str) -> None:
    error = load_asset_file(text, "c.yaml").errors[0]
    assert (error.code, str(error.where).startswith(where)) == (code, True), error


def test_one_wrong_asset_does_not_hide_the_errors_of_another() -> None:
    read = load_asset_file("assets:\n  a.b: {owner: 7, tags: 8}\n  c.d: {x: 1}\n  e.f: {owner: y}\n", "c.yaml")
    assert len(read.errors) == 3
    assert list(read.assets) == ["e.f"]
    assert load_asset_file("", "c.yaml").assets == {}

"""Types of `ontology/*.yaml` as assets, and errors with their lines."""

from __future__ import annotations

import pytest

from forge.catalog.asset import CrawledColumn
from forge.catalog.ontology import find_loose_links, load_ontology

TEXT = """\
types:
  Customer:
    description: Somebody who has bought something.
    owner: ada
    domain: sales
    tags: [core]
    backed_by: core.customers
    key: customer_id
    properties:
      name: {type: string, column: full_name, description: First and last name, required: true}
      country: string
    links:
      orders: {to: Order, description: What they have bought}
  Order:
    backed_by: [core.orders, core.order_items]
"""


def test_types_properties_and_links_are_an_asset_and_its_columns() -> None:
    read = load_ontology(TEXT, "ontology/shop.yaml")
    assert read.errors == ()
    customer, order = read.assets
    assert customer.qualified_name == "ontology:Customer"
    assert (customer.owner, customer.domain, customer.tags, customer.primary_key) == (
        "ada",
        "sales",
        ("core",),
        ("customer_id",),
    )
    assert customer.columns == (
        CrawledColumn("name", "string", False, "First and last name (column full_name)"),
        CrawledColumn("country", "string"),
        CrawledColumn("→ orders", "ontology:Order", True, "What they have bought"),
    )
    assert customer.backed_by == ("core.customers", "ontology:Order")
    assert order.backed_by == ("core.orders", "core.order_items")
    assert customer.location == "ontology/shop.yaml"
    assert find_loose_links({"a": read}) == ()


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("types: [1]\n", "E103", "o.yaml:1"),
        ("kinds: {}\n", "E104", "o.yaml:1"),
        ("types:\n  A: text\n", "E103", "o.yaml:2"),
        ("types:\n  A:\n    propertys: {}\n", "E104", "o.yaml:3"),
        ("types:\n  A:\n    properties:\n      x: 7\n", "E103", "o.yaml:4"),
        ("types:\n  A:\n    properties:\n      x: {kind: int}\n", "E104", "o.yaml:4"),
        ("types:\n  A:\n    links:\n      x: {}\n", "E103", "o.yaml:4"),
        ("types:\n  A:\n    backed_by: 7\n", "E103", "o.yaml:2"),
        ("types:\n  A: {description: [x]}\n", "E103", "o.yaml:2"),
        ("types: {\n", "E103", "o.yaml:2"),
    ],
)
def test_what_is_wrong_is_told_with_its_line(text: str, code: str, where: str) -> None:
    (error, *_) = load_ontology(text, "o.yaml").errors
    assert (error.code, str(error.where).startswith(where)) == (code, True), error


def test_a_link_that_leads_nowhere_is_told_with_the_nearest() -> None:
    read = load_ontology("types:\n  Order: {}\n  A:\n    links: {orders: Ordr}\n", "o.yaml")
    (error,) = find_loose_links({"o.yaml": read})
    assert (error.where, "Order" in str(error.fix)) == ("o.yaml:4", True)
    assert load_ontology("", "o.yaml").assets == ()

"""The record of an asset."""

from __future__ import annotations

import pytest

from forge.catalog.asset import AssetType, CrawledAsset


@pytest.mark.parametrize(
    ("qualified_name", "name"),
    [
        ("core.orders", "orders"),
        ("postgresql:shop.public.orders", "orders"),
        ("files:raw/orders.csv", "orders.csv"),
        ("files:raw/*.csv", "*.csv"),
        ("files:raw/", "raw"),
        ("ontology:Customer", "Customer"),
        ("orders", "orders"),
        ("x:", "x:"),
        ("x.", "x."),
    ],
)
def test_the_name_is_the_last_part(qualified_name: str, name: str) -> None:
    assert CrawledAsset(qualified_name=qualified_name, type=AssetType.TABLE, source="s").name == name

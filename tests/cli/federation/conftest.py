"""Projects with a database of a shop, as commands of federation find them."""

from __future__ import annotations

from typing import Any

import pytest
from sqlite_source import lay_shop


@pytest.fixture
def house_with_database(house: Any) -> Any:
    """data/till.db lies there, and no source reads it."""
    lay_shop(house.root / "data" / "till.db")
    return house


@pytest.fixture
def house_with_source(house_with_database: Any) -> Any:
    """The source `till` reads data/till.db."""
    added = house_with_database("source", "add", "till", "--connector", "sqlite", "--path", "data/till.db")
    assert added.status == 0, added.err
    return house_with_database

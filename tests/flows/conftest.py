"""Worlds that flows of several rooms are tried in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from orders_world import make_orders
from version_world import VersionWorld


@pytest.fixture
def world(tmp_path: Path) -> Iterator[VersionWorld]:
    """core.orders with three rows and a key, on main."""
    made = make_orders(tmp_path)
    yield made
    made.close()

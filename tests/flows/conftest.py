"""Worlds that flows of several rooms are tried in."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from kept_folder import KeptFolder
from orders_world import add_orders
from version_world import VersionWorld, kept_world


@pytest.fixture(scope="session")
def world_folder(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder:
    return KeptFolder(tmp_path_factory.mktemp("worlds"))


@pytest.fixture
def world(world_folder: KeptFolder) -> Iterator[VersionWorld]:
    """core.orders with three rows and a key, on main."""
    yield from kept_world(world_folder, "orders", add_orders)

"""An Iceberg lake whose files are hashed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from sealed_lake import SealedLake


@pytest.fixture
def sealed_lake(tmp_path: Path) -> Iterator[SealedLake]:
    made = SealedLake(tmp_path)
    yield made
    made.close()

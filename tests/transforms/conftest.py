from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

Write = Callable[[dict[str, str]], Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes files (path → text) into a project and gives its folder."""

    def files(texts: dict[str, str]) -> Path:
        for name, text in texts.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())
        return tmp_path

    return files

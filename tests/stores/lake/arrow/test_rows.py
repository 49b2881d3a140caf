"""Row work on the driver: what only it promises. All it shares with Spark is in tests/ports/test_row_work.py."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from orders_house import House
from orders_merge import Merge, put

from forge.flows.versioning.tables import FileSlice


@pytest.mark.slow
def test_each_file_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    house = House(tmp_path)
    merge = Merge(house, put((1, "ours", 1.0), where="id == 1"), put((1, "a", 9.0), where="id == 1"))
    read: list[str] = []
    original = house.tables.read_each

    def counting(part: FileSlice, columns: Any = None) -> Any:
        read.extend(file.path for file in part.files if columns is None)
        return original(part, columns)

    monkeypatch.setattr(house.tables, "read_each", counting)
    merge.write(merge.run())
    parts = (merge.work.base_ours, merge.work.ours, merge.work.theirs)
    assert sorted(read) == sorted({file.path for part in parts if part for file in part.files})
    house.close()

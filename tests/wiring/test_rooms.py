"""The wiring is a root and one record of parts per room: composed, never inherited, and built when asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from forge.settings import load_settings
from forge.wiring import Wiring

ROOMS = ("runs", "versioning", "lineage", "quality", "contracts", "catalog", "federation", "upkeep")


@pytest.fixture
def wiring(tmp_path: Path) -> Wiring:
    (tmp_path / "forge.yaml").write_text("project: shop\n")
    return Wiring(load_settings(tmp_path, {"HOME": str(tmp_path), "PATH": "", "USER": "ada"}))


@pytest.mark.parametrize("room", ROOMS)
def test_a_room_is_a_record_of_its_own_that_opens_nothing(wiring: Wiring, room: str) -> None:
    parts = getattr(wiring, room)
    assert type(parts).__bases__ == (object,)
    assert parts.wiring is wiring
    assert getattr(wiring, room) is parts
    assert not {"database", "metadata", "lake", "session", "engine"} & set(vars(wiring))
    assert not (wiring.root / ".forge").exists()


def test_the_root_inherits_from_nothing() -> None:
    assert Wiring.__bases__ == (object,)


def test_what_nobody_opened_need_not_be_closed(wiring: Wiring) -> None:
    assert wiring.lineage is not None
    wiring.close()
    assert "graph" not in vars(wiring.lineage)
    assert not {"database", "lake", "session"} & set(vars(wiring))

"""Every error code that the code raises is explained, and none is explained twice."""

from __future__ import annotations

import re
from pathlib import Path

from forge.model.codes import CODES, ENTRIES

SOURCES = Path(__file__).parents[2] / "src" / "forge"


def test_every_code_in_use_is_explained() -> None:
    used = {
        match.group(1)
        for path in SOURCES.rglob("*.py")
        for match in re.finditer(r'(?:Error\(\s*| code = )"(E\d{3})"', path.read_text(encoding="utf-8"))
    }
    assert used - CODES.keys() == set()


def test_no_code_is_there_twice() -> None:
    codes = [code for code, _ in ENTRIES]
    assert sorted(codes) == sorted(set(codes))


def test_every_explanation_says_something() -> None:
    for code in CODES.values():
        assert code.title
        assert code.meaning.endswith("."), code.code
        assert code.exit in (1, 2, 3, 4, 5, 130) or code.code == "E532", "only a note ends well"

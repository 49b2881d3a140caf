"""The walks of docs/architecture.md lead through files and functions that are there, each called by one above it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
STEP = re.compile(r"^\d+\. `([\w/]+\.py)` `(\w+)`: ", re.MULTILINE)
MOST = {"A run": 16, "A merge": 13, "A question": 14}


def walks() -> dict[str, list[tuple[str, str]]]:
    parts = PAGE.split("\n## ")[1:]
    return {part.partition(":")[0]: STEP.findall(part) for part in parts}


def test_there_are_three_and_no_line_of_them_is_written_otherwise() -> None:
    assert {name: len(steps) for name, steps in walks().items()} == {
        part.partition(":")[0]: len(re.findall(r"^\d+\. ", part, re.MULTILINE)) for part in PAGE.split("\n## ")[1:]
    }
    assert set(walks()) == set(MOST)


@pytest.mark.parametrize("name", MOST)
def test_a_walk_is_short(name: str) -> None:
    assert len({path for path, _ in walks()[name]}) <= MOST[name]


@pytest.mark.parametrize("name", MOST)
def test_each_function_is_there_and_is_called_by_a_file_above_it(name: str) -> None:
    above = ""
    for path, function in walks()[name]:
        text = (ROOT / "src" / "forge" / path).read_text("utf-8")
        defined = {getattr(node, "name", None) for node in ast.walk(ast.parse(text))}
        assert function in defined, f"{path} has no {function}"
        if above and function != "__call__":
            assert re.search(rf"\b{function}\b", above), f"nothing above {path} names {function}"
        above += text

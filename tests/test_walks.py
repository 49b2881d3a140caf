"""The walks of docs/architecture.md are short. That they are true, is held where each is done and watched: a run in
tests/spark, a merge in tests/cli/versioning, a question in tests/api/lineage."""

from __future__ import annotations

import re

import pytest
from recorded_walk import ROOT, walks

PAGE = (ROOT / "docs" / "architecture.md").read_text("utf-8")
MOST = {"A run": 16, "A merge": 13, "A question": 14}


def test_there_are_three_and_no_line_of_them_is_written_otherwise() -> None:
    assert {name: len(steps) for name, steps in walks().items()} == {
        part.partition(":")[0]: len(re.findall(r"^\d+\. ", part, re.MULTILINE)) for part in PAGE.split("\n## ")[1:]
    }
    assert set(walks()) == set(MOST)


@pytest.mark.parametrize("name", MOST)
def test_a_walk_is_short(name: str) -> None:
    assert len({path for path, _ in walks()[name]}) <= MOST[name]

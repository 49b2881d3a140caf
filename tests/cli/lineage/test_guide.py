"""The guides to lineage say what is: their commands can be typed, their numbers are those of the code."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main

from forge.cli.main import app
from forge.connection import ProjectLineage
from forge.lineage.edge import level_of
from forge.lineage.facts.evidence import CONFIDENCE

GUIDES = Path(__file__).resolve().parents[3] / "docs" / "guide"
GUIDE = (GUIDES / "lineage.md").read_text("utf-8")
BOTH = GUIDE + (GUIDES / "extraction.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", BOTH, re.MULTILINE | re.DOTALL)
LINES = [line.removeprefix("$ ") for kind, block in BLOCKS if kind in ("", "sh") for line in block.splitlines()]
COMMANDS = sorted({line for line in LINES if line.startswith("forge ")})


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_guide_can_be_typed(line: str) -> None:
    words = shlex.split(line, comments=True)[1:]
    command: Any = typer.main.get_command(app)
    while hasattr(command, "commands"):
        context = command.make_context("forge", ["--help"], resilient_parsing=True)
        name = words.pop(0)
        command = command.get_command(context, name)
        assert command is not None, f"no command {name}"
    command.make_context("forge", words)


def test_the_guide_has_commands() -> None:
    assert len(COMMANDS) > 30


def test_the_confidences_of_the_guide_are_those_of_the_rule() -> None:
    rows = re.findall(r"^\| (\w+)[^|]*\| ([\d.]+) \| (\w+) \|$", GUIDE, re.MULTILINE)
    told = {name if name != "by" else "position": (float(number), level) for name, number, level in rows}
    assert told == {str(basis): (number, level_of(number)) for basis, number in CONFIDENCE.items()}


def test_the_calls_of_the_guide_exist() -> None:
    calls = set(re.findall(r"f\.lineage\.(\w+)\(", BOTH))
    assert len(calls) > 5
    assert all(callable(getattr(ProjectLineage, name, None)) for name in calls)

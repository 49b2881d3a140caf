"""The guide to quality says what is: its commands can be typed, its files can be read, its calls exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer.main
import yaml

from forge.cli.main import app
from forge.connection import QualityView
from forge.model.names import TableName
from forge.quality.monitors.spec import read_monitor
from forge.quality.remedy import ActionKind
from forge.quality.spec import load_checks
from forge.settings.keys import Keys

GUIDE = (Path(__file__).resolve().parents[3] / "docs" / "guide" / "quality.md").read_text("utf-8")
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", GUIDE, re.MULTILINE | re.DOTALL)
LINES = [line.removeprefix("$ ") for kind, block in BLOCKS if kind in ("", "sh") for line in block.splitlines()]
COMMANDS = sorted({line for line in LINES if line.startswith("forge ")})
FILES = [yaml.safe_load(block) for kind, block in BLOCKS if kind == "yaml"]


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


def test_the_guide_has_commands_and_files() -> None:
    assert len(COMMANDS) > 25
    assert len(FILES) == 4


def test_the_checks_of_the_guide_can_be_read() -> None:
    found = [(table, items) for file in FILES for table, items in file.get("checks", {}).items()]
    assert len(found) == 2
    for table, items in found:
        assert load_checks(items, table=TableName.parse(table), where="quality.md")


def test_the_monitors_and_the_settings_of_the_guide_can_be_read() -> None:
    (monitor,) = [dict(one) for file in FILES for one in file.get("monitors", ())]
    monitor.pop("id")
    assert read_monitor(monitor)[1] == ()
    (alerts,) = [file for file in FILES if "alerts" in file]
    assert set(Keys.model_validate(alerts).alerts.channels) == {"ops", "night", "team", "robots"}


def test_the_actions_of_the_guide_are_those_there_are() -> None:
    assert set(re.findall(r"^\| `(\w+)` \|", GUIDE, re.MULTILINE)) == set(ActionKind)


def test_the_calls_of_the_guide_exist() -> None:
    calls = set(re.findall(r"f\.quality\.(\w+)\(", GUIDE))
    assert len(calls) > 6
    assert all(callable(getattr(QualityView, name, None)) for name in calls)

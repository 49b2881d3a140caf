"""The tutorial of the README, executed as it is written."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

pytestmark = pytest.mark.services

ROOT = Path(__file__).parents[2]
_FENCE = re.compile(r"^( *)```(sh|yaml|sql)\n(.*?)^ *```", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"`((?:sources|transforms)/[\w/.]+)`")


def steps_of(text: str) -> list[tuple[str, str, str]]:
    """Each block of the tutorial: its language, its text, and the file that the words before it name last."""
    section = text.split("## Five minutes on your own data")[1].split("\n## ")[0]
    found = []
    for fence in _FENCE.finditer(section):
        named = _FILE.findall(section[: fence.start()])
        found.append((fence[2], dedent(fence[3]), named[-1] if named else ""))
    return found


def commands_of(block: str) -> list[str]:
    """One command at a time, with its here-document."""
    commands: list[str] = []
    inside = False
    for line in block.splitlines():
        if inside:
            commands[-1] += f"\n{line}"
            inside = line != "END"
        elif line.strip():
            commands.append(line)
            inside = "<<'END'" in line
    return commands


def test_the_tutorial_runs_as_written(tmp_path: Path) -> None:
    folder = tmp_path
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "NO_COLOR": "1"}
    said: list[tuple[str, str]] = []
    for language, text, file in steps_of((ROOT / "README.md").read_text()):
        if language != "sh":
            (folder / file).write_text(text)
            continue
        for command in commands_of(text):
            done = subprocess.run(
                ["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
            )
            expected = 1 if "# exit status 1" in command else 0
            assert done.returncode == expected, f"{command}\n{done.stdout}{done.stderr}"
            said.append((command, done.stdout + done.stderr))
            if "cd shop" in command:
                folder = folder / "shop"
    answers = [out for command, out in said if command.startswith("forge query")]
    before, dev, after = answers
    assert "42.50" not in before
    assert "129.00" not in before  # of the commit before the second file
    assert "258.00" in dev  # twice 129.00, on the branch alone
    assert "129.00" in after
    assert "258.00" not in after
    assert "-500" not in after
    runs = [out for command, out in said if command.startswith("forge run")]
    assert "up to date" in runs[1].lower() or "nothing to do" in runs[1].lower()
    assert "smallest" in runs[-1]
    assert "-500" in runs[-1]

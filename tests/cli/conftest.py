"""Projects on real SQLite stores: a fresh one of `forge init`, and one with a recorded history. No JVM."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from recorded_history import MORNING, History, write_history
from typer.testing import CliRunner

from forge.cli.main import app
from forge.wiring import Wiring


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    status: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Forge = Callable[..., Ended]


@pytest.fixture
def forge(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Forge:
    """`forge(*words, at=folder)` in this process."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.setenv("NO_COLOR", "")

    def call(*words: str, at: Path | None = None, stdin: str | None = None) -> Ended:
        monkeypatch.chdir(at or tmp_path)
        result = CliRunner().invoke(app, list(words), input=stdin, prog_name="forge")
        return Ended(result.exit_code, result.stdout, result.stderr)

    return call


@pytest.fixture
def forge_process(tmp_path: Path) -> Callable[..., subprocess.Popen[str]]:
    """The same in a process of its own, for what only a process shows: signals, pipes, imports, a JVM."""

    def start(*words: str, at: Path | None = None, **environ: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "forge.cli.main", *words],
            cwd=at or tmp_path,
            env={**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "no-config"), **environ},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    return start


@pytest.fixture
def project(forge: Forge, tmp_path: Path) -> Path:
    """What `forge init` makes."""
    assert forge("init", "shop").status == 0
    return tmp_path / "shop"


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[History]:
    root = tmp_path_factory.mktemp("history") / "shop"
    result = CliRunner().invoke(app, ["init", str(root)])
    assert result.exit_code == 0, result.output
    wiring = Wiring.of(root, clock=lambda: MORNING + timedelta(days=2))
    yield write_history(wiring)
    wiring.close()

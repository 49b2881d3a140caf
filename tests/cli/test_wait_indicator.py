"""A wait of more than a second is shown to who watches, and to nobody else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from forge.cli.wait_indicator import CLEAR

pytestmark = pytest.mark.slow

PROGRAM = """
import time
import typer
from forge.cli.command import command
from forge.cli.terminal import Terminal

@command
def slow(terminal: Terminal) -> None:
    terminal.doing("Counting")
    time.sleep(2.5)
    terminal.say("done")

app = typer.Typer()
app.command()(slow)
app()
"""


def watched(program: str, *words: str) -> str:
    """What a person sees on a terminal."""
    master, slave = pty.openpty()
    environ = {**os.environ, "TERM": "xterm"}
    process = subprocess.Popen(
        [sys.executable, "-c", program, *words], stdout=slave, stderr=slave, stdin=slave, env=environ
    )
    os.close(slave)
    seen = b""
    while True:
        try:
            chunk = os.read(master, 4096)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    os.close(master)
    assert process.wait(timeout=60) == 0, seen.decode()
    return seen.decode()


def test_a_wait_is_shown_with_what_it_is_for_and_is_gone_before_the_next_line() -> None:
    seen = watched(PROGRAM)
    assert "Counting … 1 s" in seen
    assert "Ctrl-C ends it" in seen
    assert seen.rstrip().endswith(f"{CLEAR}done")


def test_who_asks_for_nothing_that_moves_gets_nothing() -> None:
    assert watched(PROGRAM, "--no-progress").split() == ["done"]
    assert watched(PROGRAM, "--quiet").split() == []


def test_a_pipe_gets_nothing(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("", "done\n")

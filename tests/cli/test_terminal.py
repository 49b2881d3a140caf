"""Tables and colour on a terminal only, seen from a real one."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

COLOUR = re.compile(r"\x1b\[[0-9;]*3[0-7]m")


def on_a_terminal(folder: Path, *words: str, **environ: str) -> str:
    """What `forge` writes when stdout is a terminal of 80 columns."""
    master, slave = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "NO_COLOR"}
    process = subprocess.Popen(
        [sys.executable, "-m", "forge.cli.main", *words],
        cwd=folder,
        env={**clean, "TERM": "xterm", "COLUMNS": "80", **environ},
        stdin=subprocess.DEVNULL,
        stdout=slave,
        stderr=subprocess.DEVNULL,
    )
    os.close(slave)
    parts = []
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # Linux says so when the other side is closed
            break
        if not part:
            break
        parts.append(part)
    os.close(master)
    assert process.wait(timeout=60) == 0
    return b"".join(parts).decode()


def test_a_terminal_gets_colour_and_a_frame(history: Any) -> None:
    text = on_a_terminal(history.root, "log")
    assert COLOUR.search(text)
    assert "─" in text
    assert history.second.id[:12] in text


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_that_wants_no_colour_gets_none(history: Any, environ: dict[str, str]) -> None:
    text = on_a_terminal(history.root, "log", **environ)
    assert not COLOUR.search(text)
    assert history.second.id[:12] in text


def test_data_in_another_format_is_never_decorated(history: Any) -> None:
    assert "\x1b" not in on_a_terminal(history.root, "log", "--json")


@pytest.mark.parametrize(
    "words",
    [("show",), ("show", "marts.revenue"), ("runs",), ("runs", "r3"), ("upstream", "marts.revenue"), ("explain",)],
)
def test_what_is_shown_fits_eighty_columns(history: Any, words: tuple[str, ...]) -> None:
    from rich.cells import cell_len

    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", on_a_terminal(history.root, *words))
    assert max(cell_len(line) for line in text.replace("\r", "").splitlines() if not line.startswith("commit ")) <= 80

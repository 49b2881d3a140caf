"""What a person sees while a run works."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import sys
from pathlib import Path

import pytest

from forge.cli.runs.run_display import RunDisplay
from forge.flows.runs.build import StepEvent
from forge.model.names import RunId, TableName
from forge.wiring import Wiring

RUN = RunId("r1")
ORDERS, REVENUE = TableName("raw", "orders"), TableName("marts", "revenue")
EVENTS = (
    StepEvent(RUN, ORDERS, "started"),
    StepEvent(RUN, ORDERS, "staged", "1,000 rows"),
    StepEvent(RUN, ORDERS, "passed"),
    StepEvent(RUN, REVENUE, "blocked", "2 rows outside"),
    StepEvent(RUN, None, "publishing", "1 tables"),
    StepEvent(RUN, None, "published", "0ca6121339a9a05d"),
)


@pytest.fixture
def wiring(tmp_path: Path) -> Wiring:
    (tmp_path / "forge.yaml").touch()
    return Wiring.of(tmp_path)


def test_without_a_terminal_each_event_is_a_line(wiring: Wiring, capsys: pytest.CaptureFixture[str]) -> None:
    with RunDisplay(wiring=wiring) as display:
        for event in EVENTS:
            display.notify(event)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["raw.orders", "started"],
        ["raw.orders", "staged"],
        ["raw.orders", "passed"],
        ["marts.revenue", "blocked"],
    ]
    assert "1,000 rows" in lines[1]
    assert "\x1b" not in err


def test_quiet_shows_nothing(wiring: Wiring, capsys: pytest.CaptureFixture[str]) -> None:
    with RunDisplay(wiring=wiring, quiet=True) as display:
        for event in EVENTS:
            display.notify(event)
    assert capsys.readouterr() == ("", "")


def drawn(wiring: Wiring, monkeypatch: pytest.MonkeyPatch, *, progress: bool = True) -> str:
    """What a real terminal gets."""
    master, slave = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "80")
    with os.fdopen(slave, "w") as screen:
        monkeypatch.setattr(sys, "stderr", screen)
        with RunDisplay(wiring=wiring, progress=progress) as display:
            for event in EVENTS:
                display.notify(event)
        monkeypatch.undo()
    shown = b""
    with contextlib.suppress(OSError):  # what the kernel still has, then EIO: nobody writes any more
        while chunk := os.read(master, 65536):
            shown += chunk
    os.close(master)
    return shown.decode()


def test_on_a_terminal_what_is_done_stays_and_has_a_mark(wiring: Wiring, monkeypatch: pytest.MonkeyPatch) -> None:
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn(wiring, monkeypatch))
    assert re.search(r"✓ raw\.orders +passed  [0-9.]+ s  1,000 rows", text)
    assert re.search(r"✗ marts\.revenue +blocked  [0-9.]+ s  2 rows outside", text)


def test_no_progress_means_plain_lines_on_a_terminal_too(wiring: Wiring, monkeypatch: pytest.MonkeyPatch) -> None:
    text = drawn(wiring, monkeypatch, progress=False)
    assert "\x1b" not in text
    assert "raw.orders                    started" in text


def test_watching_a_run_starts_no_spark(wiring: Wiring, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn(wiring, monkeypatch)
    assert not wiring.session.started

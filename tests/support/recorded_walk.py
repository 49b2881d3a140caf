"""What really happens in a call, held against the walks of docs/architecture.md."""

from __future__ import annotations

import re
import sys
import threading
from collections.abc import Callable, Mapping, Sequence, Set
from pathlib import Path
from types import FrameType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
SOURCE = f"{ROOT / 'src' / 'forge'}/"
STEP = re.compile(r"^\d+\. `([\w/]+\.py)` `(\w+)`: ", re.MULTILINE)

Step = tuple[str, str]  # a file below src/forge, and a function of it


def walks() -> dict[str, list[Step]]:
    """The steps of each walk, by the first words of its title."""
    parts = (ROOT / "docs" / "architecture.md").read_text("utf-8").split("\n## ")[1:]
    return {part.partition(":")[0]: STEP.findall(part) for part in parts}


def record_calls(act: Callable[[], object]) -> dict[Step, set[str]]:
    """Functions of Forge in the order in which they were first called, each with the files that it was called from,
    directly or through others. Threads that begin meanwhile are watched, too."""
    found: dict[Step, set[str]] = {}

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(SOURCE):
            step = (frame.f_code.co_filename.removeprefix(SOURCE), frame.f_code.co_name)
            if step not in found:
                found[step] = set(_callers(frame))

    threading.setprofile(note)
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return found


def _callers(frame: FrameType) -> list[str]:
    files = []
    while frame.f_back is not None:
        frame = frame.f_back
        files.append(frame.f_code.co_filename.removeprefix(SOURCE))
    return files


def assert_walk(steps: Sequence[Step], called: Mapping[Step, Set[str]], begin_threads: Set[str] = frozenset()) -> None:
    """All steps were called, in this order, and each below a file of an earlier step, but those of files that threads
    begin with."""
    assert [step for step in steps if step not in called] == [], "not called at all"
    order = list(called)
    assert list(steps) == sorted(steps, key=order.index), "called in another order"
    above: set[str] = set()
    for file, function in steps:
        from_above = not above or file in begin_threads or called[file, function] & above
        assert from_above, f"{file} {function} was called from elsewhere"
        above.add(file)

"""Revisions as people write them: `main`, `HEAD~2`, `3f2a`, `2026-11-14`, `2026-11-14T06:00`, `main@2026-11-14`."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from forge.model.errors import ForgeError
from forge.model.time import as_utc

_STEPS = re.compile(r"(.*?)((?:~\d*|\^)*)")
_STEP = re.compile(r"~(\d*)|\^")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")


@dataclass(frozen=True, slots=True)
class Revision:
    """A starting point (branch, tag, commit or time; HEAD is the current branch) and steps back along first parents."""

    name: str
    steps: int = 0
    time: datetime | None = None


def parse_revision(text: str) -> Revision:
    match = _STEPS.fullmatch(text.strip())
    if not match or not match.group(1):
        raise ForgeError(
            "E601",
            f"'{text}' is not a revision",
            why="A revision is a branch, a commit, HEAD, HEAD~2 or a time.",
            fix="Write it like main, HEAD~2, 3f2a91 or 2026-11-14.",
        )
    name, tail = match.group(1), match.group(2)
    steps = sum(int(step.group(1) or 1) if step.group(0) != "^" else 1 for step in _STEP.finditer(tail))
    branch, at, moment = name.rpartition("@")
    if at and _TIME.fullmatch(moment):
        return Revision(branch or "HEAD", steps, _time(moment, text))
    if _TIME.fullmatch(name):
        return Revision("HEAD", steps, _time(name, text))
    return Revision(name, steps)


def _time(moment: str, text: str) -> datetime:
    """A bare day means its end: everything of that day is in."""
    try:
        time = as_utc(datetime.fromisoformat(moment))
    except ValueError as error:
        raise ForgeError("E601", f"'{text}' is not a time", why=str(error), fix="Write 2026-11-14T06:00.") from error
    return time if len(moment) > 10 else time.replace(hour=23, minute=59, second=59, microsecond=999_999)


def parse_range(text: str) -> tuple[str, str]:
    """`A..B`; `A` alone is `A..HEAD`, `A..` too."""
    left, dots, right = text.partition("..")
    return (left or "HEAD", right or "HEAD") if dots else (text, "HEAD")

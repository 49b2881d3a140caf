"""Revisions as people write them: `main`, `v1.0`, `HEAD~2`, `HEAD^2`, `3f2a`, `2026-11-14`, `main@2026-11-14`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime

from forge.model.time import as_utc
from forge.versioning.errors import UnknownRevisionError

_STEPS = re.compile(r"(.*?)((?:[~^]\d*)*)")
_STEP = re.compile(r"([~^])(\d*)")
_TIME = re.compile(r"\d{4}-\d{2}-\d{2}([T ].*)?")


@dataclass(frozen=True, slots=True)
class AncestorStep:
    """A step to a parent, repeated; `^2` is the second parent of a merge."""

    parent: int = 1
    times: int = 1


@dataclass(frozen=True, slots=True)
class Revision:
    """A starting point (branch, tag, commit or time; HEAD is the current branch) and steps back from there."""

    name: str
    steps: tuple[AncestorStep, ...] = ()
    time: datetime | None = None
    word: str = field(default="", compare=False)  # all before the steps: a branch may be called 2026-11-14


def parse_revision(text: str) -> Revision:
    match = _STEPS.fullmatch(text.strip())
    if not match or not match.group(1):
        raise UnknownRevisionError(
            f"'{text}' is not a revision",
            why="A revision is a branch, a tag, a commit, HEAD, HEAD~2, HEAD^2 or a time.",
            fix="Write it like main, v1.0, HEAD~2, 3f2a91 or 2026-11-14.",
        )
    name, tail = match.group(1), match.group(2)
    steps = tuple(step for sign, number in _STEP.findall(tail) if (step := _step(sign, number)) is not None)
    branch, at, moment = name.rpartition("@")
    if at and _TIME.fullmatch(moment):
        return Revision(branch or "HEAD", steps, _time(moment, text), name)
    if _TIME.fullmatch(name):
        return Revision("HEAD", steps, _time(name, text), name)
    return Revision(name, steps, word=name)


def _step(sign: str, number: str) -> AncestorStep | None:
    """`~0` and `^0` are the commit itself."""
    value = int(number[:9]) if number else 1  # no history is longer, and a text of digits may be
    if value == 0:
        return None
    return AncestorStep(times=value) if sign == "~" else AncestorStep(parent=value)


def _time(moment: str, text: str) -> datetime:
    """A bare day means its end: the whole day is included."""
    try:
        time = as_utc(datetime.fromisoformat(moment))
    except (ValueError, OverflowError) as error:
        raise UnknownRevisionError(f"'{text}' is not a time", why=str(error), fix="Write 2026-11-14T06:00.") from error
    return time if len(moment) > 10 else time.replace(hour=23, minute=59, second=59, microsecond=999_999)


def parse_range(text: str) -> tuple[str, str]:
    """`A..B`; `A` alone is `A..HEAD`, `A..` too."""
    left, dots, right = text.partition("..")
    return (left or "HEAD", right or "HEAD") if dots else (text, "HEAD")

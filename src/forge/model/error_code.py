"""An error code."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

from forge.model.errors import ErrorKind

FINE = 0
FINDINGS, USAGE, COULD_NOT_RUN, NOT_ALLOWED, CANNOT_CONNECT, INTERRUPTED = 1, 2, 3, 4, 5, 130


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCode:
    code: str
    kind: ErrorKind
    title: str
    meaning: str
    exit: int
    why: str = ""
    found: int | None = None  # the exit status where it is only a finding, not the end of the command


def _entry(
    kind: ErrorKind,
    code: str,
    title: str,
    meaning: str,
    exit: int = COULD_NOT_RUN,
    why: str = "",
    found: int | None = None,
) -> tuple[str, ErrorCode]:
    return code, ErrorCode(code=code, kind=kind, title=title, meaning=meaning, exit=exit, why=why, found=found)


invalid = partial(_entry, ErrorKind.INVALID)
not_found = partial(_entry, ErrorKind.NOT_FOUND)
conflict = partial(_entry, ErrorKind.CONFLICT)
refused = partial(_entry, ErrorKind.REFUSED)
unavailable = partial(_entry, ErrorKind.UNAVAILABLE)

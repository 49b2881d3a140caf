"""What an error code is."""

from __future__ import annotations

from dataclasses import dataclass

from forge.model.errors import Kind

FINE = 0
FINDINGS, USAGE, COULD_NOT_RUN, NOT_ALLOWED, CANNOT_CONNECT, INTERRUPTED = 1, 2, 3, 4, 5, 130


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    code: str
    kind: Kind
    title: str
    meaning: str
    exit: int
    why: str = ""
    found: int | None = None  # the exit status where it is told as a finding and is not what ended the command


def told(
    code: str, kind: Kind, title: str, meaning: str, exit: int, why: str = "", found: int | None = None
) -> tuple[str, Code]:
    return code, Code(code=code, kind=kind, title=title, meaning=meaning, exit=exit, why=why, found=found)

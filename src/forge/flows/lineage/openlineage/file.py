"""OpenLineage events in a file."""

from __future__ import annotations

import json
from dataclasses import dataclass

from forge.model.errors import ForgeError, errors_of


@dataclass(frozen=True, slots=True)
class FileEvents:
    """`events` by line number; `broken`: lines that are not JSON, with the reason. `lines`: one event per line, so that
    pointers need no index."""

    events: tuple[tuple[int, object], ...] = ()
    broken: tuple[tuple[int, str], ...] = ()
    lines: bool = False


def events_in(text: str) -> FileEvents:
    """One in each line, or one, or a list."""
    try:
        whole = json.loads(text)
    except (ValueError, RecursionError):
        return _lines(text)
    return FileEvents(tuple((1, one) for one in (whole if isinstance(whole, list) else [whole])))


def _lines(text: str) -> FileEvents:
    found: list[tuple[int, object]] = []
    broken: list[tuple[int, str]] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            found += [(number, json.loads(line))] if line.strip() else []
        except (ValueError, RecursionError) as error:
            broken.append((number, f"it is no JSON: {error}"))
    return FileEvents(tuple(found), tuple(broken), lines=True)


def faults_in(file: str, found: FileEvents, index: int, error: ForgeError) -> tuple[ForgeError, ...]:
    """What is wrong with one event, with its place in the file."""
    line = found.events[index][0]
    return tuple(one.but(where=_place(file, line, found, index, one)) for one in errors_of(error))


def _place(file: str, line: int, found: FileEvents, index: int, error: ForgeError) -> str:
    pointer = error.where or ""
    if not found.lines:
        return f"{file} {pointer}"
    return f"{file}:{line} {pointer.removeprefix(f'/{index}') or '/'}"

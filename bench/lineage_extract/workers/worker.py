"""What the workers share: one process per tool, cases as JSON on stdin, one line of JSON for each answer.

Nothing here but the standard library, for it runs beside the packages of each tool."""

from __future__ import annotations

import json
import os
import re
import signal
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

Schema = Mapping[str, Mapping[str, str]]  # table → {column: type}
Pair = tuple[str, str]  # (source column, target column), each with its table before it

TEMPORARY = re.compile(
    r"^\s*create\s+(?:or\s+replace\s+)?(?:(?:global|local)\s+)?temp(?:orary)?\s+(?:view|table)\s+"
    r"(?:if\s+not\s+exists\s+)?([\w.#`\"\[\]]+)",
    re.IGNORECASE,
)


class TooSlow(BaseException):
    """Not an Exception: tools catch those."""


class NotRead(Exception):
    """The tool said so itself. `pairs` is what it found nevertheless."""

    def __init__(self, reason: str, pairs: Sequence[Pair] = ()) -> None:
        super().__init__(reason)
        self.pairs = pairs


@dataclass(frozen=True)
class Case:
    id: int
    script: str
    dialect: str
    schema: Schema
    db: str
    default_schema: str


class Views:
    """Temporary views of a script, for tools that name them: what was read at the time it was read."""

    def __init__(self) -> None:
        self._made: dict[str, dict[str, list[str]]] = {}

    def through(self, statement: str, pairs: Iterable[Pair]) -> list[Pair]:
        found = [(real, target) for source, target in pairs for real in self._real(source)]
        made = TEMPORARY.match(without_comments(statement))
        if not made:
            return [(source, target) for source, target in found if "#" not in target.rpartition(".")[0]]
        name = plain(made[1]).rpartition(".")[2]
        view = self._made[name] = {}
        for source, target in found:
            view.setdefault(target.rpartition(".")[2].lower(), []).append(source)
        return []

    def _real(self, source: str) -> list[str]:
        table, _, column = source.rpartition(".")
        view = self._made.get(plain(table).rpartition(".")[2])
        return [source] if view is None else view.get(column.lower(), [])


def plain(name: str) -> str:
    return re.sub(r"[`\"\[\]]", "", name).lower()


def without_comments(text: str) -> str:
    return re.sub(r"--[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def table_of(name: str, schema: Schema) -> Mapping[str, str]:
    """What is known of a table, by its whole name or by the end of it."""
    wanted = plain(name)
    by_name = {plain(one): columns for one, columns in schema.items()}
    if wanted in by_name:
        return by_name[wanted]
    ends = [columns for one, columns in by_name.items() if one.endswith(f".{wanted}") or wanted.endswith(f".{one}")]
    return ends[0] if len(ends) == 1 else {}


def serve(read: Callable[[Case], Iterable[Pair]]) -> None:
    """Each case once, for some tools keep what they have seen; what a tool loads at first is not counted."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # tools print
    job = json.load(sys.stdin)
    signal.signal(signal.SIGALRM, _too_slow)
    schemas = job["schemas"]
    cases = [Case(schema=schemas[case.pop("schema")], **case) for case in job["cases"]]
    for case in cases[:1]:
        script = "CREATE TABLE warm.up AS SELECT count(a) AS b FROM warm.er WHERE c > 1"
        _answer(read, Case(-1, script, case.dialect, case.schema, "", ""), job["limit"])
    for case in cases:
        out.write(json.dumps(_answer(read, case, job["limit"])) + "\n")
        out.flush()


def _too_slow(signum: int, frame: object) -> None:
    raise TooSlow


def _answer(read: Callable[[Case], Iterable[Pair]], case: Case, limit: float) -> dict[str, object]:
    pairs: Sequence[Pair] = ()
    error = ""
    began = time.process_time()
    signal.setitimer(signal.ITIMER_REAL, limit)
    try:
        pairs = list(read(case))
    except TooSlow:
        error = "too slow"
    except NotRead as problem:
        pairs, error = problem.pairs, str(problem) or "not read"
    except RecursionError:
        error = "RecursionError"
    except Exception as problem:
        error = f"{type(problem).__name__}: {problem}"[:200]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    seconds = time.process_time() - began
    return {"id": case.id, "pairs": sorted(set(pairs)), "seconds": seconds, "error": error}

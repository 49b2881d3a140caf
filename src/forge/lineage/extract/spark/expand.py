"""The rows of an Expand node, from the text of the plan.

Spark's JSON omits them where they are not Scala lists, as in `DataFrame.unpivot`; the text has them:
`Expand [[id#1, name, name#2], [id#1, mail, mail#3]], [id#1, k#7, v#8]`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_EXPAND = re.compile(r"\bExpand (\[\[.*\]\]), \[([^\[\]]*)\]\s*$")
_ID = re.compile(r"#(\d+)L?\b")
_PLAIN = re.compile(r"[^\s#()]+#\d+L?")


@dataclass(frozen=True, slots=True)
class ExpandCell:
    """`ids`: of its columns. `is_plain`: an unchanged column."""

    text: str
    ids: tuple[int, ...]
    is_plain: bool


def find_rows(plan_text: str, output: Sequence[int]) -> tuple[tuple[ExpandCell, ...], ...]:
    """Of the Expand with these output ids; empty where the text does not show them beyond doubt."""
    for line in plan_text.splitlines():
        found = _EXPAND.search(line)
        if found is None or [int(number) for number in _ID.findall(found[2])] != list(output):
            continue
        rows = tuple(
            tuple(_cell(text) for text in _split(row[1:-1])) for row in _split(found[1][1:-1]) if row.startswith("[")
        )
        return rows if all(len(row) == len(output) for row in rows) else ()
    return ()


def _cell(text: str) -> ExpandCell:
    ids = tuple(int(number) for number in _ID.findall(text))
    return ExpandCell(_ID.sub("", text), ids, _PLAIN.fullmatch(text) is not None)


def _split(text: str) -> list[str]:
    """At the commas outside of all brackets."""
    parts, depth, start = [], 0, 0
    for position, letter in enumerate(text):
        if letter in "[(":
            depth += 1
        elif letter in "])":
            depth -= 1
        elif letter == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    return [*parts, text[start:].strip()]

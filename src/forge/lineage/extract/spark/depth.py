"""Nesting depth of conditions in a plan, from its text.

In Spark's JSON, CASE and replaced functions such as nvl contain their children twice, so the JSON doubles with each
level and sixteen levels exhaust the driver. The text of a plan is linear.
"""

from __future__ import annotations

import re

from forge.model.word_list import words

DEEPEST = 10
"""Levels that are still read: the JSON is then about a thousand times as long as it should be, some megabytes."""

_TWICE = frozenset(
    words(
        "between btrim date_part extract ifnull left nullif nullifzero nvl nvl2 right split_part to_date to_timestamp "
        "try_add try_divide try_multiply try_subtract try_to_date try_to_timestamp zeroifnull"
    )
)
_TOKEN = re.compile(r"\bCASE WHEN\b|\bEND\b|\b[a-z_0-9]+\(|\(|\)")
_TABLE = re.compile(r"RelationV2\[.*\] (\S+)")
_LEAF = re.compile(r"RelationV2\[[^#\]]*#(\d+)[^\]]*\] ([^\s,]+)|Relation (\S+)\[[^#\]]*#(\d+)L?")
_UNNAMED = re.compile(r"[+:]?-? ?Relation \[")


def nesting(plan_text: str) -> int:
    return max((_nesting_of_line(line) for line in plan_text.splitlines()), default=0)


def tables_in(plan_text: str) -> frozenset[str]:
    """Catalog names of the tables read."""
    return frozenset(_TABLE.findall(plan_text))


def leaves_in(plan_text: str) -> dict[int, str]:
    """Catalog names of the tables read, by the expression id of their first column."""
    return {int(first or other): name or named for first, name, named, other in _LEAF.findall(plan_text)}


def reads_unnamed(plan_text: str) -> bool:
    """Files or JDBC, which have no name in a plan."""
    return any(_UNNAMED.search(line) for line in plan_text.splitlines())


def _nesting_of_line(line: str) -> int:
    # One entry per open CASE or parenthesis: what it adds. Literals are unquoted in the text, so a stray
    # parenthesis in one may miscount by one.
    opened: list[int] = []
    depth = deepest = 0
    for word in _TOKEN.findall(line):
        if word in {")", "END"}:
            depth -= opened.pop() if opened else 0
            continue
        adds = int(word == "CASE WHEN" or word[:-1] in _TWICE)
        opened.append(adds)
        depth += adds
        deepest = max(deepest, depth)
    return deepest

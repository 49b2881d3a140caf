"""What a query holds whose value is not that of its rows alone: time, chance, the session, an unknown function."""

from __future__ import annotations

import re

from sqlglot import exp

_CLASS = re.compile(r"Current|Session|Local|Systimestamp|Utc|Rand|Uniform|Uuid|Shuffle|Version|User")
_SAME_EACH_TIME = frozenset({"LocalityHash"})
_BARE = frozenset({"user", "localtime", "localtimestamp", "sysdate", "now"})
_WORD = re.compile(r"\s*(now|today|yesterday|tomorrow)\b", re.IGNORECASE)


def find_volatile(tree: exp.Expr) -> str | None:
    """The first of them, in words; None: the same rows give the same answer. Rather too much than too little: a
    function that nobody lists is one of them."""
    for node in tree.walk():
        found = _volatile(node)
        if found:
            return found
    return None


def says_a_day(value: object) -> bool:
    """'today' is another day tomorrow, where Spark or a source takes the text for a time."""
    return isinstance(value, str) and _WORD.match(value) is not None


def _volatile(node: exp.Expr) -> str | None:
    if isinstance(node, exp.TableSample):
        return "TABLESAMPLE takes other rows each time"
    if isinstance(node, exp.Anonymous):
        return f"it is not known that {node.name.lower()} gives the same each time"
    if isinstance(node, exp.Func) and _CLASS.search(type(node).__name__) and type(node).__name__ not in _SAME_EACH_TIME:
        return f"{node.sql_name().lower()} is not the same each time"
    if isinstance(node, exp.Column) and not node.table:
        name = node.name.lower()
        if name in _BARE or name.startswith(("current_", "session_")):
            return f"{name} is not the same each time"
    if isinstance(node, exp.Literal) and node.is_string and says_a_day(node.this):
        return f"'{node.this.strip()}' is another time later"
    if isinstance(node, exp.UnixSeconds | exp.TimeToUnix | exp.StrToUnix) and not node.this:
        return "unix_timestamp is not the same each time"
    return None

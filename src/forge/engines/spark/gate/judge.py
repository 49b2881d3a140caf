"""Judges a tree by the allow-list. Pure: takes what the JVM listed, raises an error or returns nothing."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable

from forge.engines.spark.gate import allow_list
from forge.engines.spark.gate.java import TreePart
from forge.model.errors import ForgeError
from forge.model.name_suggestions import did_you_mean

CODE = "E216"
_FIX = "Write it as a SELECT over tables of the lake; what a pipeline needs goes into a transform of the project."
_CALLS = ("UnresolvedFunction", "UnresolvedGenerator", "UnresolvedTableValuedFunction")


def judge_query(parts: Iterable[TreePart], views: Collection[str], where: str) -> None:
    """A parsed query. `views` are the names of the pinned tables; other than them it can read only what it defines
    itself."""
    found = tuple(parts)
    ctes = {name.lower() for part in found if _name(part) == "UnresolvedWith" for name in part.names}
    allowed = allow_list.PARSED_EXPRESSIONS | allow_list.SUBQUERIES | allow_list.PARSED_PLANS
    for part in found:
        _judge_class(part, allowed, where)
        if _name(part) == "UnresolvedRelation":
            _judge_relation(part, views, ctes, where)
        _judge_call(part, where)


def judge_expression(parts: Iterable[TreePart], where: str) -> None:
    """A parsed expression over the columns of a table: without subqueries."""
    for part in parts:
        if part.type in allow_list.SUBQUERIES:
            raise _refused(
                "a query within an expression",
                where,
                "An expression looks at one row of its table; a check of type query looks at tables.",
            )
        _judge_class(part, allow_list.PARSED_EXPRESSIONS, where)
        _judge_call(part, where)


def judge_analysed(parts: Iterable[TreePart], views: Collection[str], classes: Collection[str], where: str) -> None:
    """The same query as analysed by Spark. `classes` are those of the allowed functions."""
    allowed = allow_list.ANALYSED_PLANS | allow_list.ANALYSED_EXPRESSIONS
    for part in parts:
        if part.type not in classes:
            _judge_class(part, allowed, where)
        if _name(part) == "View" and not set(part.names) <= set(views):
            raise _refused("a view that was not pinned", where)
        if _name(part) == "Range" and int(part.names[0]) > allow_list.MOST_ROWS_OF_RANGE:
            raise _refused(
                f"range(…) of {int(part.names[0]):,} rows",
                where,
                f"It may have {allow_list.MOST_ROWS_OF_RANGE:,} of them.",
            )


def _judge_class(part: TreePart, allowed: Collection[str], where: str) -> None:
    if part.is_node:
        if part.type not in allowed:
            raise _refused(_words(part), where, allow_list.WHY.get(_name(part)))
    elif part.type not in allow_list.PARTS and not part.type.startswith(allow_list.TYPES):
        raise _refused(_words(part), where, allow_list.WHY.get(_name(part)))


def _judge_relation(part: TreePart, views: Collection[str], ctes: Collection[str], where: str) -> None:
    if len(part.names) == 1 and (part.names[0] in views or part.names[0].lower() in ctes):
        return
    why = "Only tables of the lake can be read, as schema.table: no files, and no other catalog."
    raise _refused(f"reading from {'.'.join(part.names)}", where, why)


def _judge_call(part: TreePart, where: str) -> None:
    if _name(part) not in _CALLS:
        return
    name = ".".join(part.names).lower()
    known = allow_list.FUNCTIONS if _name(part) == "UnresolvedFunction" else allow_list.TABLE_FUNCTIONS
    if len(part.names) == 1 and name in known:
        return
    if name in allow_list.REFUSED_FUNCTIONS:
        why = allow_list.REFUSED_FUNCTIONS[name]
        raise _refused(f"the function {name}", where, f"{why[0].upper()}{why[1:]}.")
    near = did_you_mean(name, known) if len(part.names) == 1 else None
    where_it_stands = " in FROM" if known is allow_list.TABLE_FUNCTIONS else ""
    raise ForgeError(
        "E211" if near else CODE,
        f"Unknown function {name}" if near else f"The function {name} may not be called{where_it_stands} here",
        where=where,
        why="Functions of a fixed list can be called here: those of Spark that only compute.",
        fix=near or _FIX,
    )


def _refused(what: str, where: str, why: str | None = None) -> ForgeError:
    reason = why or "Only what reads and computes is allowed in SQL from outside the project."
    return ForgeError(
        CODE,
        f"{what[0].upper()}{what[1:]} is not allowed here",
        where=where,
        why=reason if reason.endswith(".") else f"{reason[0].upper()}{reason[1:]}.",
        fix=_FIX,
    )


def _name(part: TreePart) -> str:
    return re.split(r"[.$]", part.type.rstrip("$"))[-1]


def _words(part: TreePart) -> str:
    """`InsertIntoStatement` as a person says it: insert into statement."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", _name(part)).removeprefix("Unresolved ").lower()

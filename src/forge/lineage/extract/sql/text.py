"""Expressions as SQL text, for display."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache

from sqlglot import exp
from sqlglot.dialects.dialect import Dialect
from sqlglot.errors import ErrorLevel
from sqlglot.generator import Generator

_SIGNS: dict[type[exp.Expr], str] = {
    exp.Add: " + ",
    exp.Sub: " - ",
    exp.Mul: " * ",
    exp.EQ: " = ",
    exp.NEQ: " <> ",
    exp.GT: " > ",
    exp.GTE: " >= ",
    exp.LT: " < ",
    exp.LTE: " <= ",
    exp.And: " AND ",
    exp.Or: " OR ",
}
_CALLS: dict[type[exp.Expr], str] = {
    exp.Sum: "SUM",
    exp.Avg: "AVG",
    exp.Max: "MAX",
    exp.Min: "MIN",
    exp.Upper: "UPPER",
    exp.Lower: "LOWER",
    exp.Abs: "ABS",
    exp.Coalesce: "COALESCE",
    exp.Count: "COUNT",
}
_LONGEST = 4000


@lru_cache(maxsize=64)
def _generator(dialect: str) -> Generator:
    return Dialect.get_or_raise(dialect).generator(comments=False, unsupported_level=ErrorLevel.IGNORE)


def text_of(node: exp.Expr, dialect: str) -> str:
    """As SQL of the dialect. sqlglot's own generator copies a tree before it writes it, so what most expressions
    are made of is written here."""
    found = _quick(node, dialect)
    if found is not None:
        return found
    try:
        text = str(_generator(dialect).generate(node, copy=True))
    except (RecursionError, ValueError, TypeError, AttributeError, KeyError):
        return str(node.key).upper()  # too deep, or a tree that sqlglot reads but cannot write; only the text suffers
    return _cut(text)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


Waiting = list[exp.Expr | str]


def _quick(node: exp.Expr, dialect: str) -> str | None:
    """None: something is in it that is not known here."""
    parts: list[str] = []
    waiting: Waiting = [node]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            parts.append(one)
            continue
        cls = type(one)
        if cls is exp.Column:
            if not _plain_column(one, parts):
                return None
        elif cls is exp.Literal:
            if one.args["is_string"] and any(sign in one.name for sign in "'\\\n"):
                return None
            parts.append(f"'{one.name}'" if one.args["is_string"] else one.name)
        elif cls in _SIGNS:
            waiting += (one.args["expression"], _SIGNS[cls], one.args["this"])
        elif cls is exp.Paren:
            waiting += (")", one.args["this"], "(")
        else:
            writer = _WRITERS.get(cls)
            if writer is None or not writer(one, waiting, dialect):
                return None
        if len(parts) > _LONGEST:
            break
    return _cut("".join(parts))


def _write_call(node: exp.Expr, waiting: Waiting, dialect: str) -> bool:
    name = node.name.upper() if isinstance(node, exp.Anonymous) else _CALLS[type(node)]
    arguments = node.expressions if isinstance(node, exp.Anonymous) else [node.args.get("this"), *node.expressions]
    if not all(isinstance(argument, exp.Expr) for argument in arguments) or not isinstance(name, str):
        return False
    waiting.append(")")
    _write_list(arguments, waiting)
    waiting.append(f"{name}(")
    return True


def _write_list(nodes: Sequence[exp.Expr], waiting: Waiting) -> None:
    for place in range(len(nodes) - 1, -1, -1):
        waiting.append(nodes[place])
        if place:
            waiting.append(", ")


def _write_case(node: exp.Expr, waiting: Waiting, dialect: str) -> bool:
    waiting.append(" END")
    default = node.args.get("default")
    if default is not None:
        waiting += (default, " ELSE ")
    for branch in reversed(node.args["ifs"]):
        waiting += (branch.args["true"], " THEN ", branch.args["this"], " WHEN ")
    subject = node.args.get("this")
    if subject is not None:
        waiting += (subject, " ")
    waiting.append("CASE")
    return True


def _write_cast(node: exp.Expr, waiting: Waiting, dialect: str) -> bool:
    to = node.args["to"]
    if (
        type(to) is not exp.DataType
        or to.expressions
        or any(node.args.get(one) for one in ("format", "safe", "action"))
    ):
        return False
    waiting += (f" AS {_type_text(to.this, dialect)})", node.args["this"], "CAST(")
    return True


@lru_cache(maxsize=1024)
def _type_text(kind: exp.DType, dialect: str) -> str:
    return str(exp.DataType(this=kind).sql(dialect))


def _write_is(node: exp.Expr, waiting: Waiting, dialect: str) -> bool:
    if type(node.args["expression"]) is not exp.Null or isinstance(node.parent, exp.Not) or len(node.args) > 2:
        return False
    waiting += (node.args["expression"], " IS ", node.args["this"])
    return True


def _write_not(node: exp.Expr, waiting: Waiting, dialect: str) -> bool:
    if not isinstance(node.args["this"], exp.Paren | exp.Column):
        return False
    waiting += (node.args["this"], "NOT ")
    return True


def _write_in(node: exp.Expr, waiting: Waiting, dialect: str) -> bool:
    if not node.expressions:
        return False
    waiting.append(")")
    _write_list(node.expressions, waiting)
    waiting += (" IN (", node.args["this"])
    return True


def _write_null(node: exp.Expr, waiting: Waiting, dialect: str) -> bool:
    waiting.append("NULL")
    return True


def _write_star(node: exp.Expr, waiting: Waiting, dialect: str) -> bool:
    waiting.append("*")
    return not any(node.args.values())


def _write_distinct(node: exp.Expr, waiting: Waiting, dialect: str) -> bool:
    _write_list(node.expressions, waiting)
    waiting.append("DISTINCT ")
    return not node.args.get("on") and len(node.expressions) == 1


_WRITERS: dict[type[exp.Expr], Callable[[exp.Expr, Waiting, str], bool]] = {
    **dict.fromkeys((*_CALLS, exp.Anonymous), _write_call),
    exp.Case: _write_case,
    exp.Cast: _write_cast,
    exp.TryCast: _write_cast,
    exp.Star: _write_star,
    exp.Distinct: _write_distinct,
    exp.Is: _write_is,
    exp.Not: _write_not,
    exp.In: _write_in,
    exp.Null: _write_null,
}


def _plain_column(column: exp.Expr, parts: list[str]) -> bool:
    args = column.args
    names = []
    for key in ("catalog", "db", "table", "this"):
        part = args.get(key)
        if part is None:
            continue
        if type(part) is not exp.Identifier or part.args.get("quoted"):
            return False
        names.append(part.args["this"])
    parts.append(".".join(names))
    return not args.get("join_mark")

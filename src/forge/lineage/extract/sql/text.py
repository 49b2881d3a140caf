"""Expressions as text: what a trace shows, and what an engine calls a column that has no alias."""

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


_SPARK_NAMES: dict[type[exp.Expr], str] = {
    exp.ArrayAgg: "collect_list",
    exp.ArrayUniqueAgg: "collect_set",
    exp.ApproxDistinct: "approx_count_distinct",
    exp.Stddev: "stddev",
    exp.StddevSamp: "stddev_samp",
    exp.LogicalOr: "bool_or",
    exp.LogicalAnd: "bool_and",
}
_FUNCTION_NAMES = {"postgres", "redshift"}


def output_name(node: exp.Expr, dialect: str) -> str:
    """What an engine calls the column; of others than Spark and Postgres, the text of the expression."""
    while isinstance(node, exp.Paren):
        node = node.this
    if isinstance(node, exp.Column | exp.Dot):
        last = node.this if isinstance(node, exp.Column) else node.expression
        if isinstance(last, exp.Identifier):
            return str(last.name) if last.args.get("quoted") else str(last.name).lower()
    if isinstance(node, exp.Query):
        return "scalarsubquery()"
    if dialect in _FUNCTION_NAMES:
        while isinstance(node, exp.Cast | exp.Window | exp.Filter):
            node = node.this
        if isinstance(node, exp.Column):
            return str(node.name).lower()
        if isinstance(node, exp.Case):
            return "case"
        return _function_name(node) if isinstance(node, exp.Func) else "?column?"
    if dialect.startswith(("spark", "databricks")) or dialect in ("hive", ""):
        return _spark_name(node, dialect)
    return text_of(node, dialect)


def _function_name(node: exp.Expr) -> str:
    if isinstance(node, exp.Anonymous):
        return str(node.name).lower()
    written = node.meta.get("name") if node._meta else None
    if written:
        return str(written).lower()
    return _SPARK_NAMES.get(type(node)) or (node.sql_name().lower() if isinstance(node, exp.Func) else node.key)


_SPARK_SIGNS: dict[type[exp.Expr], str] = {
    **{cls: sign.strip() for cls, sign in _SIGNS.items()},
    exp.NEQ: "!=",
    exp.Div: "/",
    exp.Mod: "%",
    exp.NullSafeEQ: "<=>",
}


def _spark_name(node: exp.Expr, dialect: str, depth: int = 0) -> str:
    """Spark writes operators in brackets, functions in lower case, and columns without the name of their table."""

    def name(inner: exp.Expr) -> str:
        return _spark_name(inner, dialect, depth + 1)

    if depth > 50:
        return "…"
    if isinstance(node, exp.Paren | exp.Ordered):
        return name(node.this)
    if isinstance(node, exp.Column):
        return str(node.name) if isinstance(node.this, exp.Identifier) else text_of(node, dialect)
    if isinstance(node, exp.Literal):
        return str(node.name)
    if isinstance(node, exp.Star):
        return "1" if isinstance(node.parent, exp.Count) else "*"
    if type(node) in _SPARK_SIGNS:
        return f"({name(node.this)} {_SPARK_SIGNS[type(node)]} {name(node.expression)})"
    if isinstance(node, exp.Distinct):
        return "DISTINCT " + ", ".join(name(one) for one in node.expressions)
    if isinstance(node, exp.Cast):
        return f"CAST({name(node.this)} AS {node.to.sql(dialect).upper().replace(', ', ',')})"
    if isinstance(node, exp.Case):
        return _spark_case(node, name)
    if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
        return f"({name(node.this)} IS NULL)"
    if isinstance(node, exp.Not):
        inner = node.this
        is_null = isinstance(inner, exp.Is) and isinstance(inner.expression, exp.Null)
        return f"({name(inner.this)} IS NOT NULL)" if is_null else f"(NOT {name(inner)})"
    if isinstance(node, exp.Anonymous) or type(node) in _SPARK_NAMES or (node._meta and node.meta.get("name")):
        return f"{_function_name(node)}({', '.join(name(one) for one in _arguments(node))})"
    return text_of(node, dialect)


def _arguments(node: exp.Expr) -> list[exp.Expr]:
    """As they were written: sqlglot adds conversions and units, and puts them in an order of its own."""
    if isinstance(node, exp.Anonymous):
        return list(node.expressions)
    found = [one.this if isinstance(one, exp.TsOrDsToDate) else one for one in node.iter_expressions()]
    if isinstance(node, exp.TimestampTrunc | exp.DateTrunc) and len(found) > 1:
        return [exp.Literal.string(found[1].name.lower()), found[0]]
    return [one for one in found if not isinstance(one, exp.Var)]


def _spark_case(node: exp.Expr, name: Callable[[exp.Expr], str]) -> str:
    subject, default = node.args.get("this"), node.args.get("default")
    parts = ["CASE"]
    for branch in node.args["ifs"]:
        condition = name(branch.this) if subject is None else f"({name(subject)} = {name(branch.this)})"
        parts.append(f"WHEN {condition} THEN {name(branch.args['true'])}")
    if default is not None:
        parts.append(f"ELSE {name(default)}")
    return " ".join((*parts, "END"))

"""The condition of a row filter: parsed once, judged by a list; the tree that is judged is the one that is computed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forge.federation.dialects.families import TypeFamily, family_of
from forge.federation.dialects.values import fit_value, is_value, read_value
from forge.model.errors import ForgeError
from forge.model.types import DataType

_LONGEST = 4_000  # letters of a filter
_MOST_VALUES = 1_000  # of IN
_ARGS = frozenset({"this", "expression", "expressions", "low", "high", "quoted", "is_string", "to", "table"})
_FLIPPED: Mapping[type[exp.Expr], type[exp.Expr]] = {
    exp.EQ: exp.EQ,
    exp.NEQ: exp.NEQ,
    exp.NullSafeEQ: exp.NullSafeEQ,
    exp.LT: exp.GT,
    exp.LTE: exp.GTE,
    exp.GT: exp.LT,
    exp.GTE: exp.LTE,
}
# Families whose values are compared in this process as in Spark; of floats, NaN is not.
_COMPARED = frozenset(
    {
        *(TypeFamily.INTEGER, TypeFamily.DECIMAL, TypeFamily.STRING, TypeFamily.BOOLEAN),
        *(TypeFamily.DATE, TypeFamily.TIMESTAMP, TypeFamily.TIMESTAMP_NTZ),
    }
)


@lru_cache(maxsize=1_000)
def parse_filter(text: str) -> exp.Expr:
    """The tree that is judged and computed; its columns are bare names. Shared: copy it before a change. E880 for what
    is not on the list: comparisons of a column with values, IN, BETWEEN, LIKE, IS NULL, and AND, OR and NOT of these;
    or `true` alone. None of them can fail on a row."""
    if len(text) > _LONGEST:
        raise _refused(f"it has more than {_LONGEST:,} letters")
    try:
        trees = sqlglot.parse(text, dialect="spark")
        if len(trees) != 1 or not isinstance(trees[0], exp.Expr):
            raise _refused("it is no single condition")
        is_all = isinstance(trees[0], exp.Boolean) and trees[0].this
        return exp.true() if is_all else _judged(trees[0])
    except (SqlglotError, RecursionError) as error:
        raise _refused("it is no condition that can be read") from error


def refuse_misfit(tree: exp.Expr, types: Mapping[str, DataType], relation: str) -> None:
    """E892 where a column is not there, or a value does not fit its type; nobody is told more than that. `types`: by
    name in small letters."""
    for column in tree.find_all(exp.Column):
        kind = types.get(column.name.lower())
        family = family_of(kind) if kind is not None else TypeFamily.OTHER
        test = column.parent if isinstance(column.parent, exp.Expr) else column
        is_flag = not isinstance(test, (*_FLIPPED, exp.In, exp.Between, exp.Like, exp.Is))
        fits = isinstance(test, exp.Is) or family in _COMPARED
        fits = fits and not (is_flag and family is not TypeFamily.BOOLEAN)
        fits = fits and not (isinstance(test, exp.Like) and family is not TypeFamily.STRING)
        values = [] if is_flag or isinstance(test, exp.Is) else values_of(test)
        if kind is None or not fits or any(fitted_value(one, kind) is None for one in values):
            raise ForgeError(
                "E892",
                f"The row filter of {relation} does not fit the table",
                why="A column is missing, or a value is not of its type. Without its filter no row is read.",
                fix="Ask whoever declared it.",
            )


def values_of(test: exp.Expr) -> list[exp.Expr]:
    """What the column of a comparison is compared with."""
    match test:
        case exp.In():
            return list(test.expressions)
        case exp.Between():
            return [test.args["low"], test.args["high"]]
    return [test.expression]


def fitted_value(node: exp.Expr, kind: DataType) -> object | None:
    """The value in the family of the column; None: it is of another."""
    read = read_value(node, {})
    fitted = fit_value(read, kind) if read is not None else None
    return fitted.value if fitted is not None and fitted.family is family_of(kind) else None


def _judged(node: exp.Expr) -> exp.Expr:
    """The same with columns on the left. E880."""
    unknown = {name for name, value in node.args.items() if value} - _ARGS
    if unknown and not isinstance(node, exp.Like):
        raise _refused(f"`{node.sql('spark')[:60]}` is not one of what filters know")
    match node:
        case exp.Paren() | exp.Not():
            return type(node)(this=_judged(node.this))
        case exp.And() | exp.Or():
            return type(node)(this=_grouped(_judged(node.left)), expression=_grouped(_judged(node.right)))
        case exp.Column():
            return _column(node)
        case exp.Is() if isinstance(node.expression, exp.Null):
            return exp.Is(this=_column(node.this), expression=exp.Null())
        case exp.In() if 0 < len(node.expressions) <= _MOST_VALUES:
            return exp.In(this=_column(node.this), expressions=[_value(one) for one in node.expressions])
        case exp.Between():
            return exp.Between(this=_column(node.this), low=_value(node.args["low"]), high=_value(node.args["high"]))
        case exp.Like() if not {name for name, value in node.args.items() if value} - {*_ARGS, "negate"}:
            return _like(node)
    if type(node) in _FLIPPED:
        kind, left, right = type(node), node.this, node.expression
        if is_value(left) and not is_value(right):
            kind, left, right = _FLIPPED[kind], right, left
        return kind(this=_column(left), expression=_value(right))
    raise _refused(f"`{node.sql('spark')[:60]}` is not one of what filters know")


def _grouped(node: exp.Expr) -> exp.Expr:
    return exp.paren(node, copy=False) if isinstance(node, exp.Connector) else node


def _like(node: exp.Like) -> exp.Expr:
    pattern = _value(node.expression)
    if not isinstance(pattern, exp.Literal) or not pattern.is_string or "\\" in pattern.name:
        raise _refused("a pattern of LIKE is a text without backslashes")
    found = exp.Like(this=_column(node.this), expression=pattern)
    return exp.Not(this=found) if node.args.get("negate") else found


def _column(node: exp.Expr) -> exp.Column:
    if not isinstance(node, exp.Column) or len(node.parts) != 1 or not isinstance(node.this, exp.Identifier):
        raise _refused(f"`{node.sql('spark')[:60]}` is no column of the table, by its name alone")
    return exp.column(node.name.lower(), quoted=True)


def _value(node: exp.Expr) -> exp.Expr:
    if not is_value(node) or node.find(exp.Placeholder) or read_value(node, {}) is None:
        raise _refused(f"`{node.sql('spark')[:60]}` is no value")
    return node.copy()


def _refused(why: str) -> ForgeError:
    return ForgeError(
        "E880",
        "the filter cannot be used",
        why=f"{why[0].upper()}{why[1:]}.",
        fix="Write comparisons of columns of the table with values: region = 'EU' AND kind IN ('a', 'b').",
    )

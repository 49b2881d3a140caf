"""An SQL expression over (base, ours, theirs) that resolves a conflict, like `greatest(ours, theirs)`. It is parsed
by sqlglot and interpreted here; anything that is not on the list below is refused, so user text is never executed."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import ParseError, TokenError

from forge.model.errors import CellError, ForgeError
from forge.model.name_suggestions import did_you_mean
from forge.versioning.expression.values import COMPARISONS, FUNCTIONS, OPERATORS, cast_to, is_true

NAMES = ("base", "ours", "theirs")
_LONGEST = 2000  # characters; a conflict is resolved by a line, not by a program
_DEEPEST = 60
_MEANT = {"max": "Did you mean greatest(ours, theirs)?", "min": "Did you mean least(ours, theirs)?"}
_SHAPES = (exp.Case, exp.If, exp.And, exp.Or, exp.Not, exp.Is, exp.In, exp.Between, exp.Cast, exp.TryCast)
_SIGNS = (exp.Paren, exp.Neg)
_ATOMS = (exp.Column, exp.Identifier, exp.Literal, exp.Null, exp.Boolean, exp.DataType, exp.DataTypeParam)


@dataclass(frozen=True, slots=True)
class ResolutionExpression:
    """A validated expression; equal texts are equal expressions."""

    text: str

    def evaluate(self, base: object, ours: object, theirs: object, column: str | None = None) -> object:
        """With SQL semantics: NULL in, NULL out, but `greatest`, `least` and `coalesce` skip it. E625 for
        incompatible values, like a text and a number."""
        values = {"base": base, "ours": ours, "theirs": theirs}
        try:
            return _value(_parse(self.text), values)
        except (ArithmeticError, TypeError, ValueError, AttributeError) as error:
            raise CellError(
                "E625",
                f"{self.text} cannot be worked out for base = {base!r}, ours = {ours!r}, theirs = {theirs!r}",
                without=f"{self.text} cannot be worked out for a conflict of {column or 'the table'}",
                columns=(column,) if column else (),
                why=f"{type(error).__name__}: {error}",
                why_without=f"{type(error).__name__}; the values are personal data and not shown.",
                fix="Use functions that fit the type of the column, or resolve this conflict by a value.",
            ) from error


def parse_expression(text: str) -> ResolutionExpression:
    """E625, with the reason, where it is no expression over base, ours and theirs, or uses something unknown."""
    _parse(text)
    return ResolutionExpression(text)


@functools.lru_cache(maxsize=256)
def _parse(text: str) -> exp.Expression:
    if len(text) > _LONGEST:
        raise _bad(text[:60] + "…", f"It is longer than {_LONGEST:,} characters.")
    try:
        trees = [tree for tree in sqlglot.parse(text, read="spark") if tree is not None]
    except RecursionError as error:
        raise _bad(text, "It is nested too deeply.") from error
    except (ParseError, TokenError) as error:
        raise _bad(text, str(error).splitlines()[0]) from error
    if len(trees) != 1 or not isinstance(trees[0], exp.Expression):
        raise _bad(text, "It has to be one expression.")
    _check(trees[0], text, 0)
    return trees[0]


def _check(node: exp.Expression, text: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise _bad(text, "It is nested too deeply.")
    if isinstance(node, exp.Column):
        name = node.name.lower()
        if name not in NAMES or node.table:
            raise _bad(text, f"It knows only base, ours and theirs, not {node.sql()}.", did_you_mean(name, NAMES))
        return
    known = (*_SHAPES, *_SIGNS, *_ATOMS, *OPERATORS, *COMPARISONS, *FUNCTIONS)
    if type(node) not in known or node.args.get("position"):  # trim(leading … from …)
        name = str(node.this) if isinstance(node, exp.Anonymous) else type(node).__name__.lower()
        known_names = sorted(kind.sql_name().lower() for kind in FUNCTIONS if issubclass(kind, exp.Func))
        fix = (
            _MEANT.get(name) or did_you_mean(name.lower(), known_names) or f"Known functions: {', '.join(known_names)}."
        )
        raise _bad(text, f"'{name}' is not something a resolution may use.", fix)
    for child in node.iter_expressions():
        _check(child, text, depth + 1)


def _bad(text: str, why: str, fix: str | None = None) -> ForgeError:
    return ForgeError(
        "E625", f"'{text}' is no expression for a conflict", why=why, fix=fix or "Write it like greatest(ours, theirs)."
    )


def _value(node: exp.Expression, values: Mapping[str, object]) -> Any:
    get = functools.partial(_value, values=values)
    if isinstance(node, exp.Column):
        return values[node.name.lower()]
    kind = type(node)
    if kind in _BY_KIND:
        return _BY_KIND[kind](node, get)
    if kind in COMPARISONS or kind in OPERATORS:
        left, right = get(node.this), get(node.expression)
        if kind in OPERATORS:
            return None if left is None or right is None else OPERATORS[kind](left, right)
        return COMPARISONS[kind](left, right)
    return FUNCTIONS[kind](*_arguments(node, get))


def _arguments(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> list[Any]:
    """In the order of the function's signature; an omitted trailing argument is missing."""
    found: list[Any] = []
    for name in node.arg_types:
        given = node.args.get(name)
        if isinstance(given, list):
            found += [get(each) for each in given]
        elif isinstance(given, exp.Expression):
            found.append(get(given))
    return found


def _case(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> Any:
    for branch in node.args["ifs"]:
        wanted = get(branch.this)
        if is_true(wanted if node.this is None else COMPARISONS[exp.EQ](get(node.this), wanted)):
            return get(branch.args["true"])
    default = node.args.get("default")
    return None if default is None else get(default)


def _if(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> Any:
    chosen = node.args.get("true") if is_true(get(node.this)) else node.args.get("false")
    return None if chosen is None else get(chosen)


def _and(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> bool | None:
    both = get(node.this), get(node.expression)
    if any(each is False for each in both):
        return False
    return None if None in both else all(is_true(each) for each in both)


def _or(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> bool | None:
    both = get(node.this), get(node.expression)
    if any(is_true(each) for each in both):
        return True
    return None if None in both else False


def _not(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> bool | None:
    value = get(node.this)
    return None if value is None else not is_true(value)


def _in(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> bool | None:
    found = [COMPARISONS[exp.EQ](get(node.this), get(each)) for each in node.expressions]
    return True if True in found else None if None in found else False


def _between(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> bool | None:
    value = get(node.this)
    low = COMPARISONS[exp.GTE](value, get(node.args["low"]))
    high = COMPARISONS[exp.LTE](value, get(node.args["high"]))
    return False if False in (low, high) else None if None in (low, high) else True


def _neg(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> Any:
    value = get(node.this)
    return None if value is None else -value


def _cast(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> Any:
    return cast_to(get(node.this), node.args["to"].sql("spark").lower())


def _literal(node: exp.Expression, _: Callable[[exp.Expression], Any]) -> object:
    return node.this if node.args.get("is_string") else cast_to(str(node.this), "number")


def _is(node: exp.Expression, get: Callable[[exp.Expression], Any]) -> bool:
    value, other = get(node.this), get(node.expression)
    return value is other if other is None or isinstance(other, bool) else bool(value == other)


_BY_KIND: dict[type[exp.Expression], Callable[[exp.Expression, Callable[[exp.Expression], Any]], Any]] = {
    exp.Case: _case,
    exp.If: _if,
    exp.And: _and,
    exp.Or: _or,
    exp.Not: _not,
    exp.Is: _is,
    exp.In: _in,
    exp.Between: _between,
    exp.Neg: _neg,
    exp.Literal: _literal,
    exp.Null: lambda node, get: None,
    exp.Boolean: lambda node, get: bool(node.this),
    exp.Paren: lambda node, get: get(node.this),
    exp.Cast: _cast,
    exp.TryCast: _cast,  # what sqlglot takes every cast of Spark for
}

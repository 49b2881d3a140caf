"""Operators on abstract values; library values bring their own."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from forge.lineage.extract.python.branch import either, options
from forge.lineage.extract.python.library import Call, ValueKind, source_text
from forge.lineage.extract.python.texts import format_percent, joined_text, repeated_text, to_text
from forge.lineage.extract.python.values import (
    AbstractValue,
    Const,
    DictOf,
    LibraryValue,
    ListOf,
    Text,
    UnionValue,
    UnknownValue,
    from_key,
    items_of,
    key_of,
    text,
    truth_of,
)

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter

SIGNS: dict[type[ast.AST], str] = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.Div: "/",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.Pow: "**",
    ast.MatMult: "@",
    ast.BitAnd: "&",
    ast.BitOr: "|",
    ast.BitXor: "^",
    ast.LShift: "<<",
    ast.RShift: ">>",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
    ast.Is: "is",
    ast.IsNot: "is not",
    ast.In: "in",
    ast.NotIn: "not in",
    ast.Not: "not",
    ast.Invert: "~",
    ast.USub: "-",
    ast.UAdd: "+",
}
_PLAIN: dict[str, Callable[[Any, Any], object]] = {
    "+": operator.add,
    "-": operator.sub,
    "//": operator.floordiv,
    "/": operator.truediv,
    "%": operator.mod,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LARGEST = 10**9
_MOST = 100_000  # items of a list


def operate(reader: Interpreter, sign: str, left: AbstractValue, right: AbstractValue, node: ast.AST) -> AbstractValue:
    for side in (left, right):
        if isinstance(side, UnionValue):
            return _each(reader, sign, left, right, node)
    if sign not in {"is", "is not", "not in"} and not (sign == "in" and not isinstance(right, LibraryValue)):
        for side in (left, right):
            kind = kind_of(reader, side)
            if kind is not None and kind.operator is not None:
                line = getattr(node, "lineno", 0)
                return kind.operator(Call(name=sign, line=line, args=(right,), on=left, node=node), reader.world)
    found = _plain(sign, left, right, node)
    return UnknownValue(source_text(node)) if found is None else found


def _each(reader: Interpreter, sign: str, left: AbstractValue, right: AbstractValue, node: ast.AST) -> AbstractValue:
    results = [operate(reader, sign, a, b, node) for a in options(left) for b in options(right)]
    found = results[0]
    for one in results[1:]:
        found = either(found, one, reader.world)
    return found


def operate_one(reader: Interpreter, sign: str, side: AbstractValue, node: ast.AST) -> AbstractValue:
    if sign == "not":
        truth = truth_of(side)
        return UnknownValue(source_text(node)) if truth is None else Const(not truth)
    kind = kind_of(reader, side)
    if kind is not None and kind.operator is not None:
        return kind.operator(Call(name=sign, line=getattr(node, "lineno", 0), on=side, node=node), reader.world)
    if isinstance(side, Const) and isinstance(side.value, int | float):
        if sign == "-":
            return Const(-side.value)
        return side if sign == "+" else Const(~int(side.value))
    return UnknownValue(source_text(node))


def kind_of(reader: Interpreter, thing: AbstractValue) -> ValueKind | None:
    return reader.world.libraries.kinds.get(thing.kind) if isinstance(thing, LibraryValue) else None


def _plain(sign: str, left: AbstractValue, right: AbstractValue, node: ast.AST) -> AbstractValue | None:
    if sign in {"in", "not in"}:
        inside = _contains(left, right)
        return None if inside is None else Const(inside is (sign == "in"))
    if sign in {"is", "is not"}:
        return _same(sign, left, right)
    if isinstance(left, Text) or isinstance(right, Text):
        return _on_text(sign, left, right, node)
    if isinstance(left, ListOf) and isinstance(right, ListOf):
        return _on_lists(sign, left, right)
    if isinstance(left, ListOf) and isinstance(right, Const) and sign == "*":
        return _repeated(left, right)
    if isinstance(left, DictOf) and isinstance(right, DictOf) and sign == "|":
        return DictOf({**left.items, **right.items}, left.open or right.open)
    if isinstance(left, Const) and isinstance(right, Const):
        return _on_numbers(sign, left.value, right.value)
    return None


def _on_numbers(sign: str, left: object, right: object) -> AbstractValue | None:
    if sign in {"==", "!="}:
        return Const((left == right) is (sign == "=="))
    if not isinstance(left, int | float) or not isinstance(right, int | float):
        return None
    if sign == "*" and abs(left) < _LARGEST and abs(right) < _LARGEST:
        return Const(left * right)
    compute = _PLAIN.get(sign)
    if compute is None or (sign in {"/", "//", "%"} and not right):
        return None
    return Const(compute(left, right))


def _on_text(sign: str, left: AbstractValue, right: AbstractValue, node: ast.AST) -> AbstractValue | None:
    if sign in {"==", "!=", "<", "<=", ">", ">="}:
        if isinstance(left, Text) and isinstance(right, Text) and left.known is not None and right.known is not None:
            return Const(_PLAIN[sign](left.known, right.known))
        known = isinstance(left, Const) or isinstance(right, Const)
        return Const(sign == "!=") if known and sign in {"==", "!="} else None
    if sign == "%" and isinstance(left, Text):
        return format_percent(left, right, node)
    if sign == "*" and isinstance(left, Text) and isinstance(right, Const) and isinstance(right.value, int):
        return repeated_text(left, right.value)
    if sign not in {"+", "/"}:
        return None
    shown = (node.left, node.right) if isinstance(node, ast.BinOp) else (None, None)
    sides = [to_text(side, source_text(one) if one else "") for side, one in zip((left, right), shown, strict=True)]
    if sign == "+":
        return joined_text(sides)
    start = sides[0]
    ends = start.parts and isinstance(start.parts[-1], str) and start.parts[-1].endswith("/")
    return joined_text([start, text("" if ends else "/"), sides[1]])


def _on_lists(sign: str, left: ListOf, right: ListOf) -> AbstractValue | None:
    if sign == "+":
        return _all_of(left, right)
    keys = [[key_of(item) for item in side.items] for side in (left, right)]
    if left.open or right.open or not all(sure for side in keys for sure, _ in side):
        return _all_of(left, right) if sign == "|" else None
    mine, theirs = ([key for _, key in side] for side in keys)
    if sign in {"==", "!="}:
        return Const((mine == theirs) is (sign == "=="))
    if sign == "|":
        return ListOf([from_key(key) for key in dict.fromkeys((*mine, *theirs))], left.form)
    if sign in {"-", "&", "^"}:
        kept = [key for key in dict.fromkeys(mine) if (key in theirs) is (sign == "&")]
        if sign == "^":
            kept += [key for key in dict.fromkeys(theirs) if key not in mine]
        return ListOf([from_key(key) for key in kept], left.form)
    return None


def _all_of(left: ListOf, right: ListOf) -> ListOf:
    """As long as it may get; one that grows without end is open."""
    items = [*left.items, *right.items]
    return ListOf(items[:_MOST], left.form, left.open or right.open or len(items) > _MOST)


def _repeated(left: ListOf, right: Const) -> AbstractValue | None:
    if isinstance(right.value, int) and 0 <= right.value <= 1000 and len(left.items) * right.value <= _MOST:
        return ListOf(left.items * right.value, left.form, left.open)
    return None


def _contains(left: AbstractValue, right: AbstractValue) -> bool | None:
    if isinstance(left, Text) and isinstance(right, Text):
        return left.known in right.known if left.known is not None and right.known is not None else None
    if isinstance(right, DictOf) and not right.open:
        sure, key = key_of(left)
        return key in right.items if sure else None
    items = items_of(right)
    sure, key = key_of(left)
    if items is None or not sure:
        return None
    keys = [key_of(item) for item in items]
    if any(known and one == key for known, one in keys):
        return True
    return False if all(known for known, _ in keys) else None


def _same(sign: str, left: AbstractValue, right: AbstractValue) -> AbstractValue | None:
    if isinstance(left, Const) and isinstance(right, Const):
        return Const((left.value is right.value) is (sign == "is"))
    for one, other in ((left, right), (right, left)):
        if isinstance(one, Const) and not isinstance(other, UnknownValue | UnionValue | Const):
            return Const(sign == "is not")
    return Const(sign == "is") if left is right and not isinstance(left, UnknownValue) else None

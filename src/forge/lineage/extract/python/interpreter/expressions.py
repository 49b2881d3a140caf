"""Evaluates expressions to abstract values."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from forge.lineage.extract.python import settings
from forge.lineage.extract.python.branch import MOST, either, options
from forge.lineage.extract.python.interpreter import members, operators
from forge.lineage.extract.python.library import Call, source_text
from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.texts import joined_text, to_text
from forge.lineage.extract.python.values import (
    AbstractValue,
    Class,
    Const,
    DictOf,
    FunctionValue,
    ListOf,
    SliceValue,
    SuperProxy,
    Text,
    UnionValue,
    UnknownValue,
    key_of,
    text,
    truth_of,
)

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter

Evaluate = Callable[["Interpreter", ast.expr, NameScope], AbstractValue]


def evaluate(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    if isinstance(node, ast.Call | ast.Attribute | ast.Subscript):
        return _chain(reader, node, scope)
    handler = _HANDLERS.get(type(node))
    return UnknownValue(source_text(node)) if handler is None else handler(reader, node, scope)


def _chain(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    """`a.b(…).c[…]…`, from the left; long chains must not nest."""
    links: list[ast.Call | ast.Attribute | ast.Subscript] = []
    inner: ast.expr = node
    while isinstance(inner, ast.Call | ast.Attribute | ast.Subscript):
        links.append(inner)
        inner = inner.func if isinstance(inner, ast.Call) else inner.value
    thing = reader.evaluate(inner, scope)
    for link in reversed(links):
        reader.tick()
        thing = _link(reader, thing, link, scope)
    return thing


def _link(reader: Interpreter, thing: AbstractValue, link: ast.expr, scope: NameScope) -> AbstractValue:
    line = end_line(link)
    if isinstance(link, ast.Attribute):
        return members.attribute(reader, thing, Call(name=link.attr, line=line, on=thing, node=link))
    if isinstance(link, ast.Subscript):
        key = reader.evaluate(link.slice, scope)
        return members.item(reader, thing, Call(name="[]", line=line, args=(key,), on=thing, node=link))
    assert isinstance(link, ast.Call)
    if isinstance(link.func, ast.Name) and link.func.id == "super" and not link.args:
        return _super(scope)
    if isinstance(link.func, ast.Name) and isinstance(thing, UnknownValue):
        thing = members.starred(reader, link.func.id, scope) or thing
    return reader.call(thing, arguments(reader, link, scope))


def end_line(node: ast.expr) -> int:
    """The line of the last part of a chain: of `(df\\n.write\\n.save(x))` that of `.save`."""
    if isinstance(node, ast.Attribute):
        return node.end_lineno or node.lineno
    if isinstance(node, ast.Call):
        return end_line(node.func) if isinstance(node.func, ast.Attribute) else node.lineno
    return node.lineno


def _super(scope: NameScope) -> AbstractValue:
    instance = scope.find(scope.first) if scope.first else None
    return (
        SuperProxy(instance, scope.owner)
        if instance is not None and scope.owner is not None
        else UnknownValue("super()")
    )


def arguments(reader: Interpreter, node: ast.Call, scope: NameScope) -> Call:
    args: list[AbstractValue] = []
    named: dict[str, AbstractValue] = {}
    open_ = False
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            more, known = members.iterate(reader, reader.evaluate(argument.value, scope))
            args.extend(more)
            open_ = open_ or not known
        else:
            args.append(reader.evaluate(argument, scope))
    for keyword in node.keywords:
        value = reader.evaluate(keyword.value, scope)
        if keyword.arg is not None:
            named[keyword.arg] = value
        elif isinstance(value, DictOf):
            named.update({str(key): one for key, one in value.items.items()})
            open_ = open_ or value.open
        else:
            open_ = True
    name = node.func.attr if isinstance(node.func, ast.Attribute) else source_text(node.func)
    return Call(name=name, line=end_line(node), args=tuple(args), named=named, on=None, node=node, open=open_)


def _constant(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.Constant)
    return text(node.value) if isinstance(node.value, str) else Const(node.value)


def _name(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.Name)
    found = scope.find(node.id)
    if found is not None:
        return found
    built_in = reader.world.libraries.functions.get(f"builtins.{node.id}")
    if built_in is not None:
        return members.native(f"builtins.{node.id}", built_in)
    given = reader.world.libraries.constants.get(f"builtins.{node.id}")
    return given if given is not None else UnknownValue(node.id, settings.holder(node.id))


def _sequence(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.List | ast.Tuple | ast.Set)
    form = {ast.List: "list", ast.Tuple: "tuple", ast.Set: "set"}[type(node)]
    found = ListOf([], form)
    for element in node.elts:
        if isinstance(element, ast.Starred):
            more, known = members.iterate(reader, reader.evaluate(element.value, scope))
            found.items.extend(more)
            found.open = found.open or not known
        else:
            found.items.append(reader.evaluate(element, scope))
    return found


def _dict(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.Dict)
    found = DictOf()
    for key, value in zip(node.keys, node.values, strict=True):
        worth = reader.evaluate(value, scope)
        if key is not None:
            put(found, reader.evaluate(key, scope), worth)
        elif isinstance(worth, DictOf):
            found.items.update(worth.items)
            found.open = found.open or worth.open
        else:
            found.open = True
    return found


def put(into: DictOf, key: AbstractValue, value: AbstractValue) -> None:
    sure, known = key_of(key)
    if sure:
        into.items[known] = value
    else:
        into.open = True


def _binary(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    """Long sums lean to the left and must not nest."""
    assert isinstance(node, ast.BinOp)
    spine: list[ast.BinOp] = []
    inner: ast.expr = node
    while isinstance(inner, ast.BinOp):
        spine.append(inner)
        inner = inner.left
    left = reader.evaluate(inner, scope)
    for one in reversed(spine):
        right = reader.evaluate(one.right, scope)
        left = operators.operate(reader, operators.SIGNS[type(one.op)], left, right, one)
    return left


def _unary(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.UnaryOp)
    return operators.operate_one(reader, operators.SIGNS[type(node.op)], reader.evaluate(node.operand, scope), node)


def _boolean(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    """`a or b` may be both; a side that is known to decide, decides."""
    assert isinstance(node, ast.BoolOp)
    stops = isinstance(node.op, ast.Or)
    result: AbstractValue | None = None
    for part in node.values:
        value = reader.evaluate(part, scope)
        truth = truth_of(value)
        result = value if result is None else either(result, value, reader.world)
        if truth is stops:
            return value if part is node.values[0] else result
        if truth is not None:
            result = None if part is not node.values[-1] else value
    return result if result is not None else Const(not stops)


def _compare(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.Compare)
    left = reader.evaluate(node.left, scope)
    results: list[AbstractValue] = []
    for operator, part in zip(node.ops, node.comparators, strict=True):
        right = reader.evaluate(part, scope)
        results.append(operators.operate(reader, operators.SIGNS[type(operator)], left, right, node))
        left = right
    if len(results) == 1:
        return results[0]
    truths = [truth_of(one) for one in results]
    if False in truths:
        return Const(False)
    return Const(True) if None not in truths else UnknownValue(source_text(node))


def _ternary(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.IfExp)
    truth = truth_of(reader.evaluate(node.test, scope))
    if truth is not None:
        return reader.evaluate(node.body if truth else node.orelse, scope)
    with reader.doubt():
        return either(reader.evaluate(node.body, scope), reader.evaluate(node.orelse, scope), reader.world)


def _joined(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.JoinedStr)
    found: list[list[Text]] = [[]]
    for part in node.values:
        choices = [text(str(part.value))] if isinstance(part, ast.Constant) else []
        if isinstance(part, ast.FormattedValue):
            shown, value = source_text(part.value), reader.evaluate(part.value, scope)
            choices = [to_text(one, shown, part.format_spec) for one in options(value)]
        found = [[*before, choice] for before in found for choice in choices][:MOST]
    texts = tuple(joined_text(parts) for parts in found)
    return texts[0] if len(texts) == 1 else UnionValue(texts)


def _lambda(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.Lambda)
    return function_of(reader, "lambda", node, scope)


def function_of(
    reader: Interpreter,
    name: str,
    node: ast.Lambda | ast.FunctionDef | ast.AsyncFunctionDef,
    scope: NameScope,
    owner: Class | None = None,
) -> FunctionValue:
    defaults = tuple(reader.evaluate(one, scope) for one in node.args.defaults)
    named = {
        argument.arg: reader.evaluate(default, scope)
        for argument, default in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if default is not None
    }
    return FunctionValue(
        name=name, node=node, scope=scope, file=reader.world.file, defaults=defaults, named_defaults=named, owner=owner
    )


def _comprehension(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.ListComp | ast.SetComp | ast.GeneratorExp)
    found = ListOf([], "set" if isinstance(node, ast.SetComp) else "list")
    for inner, known in _rounds(reader, node.generators, scope):
        if known:
            found.items.append(reader.evaluate(node.elt, inner))
        else:
            found.open = True
    return found


def _dict_comprehension(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.DictComp)
    found = DictOf()
    for inner, known in _rounds(reader, node.generators, scope):
        if known:
            put(found, reader.evaluate(node.key, inner), reader.evaluate(node.value, inner))
        else:
            found.open = True
    return found


def _rounds(
    reader: Interpreter, generators: list[ast.comprehension], scope: NameScope
) -> Iterable[tuple[NameScope, bool]]:
    """A scope for each round; (scope, False) where it is not known what is gone through."""
    from forge.lineage.extract.python.interpreter.assign import assign

    first, *others = generators
    items, known = members.iterate(reader, reader.evaluate(first.iter, scope))
    for item in items:
        inner = NameScope(scope, owner=scope.owner, first=scope.first)
        assign(reader, first.target, item, inner)
        if any(truth_of(reader.evaluate(test, inner)) is False for test in first.ifs):
            continue
        if others:
            yield from _rounds(reader, others, inner)
        else:
            yield inner, True
    if not known:
        yield scope, False


def _slice(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.Slice)
    parts = [Const(None) if one is None else reader.evaluate(one, scope) for one in (node.lower, node.upper, node.step)]
    return SliceValue(*parts)


def _walrus(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    from forge.lineage.extract.python.interpreter.assign import assign

    assert isinstance(node, ast.NamedExpr)
    value = reader.evaluate(node.value, scope)
    assign(reader, node.target, value, scope)
    return value


def _yield(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.Yield | ast.YieldFrom)
    value = reader.evaluate(node.value, scope) if node.value is not None else Const(None)
    if reader.yields:
        reader.yields[-1].extend(members.iterate(reader, value)[0] if isinstance(node, ast.YieldFrom) else [value])
    return UnknownValue("yield")


def _await(reader: Interpreter, node: ast.expr, scope: NameScope) -> AbstractValue:
    assert isinstance(node, ast.Await)
    return reader.evaluate(node.value, scope)


_HANDLERS: dict[type[ast.expr], Evaluate] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.List: _sequence,
    ast.Tuple: _sequence,
    ast.Set: _sequence,
    ast.Dict: _dict,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.IfExp: _ternary,
    ast.JoinedStr: _joined,
    ast.Lambda: _lambda,
    ast.ListComp: _comprehension,
    ast.SetComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.DictComp: _dict_comprehension,
    ast.Slice: _slice,
    ast.NamedExpr: _walrus,
    ast.Yield: _yield,
    ast.YieldFrom: _yield,
    ast.Await: _await,
}

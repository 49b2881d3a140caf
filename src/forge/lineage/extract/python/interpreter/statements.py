"""Executes statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from forge.lineage.extract.python import settings
from forge.lineage.extract.python.branch import merge_changes
from forge.lineage.extract.python.interpreter import members, operators
from forge.lineage.extract.python.interpreter.assign import assign
from forge.lineage.extract.python.interpreter.control_flow import ControlFlow
from forge.lineage.extract.python.interpreter.decorate import define_class, define_function
from forge.lineage.extract.python.library import Call, source_text
from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    Const,
    DictOf,
    Instance,
    LibraryValue,
    ListOf,
    Text,
    UnknownValue,
    key_of,
    truth_of,
)

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter

Execute = Callable[["Interpreter", ast.stmt, NameScope], ControlFlow]
ROUNDS = 200  # of a loop
_GONE = (ControlFlow.RETURN, ControlFlow.RAISE)


def _assignment(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.Assign)
    value = reader.evaluate(node.value, scope)
    for target in node.targets:
        assign(reader, target, value, scope)
    return ControlFlow.NEXT


def _annotated(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.AnnAssign)
    if node.value is not None:
        assign(reader, node.target, reader.evaluate(node.value, scope), scope)
    return ControlFlow.NEXT


def _augmented(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.AugAssign)
    sign = operators.SIGNS[type(node.op)]
    before, value = reader.evaluate(node.target, scope), reader.evaluate(node.value, scope)
    if isinstance(before, ListOf) and sign in {"+", "|"}:
        items, known = members.iterate(reader, value)
        reader.world.change(before)
        before.items.extend(items)
        before.open = before.open or not known
        return ControlFlow.NEXT
    shown = ast.BinOp(node.target, node.op, node.value)
    assign(reader, node.target, operators.operate(reader, sign, before, value, ast.copy_location(shown, node)), scope)
    return ControlFlow.NEXT


def _delete(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.Delete)
    world = reader.world
    for target in node.targets:
        if isinstance(target, ast.Name):
            home = scope.home(target.id)
            world.change(home)
            home.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            owner, key = reader.evaluate(target.value, scope), reader.evaluate(target.slice, scope)
            if isinstance(owner, DictOf):
                world.change(owner)
                owner.items.pop(key_of(key)[1], None)
            elif isinstance(owner, LibraryValue):
                kind = world.libraries.kinds.get(owner.kind)
                if kind is not None and kind.delete_item is not None:
                    kind.delete_item(Call(name="del", line=target.lineno, args=(key,), on=owner, node=target), world)
    return ControlFlow.NEXT


def _expression(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.Expr)
    reader.evaluate(node.value, scope)
    return ControlFlow.NEXT


def _return(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.Return)
    value = reader.evaluate(node.value, scope) if node.value is not None else NONE
    if reader.returns:
        reader.returns[-1].append(value)
    return ControlFlow.RETURN


def _if(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.If)
    truth = truth_of(reader.evaluate(node.test, scope))
    if truth is not None:
        return reader.run(node.body if truth else node.orelse, scope)
    return _branches(reader, (node.body, node.orelse), scope)


def _branches(reader: Interpreter, bodies: Sequence[Sequence[ast.stmt]], scope: NameScope) -> ControlFlow:
    """One of the bodies runs, unknown which. A branch that raises is ignored and does not lower the confidence of
    the others."""
    first, *others = bodies
    world = reader.world
    sure = bool(others) and len(others) == 1 and _only_raises(first)
    world.begin()
    with reader.doubt():
        flow = reader.run(first, scope)
    changes = world.undo()
    rest_flow, rest = ControlFlow.NEXT, None
    if others:
        world.begin()
        if sure:
            rest_flow = reader.run(others[0], scope)
        elif len(others) == 1:
            with reader.doubt():
                rest_flow = reader.run(others[0], scope)
        else:
            rest_flow = _branches(reader, others, scope)
        rest = world.undo()
    merge_changes(world, None if flow in _GONE else changes, None if rest_flow in _GONE else rest or {})
    if flow in _GONE and rest_flow in _GONE:
        return ControlFlow.RETURN if ControlFlow.RETURN in (flow, rest_flow) else ControlFlow.RAISE
    if flow in _GONE or rest_flow in _GONE:
        return ControlFlow.NEXT
    return flow if flow is rest_flow else ControlFlow.NEXT


def _only_raises(body: Sequence[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)


def _for(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.For | ast.AsyncFor)
    items, known = members.iterate(reader, reader.evaluate(node.iter, scope))
    if len(items) > ROUNDS:
        reader.world.gap(node.lineno, f"a loop of {len(items)} rounds is followed for {ROUNDS} only")
    rounds = items[:ROUNDS]
    if not known:
        rounds = [*rounds, UnknownValue(source_text(node.target))]
    for item in rounds:
        assign(reader, node.target, item, scope)
        flow = reader.run(node.body, scope)
        if flow in _GONE:
            return flow
        if flow is ControlFlow.BREAK:
            return ControlFlow.NEXT
    return reader.run(node.orelse, scope)


def _while(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.While)
    if truth_of(reader.evaluate(node.test, scope)) is False:
        return reader.run(node.orelse, scope)
    flow = reader.run(node.body, scope)
    return flow if flow in _GONE else ControlFlow.NEXT


def _try(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.Try | ast.TryStar)
    flow = reader.run(node.body, scope)
    if flow is ControlFlow.NEXT:
        flow = reader.run(node.orelse, scope)
    for handler in node.handlers:
        if handler.name:
            assign(
                reader, ast.Name(handler.name, ast.Store(), lineno=handler.lineno), UnknownValue(handler.name), scope
            )
        caught = (
            _branches(reader, (handler.body, []), scope)
            if flow is not ControlFlow.RAISE
            else reader.run(handler.body, scope)
        )
        flow = caught if flow is ControlFlow.RAISE else flow
    last = reader.run(node.finalbody, scope)
    return last if last is not ControlFlow.NEXT else flow


def _with(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.With | ast.AsyncWith)
    for item in node.items:
        value = _entered(reader, reader.evaluate(item.context_expr, scope), node.lineno)
        if item.optional_vars is not None:
            assign(reader, item.optional_vars, value, scope)
    return reader.run(node.body, scope)


def _entered(reader: Interpreter, value: AbstractValue, line: int) -> AbstractValue:
    """What `as` gets: of a generator that is a context manager, what it yields first."""
    if isinstance(value, ListOf) and value.items:
        return value.items[0]
    if isinstance(value, Instance):
        enter = members.find_member(value.of, "__enter__")
        if enter is not None:
            return reader.call(enter, Call(name="__enter__", line=line, args=(value,)))
    return value


def _match(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.Match)
    subject = reader.evaluate(node.subject, scope)
    bodies: list[Sequence[ast.stmt]] = []
    for case in node.cases:
        fits = _fits(reader, case.pattern, subject, scope)
        if fits is False:
            continue
        _capture(reader, case.pattern, subject, scope)
        if fits is True and case.guard is None:
            if not bodies:
                return reader.run(case.body, scope)
            bodies.append(case.body)
            break
        bodies.append(case.body)
    else:
        bodies.append([])
    return _branches(reader, bodies, scope) if len(bodies) > 1 else reader.run(bodies[0], scope)


def _fits(reader: Interpreter, pattern: ast.pattern, subject: AbstractValue, scope: NameScope) -> bool | None:
    if isinstance(pattern, ast.MatchAs) and pattern.pattern is None:
        return True
    if isinstance(pattern, ast.MatchOr):
        fits = [_fits(reader, one, subject, scope) for one in pattern.patterns]
        return True if True in fits else None if None in fits else False
    if isinstance(pattern, ast.MatchValue) and isinstance(subject, Text | Const):
        return truth_of(operators.operate(reader, "==", subject, reader.evaluate(pattern.value, scope), pattern.value))
    return None


def _capture(reader: Interpreter, pattern: ast.pattern, subject: AbstractValue, scope: NameScope) -> None:
    for one in ast.walk(pattern):
        if isinstance(one, ast.MatchAs) and one.name:
            whole = one is pattern
            target = ast.Name(one.name, ast.Store(), lineno=one.lineno)
            assign(reader, target, subject if whole else UnknownValue(one.name), scope)


def _function(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    found = define_function(reader, node, scope)
    if found is not None:
        reader.world.change(scope.home(node.name))
        scope.home(node.name).names[node.name] = found
    return ControlFlow.NEXT


def _class(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.ClassDef)
    scope.names[node.name] = define_class(reader, node, scope)
    return ControlFlow.NEXT


def _import(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.Import)
    for alias in node.names:
        module = reader.modules.find(reader, alias.name)
        if alias.asname:
            scope.names[alias.asname] = module
        else:
            head = alias.name.split(".")[0]
            scope.names[head] = reader.modules.find(reader, head)
    return ControlFlow.NEXT


def _import_from(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.ImportFrom)
    module = reader.modules.find(reader, node.module or "", node.level)
    for alias in node.names:
        if alias.name == "*":
            scope.names.update(reader.modules.all_of(reader, module))
            scope.module.stars.extend([module.path] if module.scope is None else module.scope.stars)
            continue
        found = members.module_member(reader, module, alias.name)
        scope.names[alias.asname or alias.name] = found if found is not None else _not_there(module.path, alias.name)
    return ControlFlow.NEXT


def _not_there(module: str, name: str) -> UnknownValue:
    """What a module has that is not in the codebase."""
    return UnknownValue(name, name if settings.holder(module) is not None else settings.holder(name))


def _declare(reader: Interpreter, node: ast.stmt, scope: NameScope) -> ControlFlow:
    assert isinstance(node, ast.Global | ast.Nonlocal)
    for name in node.names:
        scope.declare(name, outermost=isinstance(node, ast.Global))
    return ControlFlow.NEXT


HANDLERS: dict[type[ast.stmt], Execute] = {
    ast.Assign: _assignment,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
    ast.Expr: _expression,
    ast.Return: _return,
    ast.Raise: lambda reader, node, scope: ControlFlow.RAISE,
    ast.If: _if,
    ast.For: _for,
    ast.AsyncFor: _for,
    ast.While: _while,
    ast.Try: _try,
    ast.TryStar: _try,
    ast.With: _with,
    ast.AsyncWith: _with,
    ast.Match: _match,
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _declare,
    ast.Nonlocal: _declare,
    ast.Break: lambda reader, node, scope: ControlFlow.BREAK,
    ast.Continue: lambda reader, node, scope: ControlFlow.CONTINUE,
}

"""Calls: of functions and classes of the program, of library functions, of unknown values."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from forge.lineage.extract.python import settings
from forge.lineage.extract.python.branch import MOST, either
from forge.lineage.extract.python.frame_columns import hidden
from forge.lineage.extract.python.interpreter import members, recursion
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    BoundFunction,
    Class,
    DictOf,
    Frame,
    FunctionValue,
    Instance,
    Key,
    LibraryValue,
    ListOf,
    NativeFunction,
    UnionValue,
    UnknownValue,
    list_of,
)

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter


def call(reader: Interpreter, function: AbstractValue, call_: Call) -> AbstractValue:
    if isinstance(function, UnionValue):
        return _any_of(reader, [(one, call_) for one in function.options])
    if isinstance(function, NativeFunction):
        return _native(reader, function, call_)
    if isinstance(function, BoundFunction):
        inner = replace(call_, args=(*function.args, *call_.args), named={**function.named, **call_.named})
        return call(reader, function.function, inner)
    if isinstance(function, FunctionValue):
        return _function(reader, function, call_)
    if isinstance(function, Class):
        return _instance(reader, function, call_)
    if isinstance(function, Instance):
        method = members.find_member(function.of, "__call__")
        if method is not None:
            return call(reader, method, replace(call_, args=(function, *call_.args)))
    if isinstance(function, LibraryValue):
        kind = reader.world.libraries.kinds.get(function.kind)
        if kind is not None and kind.called is not None:
            return kind.called(replace(call_, on=function), reader.world)
    return _unknown(reader, function, call_)


def _any_of(reader: Interpreter, calls: list[tuple[AbstractValue, Call]]) -> AbstractValue:
    """One of the calls is made."""
    found: AbstractValue | None = None
    with reader.doubt():
        for function, one in calls[:MOST]:
            result = call(reader, function, one)
            found = result if found is None else either(found, result, reader.world)
    return found if found is not None else UnknownValue()


def _native(reader: Interpreter, function: NativeFunction, call_: Call) -> AbstractValue:
    alternatives = _spread(call_)
    if alternatives is not None:
        return _any_of(reader, [(function, one) for one in alternatives])
    name = function.path if function.on is None else function.path.rpartition(".")[2]
    return function.handler(replace(call_, name=name, on=function.on), reader.world)


def _spread(call_: Call) -> list[Call] | None:
    """An argument with alternatives: a call for each."""
    for place, argument in enumerate(call_.args):
        if isinstance(argument, UnionValue):
            before, after = call_.args[:place], call_.args[place + 1 :]
            return [replace(call_, args=(*before, one, *after)) for one in argument.options]
    for name, argument in call_.named.items():
        if isinstance(argument, UnionValue):
            return [replace(call_, named={**call_.named, name: one}) for one in argument.options]
    return None


def _function(reader: Interpreter, function: FunctionValue, call_: Call) -> AbstractValue:
    node = function.node
    reader.called.add(id(node))
    given = (id(node), recursion.arguments_of(call_))
    if recursion.is_cut(reader, given):
        recursion.report_cut(reader, function, call_)
        return UnknownValue(call_.written)
    scope = NameScope(function.scope, owner=function.owner)
    _bind(node.args, function, call_, scope)
    for name, value in scope.names.items():
        if isinstance(value, UnknownValue):
            scope.names[name] = reader.world.libraries.constants.get(f"parameter.{name}", value)
    reader.running.append(given)
    try:
        with reader.inside(function.file):
            if isinstance(node, ast.Lambda):
                return reader.evaluate(node.body, scope)
            return _body(reader, node, scope)
    finally:
        reader.running.pop()


def _body(reader: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: NameScope) -> AbstractValue:
    reader.returns.append([])
    reader.yields.append([])
    try:
        reader.run(node.body, scope)
    finally:
        returned, yielded = reader.returns.pop(), reader.yields.pop()
    if yielded:
        return list_of(yielded)
    found: AbstractValue = NONE if not returned else returned[0]
    for one in returned[1:]:
        found = either(found, one, reader.world)
    return found


def _bind(node: ast.arguments, function: FunctionValue, call_: Call, scope: NameScope) -> None:
    """Parameters get their arguments, their defaults, or something unknown."""
    places = [*node.posonlyargs, *node.args]
    names = scope.names
    scope.first = places[0].arg if places else ""
    start = len(places) - len(function.defaults)
    for place, parameter in enumerate(places):
        if place < len(call_.args):
            names[parameter.arg] = call_.args[place]
        elif parameter.arg in call_.named:
            names[parameter.arg] = call_.named[parameter.arg]
        elif place >= start and not call_.open:
            names[parameter.arg] = function.defaults[place - start]
        else:
            names[parameter.arg] = UnknownValue(f"the argument {parameter.arg}", settings.holder(parameter.arg))
    for parameter in node.kwonlyargs:
        default = function.named_defaults.get(parameter.arg, UnknownValue(f"the argument {parameter.arg}"))
        names[parameter.arg] = call_.named.get(parameter.arg, default)
    if node.vararg is not None:
        names[node.vararg.arg] = ListOf(list(call_.args[len(places) :]), "tuple", call_.open)
    if node.kwarg is not None:
        taken = {parameter.arg for parameter in (*places, *node.kwonlyargs)}
        more: dict[Key, AbstractValue] = {name: value for name, value in call_.named.items() if name not in taken}
        names[node.kwarg.arg] = DictOf(more, call_.open)


def _instance(reader: Interpreter, of: Class, call_: Call) -> AbstractValue:
    instance = Instance(of)
    start = members.find_member(of, "__init__")
    if isinstance(start, FunctionValue):
        call(reader, start, replace(call_, args=(instance, *call_.args)))
        return instance
    fields = _fields(of)
    for name, value in zip(fields, call_.args, strict=False):
        instance.attributes[name] = value
    instance.attributes.update(call_.named)
    for name in fields[len(call_.args) :]:
        if name not in instance.attributes and members.find_member(of, name) is None:
            instance.attributes[name] = UnknownValue(f"{of.name}.{name}", settings.field_setting(of.name, name))
    after = members.find_member(of, "__post_init__")
    if isinstance(after, FunctionValue):
        call(reader, after, replace(call_, args=(instance,), named={}))
    return instance


def _fields(of: Class, depth: int = 0) -> tuple[str, ...]:
    inherited = [
        name for base in of.bases if isinstance(base, Class) and depth < 20 for name in _fields(base, depth + 1)
    ]
    return tuple(dict.fromkeys((*inherited, *of.fields)))


_RUNS_IT = frozenset(
    {"submit", "map", "starmap", "apply_async", "run_in_executor", "Thread", "Process", "starmap_async"}
)


def _unknown(reader: Interpreter, function: AbstractValue, call_: Call) -> AbstractValue:
    """Something that is no part of the program and that no model knows."""
    world = reader.world
    for look in world.libraries.methods_anywhere.get(call_.name, ()):
        found = look(replace(call_, on=function), world)
        if found is not None:
            return found
    if call_.name in world.libraries.sinks:
        world.gap(call_, f"what {call_.written} writes is not known: its rows come from code that cannot be followed")
        return UnknownValue(call_.written)
    _call_back(reader, call_)
    frames = list(_frames(call_))
    if frames:
        reads: frozenset[str] = frozenset().union(*(frame.relation.reads for frame in frames))
        reason = f"what {call_.name} does with its rows (line {call_.line}) is not known: it is not in the codebase"
        if not frames[0].kind.startswith("pyspark"):
            return hidden(frames[0], call_.written, (frame.relation for frame in frames[1:]), reason)
        return Frame(frames[0].kind, world.lost(call_, call_.name, reads, reason))
    return UnknownValue(call_.written)


def _frames(call_: Call) -> Iterable[Frame]:
    for argument in (*call_.args, *call_.named.values()):
        if isinstance(argument, Frame):
            yield argument
        elif isinstance(argument, ListOf):
            yield from (item for item in argument.items if isinstance(item, Frame))


def _call_back(reader: Interpreter, call_: Call) -> None:
    """A function of the program that is handed to something unknown is called by it, or so it seems."""
    target = call_.named.get("target")
    handed = [one for one in (target, *call_.args) if isinstance(one, FunctionValue | BoundFunction)]
    if not handed:
        return
    first = handed[0]
    if call_.name == "map" or call_.name.startswith("starmap"):
        items, _ = members.iterate(reader, call_.args[1]) if len(call_.args) > 1 else ([], False)
        for item in items:
            spread = item.items if call_.name.startswith("starmap") and isinstance(item, ListOf) else [item]
            call(reader, first, replace(call_, args=tuple(spread), named={}))
    elif call_.name in _RUNS_IT:
        given = call_.named.get("args") or call_.named.get("kwds")
        args = tuple(given.items) if isinstance(given, ListOf) else _after(call_.args, first)
        named = {name: one for name, one in call_.named.items() if name not in {"target", "args", "kwargs"}}
        call(reader, first, replace(call_, args=args, named=named))
    elif isinstance(first, FunctionValue) and not first.node.args.args:
        call(reader, first, replace(call_, args=(), named={}))


def _after(args: tuple[AbstractValue, ...], one: AbstractValue) -> tuple[AbstractValue, ...]:
    return args[args.index(one) + 1 :] if one in args else ()

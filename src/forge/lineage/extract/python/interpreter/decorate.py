"""Definitions of functions and classes, with their decorators."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import TYPE_CHECKING

from forge.lineage.extract.python.interpreter.expressions import arguments, function_of
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.scope import NameScope
from forge.lineage.extract.python.values import (
    AbstractValue,
    BoundFunction,
    Class,
    FunctionValue,
    LibraryValue,
    NativeFunction,
    PropertyMethod,
    StaticMethod,
)

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter

_PROPERTIES = {"property", "cached_property", "functools.cached_property", "abc.abstractproperty"}


def define_function(
    reader: Interpreter, node: ast.FunctionDef | ast.AsyncFunctionDef, scope: NameScope, owner: Class | None = None
) -> AbstractValue | None:
    """None: it only adds a setter to a property."""
    found: AbstractValue = function_of(reader, node.name, node, scope, owner)
    for decorator in reversed(node.decorator_list):
        name = ast.unparse(decorator)
        if name in _PROPERTIES:
            found = PropertyMethod(found)
        elif name in {"staticmethod", "classmethod"}:
            found = StaticMethod(found, name == "classmethod")
        elif isinstance(decorator, ast.Attribute) and decorator.attr in {"setter", "deleter", "getter"}:
            return None
        else:
            found = _decorated(reader, decorator, found, scope)
    return found


def _decorated(reader: Interpreter, decorator: ast.expr, function: AbstractValue, scope: NameScope) -> AbstractValue:
    """A decorator that is not known changes nothing."""
    called = isinstance(decorator, ast.Call)
    thing = reader.evaluate(decorator.func if isinstance(decorator, ast.Call) else decorator, scope)
    if isinstance(thing, NativeFunction):
        known = reader.world.libraries.decorators.get(thing.path)
        if known is None:
            return function
        call = Call(name=thing.path, line=decorator.lineno, node=decorator)
        if isinstance(decorator, ast.Call):
            call = replace(arguments(reader, decorator, scope), name=thing.path)
        return known(replace(call, args=(function, *call.args)), reader.world)
    if not isinstance(thing, FunctionValue | BoundFunction | Class):
        return function
    if called:
        assert isinstance(decorator, ast.Call)
        thing = reader.call(thing, arguments(reader, decorator, scope))
    result = reader.call(thing, Call(name="decorator", line=decorator.lineno, args=(function,), node=decorator))
    return result if isinstance(result, FunctionValue | BoundFunction | LibraryValue | NativeFunction) else function


def define_class(reader: Interpreter, node: ast.ClassDef, scope: NameScope) -> Class:
    found = Class(node.name, tuple(reader.evaluate(base, scope) for base in node.bases))
    body = NameScope(scope)
    fields: list[str] = []
    for statement in node.body:
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef):
            # Methods do not see the names of the class body.
            method = define_function(reader, statement, scope, found)
            if method is not None:
                body.names[statement.name] = method
            continue
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            fields.append(statement.target.id)
        reader.run([statement], body)
    found.members = body.names
    found.fields = tuple(fields)
    return found

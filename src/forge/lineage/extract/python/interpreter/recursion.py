"""Bounds recursion: a recursive call is followed while its arguments or receiver differ, as in a linked list. A call
that is cut off is reported as a gap if it concerns rows."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.values import (
    AbstractValue,
    BoundFunction,
    Class,
    Const,
    DictOf,
    Frame,
    FunctionValue,
    Instance,
    LibraryValue,
    ListOf,
    Text,
)

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter

Given = tuple[int, tuple[object, ...]]
_READS = frozenset({"read", "readStream", "sql", "table", "read_csv", "read_parquet", "read_sql", "scan_parquet"})


def arguments_of(call: Call) -> tuple[object, ...]:
    """The identity of a call: objects by identity, values by content; rows do not count."""
    return (*map(_mark, call.args), *((name, _mark(one)) for name, one in call.named.items()))


def _mark(thing: AbstractValue) -> object:
    if isinstance(thing, Instance | FunctionValue | BoundFunction | Class):
        return id(thing)
    if isinstance(thing, Const):
        return repr(thing.value)
    if isinstance(thing, Text):
        return thing.shown
    if isinstance(thing, ListOf):
        return len(thing.items), thing.open
    if isinstance(thing, DictOf):
        return len(thing.items), thing.open
    return type(thing).__name__


def is_cut(reader: Interpreter, given: Given) -> bool:

    if len(reader.running) >= DEPTH or reader.running.count(given) >= AGAIN:
        return True
    inside = sum(node == given[0] for node, _ in reader.running)
    if inside < AGAIN:
        return False
    reader.further += 1
    return reader.further > FURTHER


def report_cut(reader: Interpreter, function: FunctionValue, call: Call) -> None:
    if any(_holds_rows(one) for one in (*call.args, *call.named.values())) or _speaks_of_rows(reader, function):
        reader.world.gap(call, f"{function.name} calls itself, and is not followed further here")


def _holds_rows(thing: AbstractValue) -> bool:
    if isinstance(thing, ListOf):
        return any(isinstance(one, Frame) for one in thing.items)
    return isinstance(thing, Frame | LibraryValue)


def _speaks_of_rows(reader: Interpreter, function: FunctionValue) -> bool:
    words = reader.world.libraries.sinks
    return any(
        isinstance(node, ast.Attribute) and (node.attr in words or node.attr in _READS)
        for node in ast.walk(function.node)
    )


DEPTH = 30  # calls inside calls


AGAIN = 2  # times that a function may be inside itself with the same arguments


FURTHER = 300  # times that functions of a program may be inside themselves with other objects or values

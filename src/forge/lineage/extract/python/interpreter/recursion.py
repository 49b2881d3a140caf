"""How far a function that calls itself is followed: as long as each call has another object or other values, as in a
chain of objects or a list that is worked off. What is cut is told, if it has to do with rows."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.values import (
    Bound,
    Class,
    Const,
    DictOf,
    Frame,
    Function,
    Instance,
    ListOf,
    Modelled,
    Text,
    Thing,
)

if TYPE_CHECKING:
    from forge.lineage.extract.python.interpreter.interpreter import Interpreter

Given = tuple[int, tuple[object, ...]]
_READS = frozenset({"read", "readStream", "sql", "table", "read_csv", "read_parquet", "read_sql", "scan_parquet"})


def arguments_of(call: Call) -> tuple[object, ...]:
    """What tells one call from another: objects by themselves, values by what they are; rows do not count."""
    return (*map(_mark, call.args), *((name, _mark(one)) for name, one in call.named.items()))


def _mark(thing: Thing) -> object:
    if isinstance(thing, Instance | Function | Bound | Class):
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


def tell_cut(reader: Interpreter, function: Function, call: Call) -> None:
    if any(_holds_rows(one) for one in (*call.args, *call.named.values())) or _speaks_of_rows(reader, function):
        reader.world.gap(call, f"{function.name} calls itself, and is not followed further here")


def _holds_rows(thing: Thing) -> bool:
    if isinstance(thing, ListOf):
        return any(isinstance(one, Frame) for one in thing.items)
    return isinstance(thing, Frame | Modelled)


def _speaks_of_rows(reader: Interpreter, function: Function) -> bool:
    words = reader.world.libraries.sinks
    return any(
        isinstance(node, ast.Attribute) and (node.attr in words or node.attr in _READS)
        for node in ast.walk(function.node)
    )


DEPTH = 30  # calls inside calls


AGAIN = 2  # times that a function may be inside itself with the same arguments


FURTHER = 300  # times that functions of a program may be inside themselves with other objects or values

"""Forge's `@transform`: the function produces the table `output` from `inputs`, which are named like its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePosixPath
from typing import cast

from forge.lineage.extract.program import Program
from forge.lineage.extract.python.library import Call, Handler
from forge.lineage.extract.python.pyspark.frame import SPARK
from forge.lineage.extract.python.values import (
    AbstractValue,
    DictOf,
    Frame,
    FunctionValue,
    UnknownValue,
    known_text,
    text,
)
from forge.lineage.extract.python.world import World

_CONTEXT = "ctx"


def _transform(call: Call, world: World) -> AbstractValue:
    function = call.arg(0)
    if not isinstance(function, FunctionValue):
        return function or UnknownValue(call.written)
    output = call.named.get("output") or text(_default_output(world.file, function.name))
    pending = cast("list[Callable[[], None]]", world.settings.setdefault("pending", []))
    pending.append(lambda: _make(function, output, call, world))
    return function


def _make(function: FunctionValue, output: AbstractValue, call: Call, world: World) -> None:
    at = Call(name=call.name, line=function.node.lineno, node=call.node)
    inputs = call.named.get("inputs")
    given: dict[str, AbstractValue] = {}
    if isinstance(inputs, DictOf):
        for name, table in inputs.items.items():
            given[str(name)] = Frame(SPARK, world.read_table(at, table))
    if any(one.arg == _CONTEXT for one in (*function.node.args.args, *function.node.args.kwonlyargs)):
        given[_CONTEXT] = UnknownValue("the context of the run")
    result = world.call(function, (), call, given)
    _made(world).add((world.file, at.line))
    if isinstance(result, Frame):
        world.write_table(at, output, result.relation)
        return
    # What it gives is not known to be rows; that it reads its inputs is declared all the same.
    tables = inputs.items.values() if isinstance(inputs, DictOf) else ()
    reads = frozenset(name for name in map(known_text, tables) if name)
    reason = f"what {function.name}() gives is not understood; only its tables are known"
    world.write_table(at, output, world.lost(at, function.name, reads, reason))


def _default_output(file: str, name: str) -> str:
    """The last folder and the function's name."""
    folder = PurePosixPath(file).parent.name
    return f"{folder}.{name}" if folder else name


def _made(world: World) -> set[tuple[str, int]]:
    return cast("set[tuple[str, int]]", world.settings.setdefault("transforms", set()))


def name_transforms(program: Program, world: World) -> Program:
    """A transform of Forge has the name of its table, as the runs call it."""
    made = _made(world)
    steps = (replace(one, transform=one.target) if (one.file, one.line) in made else one for one in program.steps)
    return replace(program, steps=tuple(steps))


FORGE_DECORATORS: dict[str, Handler] = {
    "forge.transform": _transform,
    "forge.transforms.transform": _transform,
    "forge.transforms.decorator.transform": _transform,
}

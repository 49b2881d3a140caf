"""Declared tables: Spark's declarative pipelines, Databricks' `dlt`, Dagster's assets. A decorated function returns the
table of its name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import cast

from forge.lineage.extract.program import OutputKind
from forge.lineage.extract.python.library import Call, Handler
from forge.lineage.extract.python.pyspark.frame import FRAME_METHODS, SPARK
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

_PIPELINES = ("dlt", "pyspark.pipelines")
_TABLES = {
    "table": OutputKind.TABLE,
    "materialized_view": OutputKind.TABLE,
    "view": OutputKind.TEMPORARY,
    "temporary_view": OutputKind.TEMPORARY,
}


def _declared(made: OutputKind) -> Handler:
    def handler(call: Call, world: World) -> AbstractValue:
        function = call.arg(0)
        if not isinstance(function, FunctionValue):
            return function or UnknownValue(call.written)
        name = call.named.get("name") or text(function.name)
        _later(world, lambda: _make(function, name, made, call, world))
        return function

    return handler


def _expected(call: Call, world: World) -> AbstractValue:
    """`@expect_or_drop("name", "rate > 0")`: failing rows are dropped, at any position of the decorator."""
    function, given = call.arg(0), call.arg(1) if "all" in call.name else call.arg(2)
    if isinstance(function, FunctionValue):
        conditions = list(given.items.values()) if isinstance(given, DictOf) else [given]
        _conditions(world).setdefault(id(function.node), []).extend(one for one in conditions if one is not None)
    return function or UnknownValue(call.written)


def _conditions(world: World) -> dict[int, list[AbstractValue]]:
    return cast("dict[int, list[AbstractValue]]", world.settings.setdefault("expectations", {}))


def _flow(call: Call, world: World) -> AbstractValue:
    """`@append_flow(target="t")`: one of the sources of a table."""
    function = call.arg(0)
    target = call.named.get("target")
    if isinstance(function, FunctionValue) and target is not None:
        _later(world, lambda: _make(function, target, OutputKind.TABLE, call, world, whole=False))
    return function or UnknownValue(call.written)


def _later(world: World, finish: Callable[[], None]) -> None:
    cast("list[Callable[[], None]]", world.settings.setdefault("pending", [])).append(finish)


def _make(
    function: FunctionValue, name: AbstractValue, made: OutputKind, call: Call, world: World, *, whole: bool = True
) -> None:
    given = _parameters(function, call, world)
    result = world.call(function, (), call, given)
    if not isinstance(result, Frame):
        return
    for condition in _conditions(world).get(id(function.node), ()):
        kept = FRAME_METHODS["filter"](
            Call(name="filter", line=function.node.lineno, args=(condition,), on=result), world
        )
        result = kept if isinstance(kept, Frame) else result
    known = known_text(name)
    at = Call(name=call.name, line=function.node.lineno, node=call.node)
    if made is OutputKind.TEMPORARY and known is not None:
        world.here().define_view(known, result.relation, at.line)
    else:
        world.write_table(at, name, result.relation, whole=whole, made=made)


def _parameters(function: FunctionValue, call: Call, world: World) -> dict[str, AbstractValue]:
    """Of an asset: its parameters are the assets it reads, where their type says that they are rows."""
    found: dict[str, AbstractValue] = {}
    for parameter in function.node.args.args:
        if parameter.annotation is None or parameter.arg in {"context", "self"}:
            continue
        kind = _kind(ast.unparse(parameter.annotation).strip("'\""), function, world)
        if kind is not None:
            found[parameter.arg] = Frame(kind, world.read_table(call, text(parameter.arg)))
    return found


def _kind(name: str, function: FunctionValue, world: World) -> str | None:
    head, _, rest = name.partition(".")
    path = getattr(function.scope.find(head), "path", head)
    return world.libraries.annotations.get(f"{path}.{rest}" if rest else path)


def _read(call: Call, world: World) -> AbstractValue:
    """`dlt.read("t")`, also of a stream."""
    name = call.arg(0, "name")
    return Frame(SPARK, world.read_table(call, name))


def _nothing(call: Call, world: World) -> AbstractValue:
    return UnknownValue(call.written)


TABLE_DECORATORS: dict[str, Handler] = {
    **{f"{module}.{name}": _declared(made) for module in _PIPELINES for name, made in _TABLES.items()},
    **{f"{module}.append_flow": _flow for module in _PIPELINES},
    **{f"{module}.expect_{name}": _expected for module in _PIPELINES for name in ("or_drop", "all_or_drop")},
    "dagster.asset": _declared(OutputKind.TABLE),
}
TABLE_FUNCTIONS: dict[str, Handler] = {
    **{f"{module}.{name}": _read for module in _PIPELINES for name in ("read", "read_stream", "readStream")},
    **{f"{module}.create_streaming_table": _nothing for module in _PIPELINES},
}

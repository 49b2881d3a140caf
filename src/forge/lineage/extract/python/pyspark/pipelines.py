"""Declared tables: Spark's declarative pipelines, Databricks' `dlt`, Dagster's assets. What a decorated function gives
is the table of that name."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import cast

from forge.lineage.extract.program import Made
from forge.lineage.extract.python.library import Call, Handler
from forge.lineage.extract.python.pyspark.frame import FRAME_METHODS, SPARK
from forge.lineage.extract.python.reading import World
from forge.lineage.extract.python.values import DictOf, Frame, Function, Thing, Unknown, known_text, text

_PIPELINES = ("dlt", "pyspark.pipelines")
_TABLES = {
    "table": Made.TABLE,
    "materialized_view": Made.TABLE,
    "view": Made.TEMPORARY,
    "temporary_view": Made.TEMPORARY,
}


def _declared(made: Made) -> Handler:
    def handler(call: Call, world: World) -> Thing:
        function = call.arg(0)
        if not isinstance(function, Function):
            return function or Unknown(call.written)
        name = call.named.get("name") or text(function.name)
        _later(world, lambda: _make(function, name, made, call, world))
        return function

    return handler


def _expected(call: Call, world: World) -> Thing:
    """`@expect_or_drop("name", "rate > 0")`: rows that fail it are left out, wherever the decorator stands."""
    function, given = call.arg(0), call.arg(1) if "all" in call.name else call.arg(2)
    if isinstance(function, Function):
        conditions = list(given.items.values()) if isinstance(given, DictOf) else [given]
        _conditions(world).setdefault(id(function.node), []).extend(one for one in conditions if one is not None)
    return function or Unknown(call.written)


def _conditions(world: World) -> dict[int, list[Thing]]:
    return cast("dict[int, list[Thing]]", world.settings.setdefault("expectations", {}))


def _flow(call: Call, world: World) -> Thing:
    """`@append_flow(target="t")`: one of several sources of a table."""
    function = call.arg(0)
    target = call.named.get("target")
    if isinstance(function, Function) and target is not None:
        _later(world, lambda: _make(function, target, Made.TABLE, call, world, whole=False))
    return function or Unknown(call.written)


def _later(world: World, finish: Callable[[], None]) -> None:
    cast("list[Callable[[], None]]", world.settings.setdefault("pending", [])).append(finish)


def _make(function: Function, name: Thing, made: Made, call: Call, world: World, *, whole: bool = True) -> None:
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
    if made is Made.TEMPORARY and known is not None:
        world.here().define_view(known, result.relation, at.line)
    else:
        world.write_table(at, name, result.relation, whole=whole, made=made)


def _parameters(function: Function, call: Call, world: World) -> dict[str, Thing]:
    """Of an asset: its parameters are the assets it reads, where their type says that they are rows."""
    found: dict[str, Thing] = {}
    for parameter in function.node.args.args:
        if parameter.annotation is None or parameter.arg in {"context", "self"}:
            continue
        kind = _kind(ast.unparse(parameter.annotation).strip("'\""), function, world)
        if kind is not None:
            found[parameter.arg] = Frame(kind, world.read_table(call, text(parameter.arg)))
    return found


def _kind(name: str, function: Function, world: World) -> str | None:
    head, _, rest = name.partition(".")
    path = getattr(function.scope.find(head), "path", head)
    return world.libraries.annotations.get(f"{path}.{rest}" if rest else path)


def _read(call: Call, world: World) -> Thing:
    """`dlt.read("t")`, also of a stream."""
    name = call.arg(0, "name")
    return Frame(SPARK, world.read_table(call, name))


def _nothing(call: Call, world: World) -> Thing:
    return Unknown(call.written)


TABLE_DECORATORS: dict[str, Handler] = {
    **{f"{module}.{name}": _declared(made) for module in _PIPELINES for name, made in _TABLES.items()},
    **{f"{module}.append_flow": _flow for module in _PIPELINES},
    **{f"{module}.expect_{name}": _expected for module in _PIPELINES for name in ("or_drop", "all_or_drop")},
    "dagster.asset": _declared(Made.TABLE),
}
TABLE_FUNCTIONS: dict[str, Handler] = {
    **{f"{module}.{name}": _read for module in _PIPELINES for name in ("read", "read_stream", "readStream")},
    **{f"{module}.create_streaming_table": _nothing for module in _PIPELINES},
}

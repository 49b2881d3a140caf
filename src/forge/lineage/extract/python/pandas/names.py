"""Column names as values: `df.columns`."""

from __future__ import annotations

from collections.abc import Callable

from forge.lineage.extract.python.library import Call, Handler
from forge.lineage.extract.python.pandas.select import ColumnNames
from forge.lineage.extract.python.values import (
    AbstractValue,
    Const,
    DictOf,
    FunctionValue,
    ListOf,
    SliceValue,
    UnknownValue,
    known_text,
    names_in,
    number_in,
    text,
)
from forge.lineage.extract.python.world import World


def shown(names: ColumnNames) -> ListOf:
    """As a list; names with levels are tuples."""
    levels = names.levels or {}
    items: list[AbstractValue] = []
    for name in names.names:
        parts = levels.get(name) or ((name, "") if levels else None)
        items.append(text(name) if parts is None else ListOf([text(one) for one in parts], "tuple"))
    return ListOf(items, "list", not names.known)


def iterate(call: Call, world: World) -> AbstractValue:
    return shown(call.receiver(ColumnNames))


def item(call: Call, world: World) -> AbstractValue:
    names, key = call.receiver(ColumnNames), call.args[0]
    place = number_in(key)
    if place is not None and names.known and -len(names.names) <= place < len(names.names):
        return shown(names).items[place]
    if isinstance(key, SliceValue):
        start, stop = number_in(key.start), number_in(key.stop)
        return ColumnNames(names.names[start:stop], names.known)
    return UnknownValue(call.written)


def operator(call: Call, world: World) -> AbstractValue:
    """`"x" in df.columns`."""
    names = next((one for one in (*call.args, call.on) if isinstance(one, ColumnNames)), None)
    wanted = known_text(call.on)
    if call.name == "in" and names is not None and wanted is not None:
        if wanted in names.names:
            return Const(True)
        return Const(False) if names.known else UnknownValue(call.written)
    return UnknownValue(call.written)


def _by_text(change: Callable[[str], str]) -> Handler:
    def handler(call: Call, world: World) -> AbstractValue:
        names = call.receiver(ColumnNames)
        return ColumnNames(tuple(change(name) for name in names.names), names.known)

    return handler


def replaced(call: Call, world: World) -> AbstractValue:
    names, old, new = call.receiver(ColumnNames), call.text(0, "pat"), call.text(1, "repl")
    if old is None or new is None or call.named.get("regex") == Const(True):
        return UnknownValue(call.written)
    return ColumnNames(tuple(name.replace(old, new) for name in names.names), names.known)


def mapped(call: Call, world: World) -> AbstractValue:
    """`df.columns.map(f)`."""
    names, function = call.receiver(ColumnNames), call.arg(0, "mapper")
    if isinstance(function, DictOf):
        return ListOf([function.items.get(name, UnknownValue(name)) for name in names.names], "list", not names.known)
    if isinstance(function, FunctionValue):
        return ListOf([world.call(function, (one,), call) for one in shown(names).items], "list", not names.known)
    return UnknownValue(call.written)


def without(call: Call, world: World) -> AbstractValue:
    names, gone = call.receiver(ColumnNames), names_in(call.arg(0, "other"))
    if gone is None and isinstance(call.arg(0), ColumnNames):
        gone = call.args[0].names  # type: ignore[attr-defined]
    return (
        UnknownValue(call.written)
        if gone is None
        else ColumnNames(tuple(n for n in names.names if n not in gone), names.known)
    )


def attribute(call: Call, world: World) -> AbstractValue | None:
    return call.receiver(ColumnNames) if call.name in {"str", "values", "T"} else None


METHODS: dict[str, Handler] = {
    "lower": _by_text(str.lower),
    "upper": _by_text(str.upper),
    "strip": _by_text(str.strip),
    "title": _by_text(str.title),
    "replace": replaced,
    "map": mapped,
    "tolist": iterate,
    "to_list": iterate,
    "difference": without,
    "drop": without,
    "copy": lambda call, world: call.receiver(ColumnNames),
}

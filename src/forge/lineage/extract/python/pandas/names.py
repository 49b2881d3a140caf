"""The names of columns as values: `df.columns`."""

from __future__ import annotations

from collections.abc import Callable

from forge.lineage.extract.python.library import Call, Handler
from forge.lineage.extract.python.pandas.select import NAMES, Names
from forge.lineage.extract.python.reading import World
from forge.lineage.extract.python.values import (
    Const,
    DictOf,
    Function,
    ListOf,
    Range,
    Thing,
    Unknown,
    known_text,
    names_in,
    number_in,
    text,
)


def shown(names: Names) -> ListOf:
    """As a list; names with levels are tuples."""
    levels = names.levels or {}
    items: list[Thing] = []
    for name in names.names:
        parts = levels.get(name) or ((name, "") if levels else None)
        items.append(text(name) if parts is None else ListOf([text(one) for one in parts], "tuple"))
    return ListOf(items, "list", not names.known)


def iterate(call: Call, world: World) -> Thing:
    return shown(call.receiver(Names))


def item(call: Call, world: World) -> Thing:
    names, key = call.receiver(Names), call.args[0]
    place = number_in(key)
    if place is not None and names.known and -len(names.names) <= place < len(names.names):
        return shown(names).items[place]
    if isinstance(key, Range):
        start, stop = number_in(key.start), number_in(key.stop)
        return Names(names.names[start:stop], names.known)
    return Unknown(call.written)


def operator(call: Call, world: World) -> Thing:
    """`"x" in df.columns`."""
    names = next((one for one in (*call.args, call.on) if isinstance(one, Names)), None)
    wanted = known_text(call.on)
    if call.name == "in" and names is not None and wanted is not None:
        if wanted in names.names:
            return Const(True)
        return Const(False) if names.known else Unknown(call.written)
    return Unknown(call.written)


def _by_text(change: Callable[[str], str]) -> Handler:
    def handler(call: Call, world: World) -> Thing:
        names = call.receiver(Names)
        return Names(tuple(change(name) for name in names.names), names.known)

    return handler


def replaced(call: Call, world: World) -> Thing:
    names, old, new = call.receiver(Names), call.text(0, "pat"), call.text(1, "repl")
    if old is None or new is None or call.named.get("regex") == Const(True):
        return Unknown(call.written)
    return Names(tuple(name.replace(old, new) for name in names.names), names.known)


def mapped(call: Call, world: World) -> Thing:
    """`df.columns.map(f)`."""
    names, function = call.receiver(Names), call.arg(0, "mapper")
    if isinstance(function, DictOf):
        return ListOf([function.items.get(name, Unknown(name)) for name in names.names], "list", not names.known)
    if isinstance(function, Function):
        return ListOf([world.call(function, (one,), call) for one in shown(names).items], "list", not names.known)
    return Unknown(call.written)


def without(call: Call, world: World) -> Thing:
    names, gone = call.receiver(Names), names_in(call.arg(0, "other"))
    if gone is None and isinstance(call.arg(0), Names):
        gone = call.args[0].names  # type: ignore[attr-defined]
    return Unknown(call.written) if gone is None else Names(tuple(n for n in names.names if n not in gone), names.known)


def attribute(call: Call, world: World) -> Thing | None:
    return call.receiver(Names) if call.name in {"str", "values", "T"} else None


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
    "copy": lambda call, world: call.receiver(Names),
}
__all__ = ["METHODS", "NAMES", "attribute", "item", "iterate", "operator", "shown"]

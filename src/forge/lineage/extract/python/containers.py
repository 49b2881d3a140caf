"""Methods of lists, sets and dicts."""

from __future__ import annotations

from collections.abc import Sequence

from forge.lineage.extract.python.library import Call, Handler
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    Const,
    DictOf,
    Key,
    ListOf,
    UnknownValue,
    from_key,
    key_of,
    list_of,
    number_in,
)
from forge.lineage.extract.python.world import World


def items_in(thing: AbstractValue | None) -> tuple[Sequence[AbstractValue], bool]:
    """What it holds, and whether that is all."""
    if isinstance(thing, ListOf):
        return thing.items, not thing.open
    if isinstance(thing, DictOf):
        return [from_key(key) for key in thing.items], not thing.open
    return (), False


def _append(call: Call, world: World) -> AbstractValue:
    on = call.receiver(ListOf)
    world.change(on)
    on.items.append(call.args[0] if call.args else NONE)
    return NONE


def _add(call: Call, world: World) -> AbstractValue:
    """Of a set: what it has already is not added."""
    on = call.receiver(ListOf)
    sure, key = key_of(call.args[0]) if call.args else (True, None)
    if not (sure and any(key_of(item) == (True, key) for item in on.items)):
        _append(call, world)
    return NONE


def _extend(call: Call, world: World) -> AbstractValue:
    on = call.receiver(ListOf)
    items, known = items_in(call.arg(0))
    world.change(on)
    on.items.extend(items)
    on.open = on.open or not known
    return NONE


def _insert(call: Call, world: World) -> AbstractValue:
    on = call.receiver(ListOf)
    place = number_in(call.arg(0))
    world.change(on)
    on.items.insert(place if place is not None else len(on.items), call.args[1] if len(call.args) > 1 else NONE)
    return NONE


def _pop(call: Call, world: World) -> AbstractValue:
    on = call.receiver(ListOf)
    place = number_in(call.arg(0)) if call.args else -1
    if on.open or place is None or not -len(on.items) <= place < len(on.items):
        return UnknownValue(call.written)
    world.change(on)
    return on.items.pop(place)


def _remove(call: Call, world: World) -> AbstractValue:
    on = call.receiver(ListOf)
    wanted = key_of(call.args[0]) if call.args else (False, None)
    for place, item in enumerate(on.items):
        if wanted[0] and key_of(item) == wanted:
            world.change(on)
            del on.items[place]
            break
    return NONE


def _clear(call: Call, world: World) -> AbstractValue:
    on = call.on
    assert isinstance(on, ListOf | DictOf)
    world.change(on)
    on.items.clear()
    on.open = False
    return NONE


def _copy(call: Call, world: World) -> AbstractValue:
    on = call.on
    if isinstance(on, DictOf):
        return DictOf(dict(on.items), on.open)
    assert isinstance(on, ListOf)
    return ListOf(list(on.items), on.form, on.open)


def _reverse(call: Call, world: World) -> AbstractValue:
    on = call.receiver(ListOf)
    world.change(on)
    on.items.reverse()
    return NONE


def _sort(call: Call, world: World) -> AbstractValue:
    on = call.receiver(ListOf)
    world.change(on)
    on.items[:] = ordered(on.items) or on.items
    return NONE


def ordered(items: Sequence[AbstractValue]) -> list[AbstractValue] | None:
    """Sorted, if they are all texts or all numbers."""
    keys = [key_of(item) for item in items]
    values = [key for sure, key in keys if sure]
    if len(values) != len(items):
        return None
    if all(isinstance(one, str) for one in values):
        return [from_key(one) for one in sorted(str(one) for one in values)]
    numbers = [one for one in values if isinstance(one, int | float)]
    return [Const(one) for one in sorted(numbers)] if len(numbers) == len(items) else None


def _index(call: Call, world: World) -> AbstractValue:
    on = call.receiver(ListOf)
    wanted = key_of(call.args[0]) if call.args else (False, None)
    places = [place for place, item in enumerate(on.items) if wanted[0] and key_of(item) == wanted]
    return Const(places[0]) if places and not on.open else UnknownValue(call.written)


def _combine(keep_both: bool, *, inside: bool = False) -> Handler:
    """union, intersection, difference of sets."""

    def handler(call: Call, world: World) -> AbstractValue:
        on = call.receiver(ListOf)
        other, known = items_in(call.arg(0))
        keys = {key for sure, key in map(key_of, other) if sure}
        if keep_both:
            mine = {key for sure, key in map(key_of, on.items) if sure}
            more = [item for item in other if key_of(item)[1] not in mine]
            return ListOf([*on.items, *more], on.form, on.open or not known)
        kept = [item for item in on.items if (key_of(item)[1] in keys) is inside]
        return ListOf(kept, on.form, on.open or not known)

    return handler


def _get(call: Call, world: World) -> AbstractValue:
    on = call.receiver(DictOf)
    sure, key = key_of(call.args[0]) if call.args else (False, None)
    if sure and key in on.items:
        return on.items[key]
    if not sure or on.open:
        return UnknownValue(call.written)
    default = call.arg(1, "default")
    return default if default is not None else NONE


def _set_default(call: Call, world: World) -> AbstractValue:
    on = call.receiver(DictOf)
    sure, key = key_of(call.args[0]) if call.args else (False, None)
    if not sure:
        return UnknownValue(call.written)
    if key not in on.items:
        world.change(on)
        on.items[key] = call.args[1] if len(call.args) > 1 else NONE
    return on.items[key]


def _update(call: Call, world: World) -> AbstractValue:
    on, more = call.receiver(DictOf), call.arg(0)
    world.change(on)
    if isinstance(more, DictOf):
        on.items.update(more.items)
        on.open = on.open or more.open
    elif more is not None:
        pairs = pairs_of(more)
        on.items.update(pairs or {})
        on.open = on.open or pairs is None
    on.items.update(call.named)
    return NONE


def pairs_of(thing: AbstractValue) -> dict[Key, AbstractValue] | None:
    """A list of pairs as a dict."""
    items, known = items_in(thing)
    found: dict[Key, AbstractValue] = {}
    for item in items:
        if not isinstance(item, ListOf) or len(item.items) != 2:
            return None
        sure, key = key_of(item.items[0])
        if not sure:
            return None
        found[key] = item.items[1]
    return found if known else None


def _dict_pop(call: Call, world: World) -> AbstractValue:
    on = call.receiver(DictOf)
    sure, key = key_of(call.args[0]) if call.args else (False, None)
    if sure and key in on.items:
        world.change(on)
        return on.items.pop(key)
    default = call.arg(1)
    return default if default is not None and sure and not on.open else UnknownValue(call.written)


def _keys(call: Call, world: World) -> AbstractValue:
    on = call.receiver(DictOf)
    return ListOf([from_key(key) for key in on.items], "list", on.open)


def _values(call: Call, world: World) -> AbstractValue:
    on = call.receiver(DictOf)
    return ListOf(list(on.items.values()), "list", on.open)


def _pairs(call: Call, world: World) -> AbstractValue:
    on = call.receiver(DictOf)
    pairs: list[AbstractValue] = [list_of((from_key(key), value), "tuple") for key, value in on.items.items()]
    return ListOf(pairs, "list", on.open)


LIST_METHODS: dict[str, Handler] = {
    "append": _append,
    "add": _add,
    "extend": _extend,
    "insert": _insert,
    "pop": _pop,
    "remove": _remove,
    "discard": _remove,
    "clear": _clear,
    "copy": _copy,
    "reverse": _reverse,
    "sort": _sort,
    "index": _index,
    "union": _combine(True),
    "difference": _combine(False),
    "intersection": _combine(False, inside=True),
    "update": _extend,
}
DICT_METHODS: dict[str, Handler] = {
    "get": _get,
    "setdefault": _set_default,
    "update": _update,
    "pop": _dict_pop,
    "keys": _keys,
    "values": _values,
    "items": _pairs,
    "copy": _copy,
    "clear": _clear,
}

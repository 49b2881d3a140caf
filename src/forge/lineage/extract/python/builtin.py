"""The model of Python's builtins and of the standard library for names, paths and lists."""

from __future__ import annotations

from forge.lineage.extract.python.containers import items_in, ordered, pairs_of
from forge.lineage.extract.python.library import Call, Handler, Library, ValueKind
from forge.lineage.extract.python.texts import join_path, open_file, read_file, to_text
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    BoundFunction,
    Class,
    Const,
    DictOf,
    Expr,
    Frame,
    Instance,
    LibraryValue,
    ListOf,
    NativeFunction,
    Text,
    UnknownValue,
    key_of,
    known_text,
    list_of,
    number_in,
    text,
    truth_of,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.model.word_list import words

_MOST = 1000


def _range(call: Call, world: World) -> AbstractValue:
    numbers = [number_in(one) for one in call.args]
    known = [one for one in numbers if one is not None]
    if not known or len(known) != len(numbers) or (len(known) == 3 and known[2] == 0):
        return ListOf([], "list", True)
    found = range(*known)
    return ListOf([Const(one) for one in found[:_MOST]], "list", len(found) > _MOST)


def _enumerate(call: Call, world: World) -> AbstractValue:
    items, known = items_in(call.arg(0))
    start = number_in(call.arg(1, "start")) or 0
    pairs: list[AbstractValue] = [list_of((Const(place), item), "tuple") for place, item in enumerate(items, start)]
    return ListOf(pairs, "list", not known)


def _zip(call: Call, world: World) -> AbstractValue:
    sides = [items_in(one) for one in call.args]
    rows: list[AbstractValue] = [list_of(row, "tuple") for row in zip(*(items for items, _ in sides), strict=False)]
    return ListOf(rows, "list", not all(known for _, known in sides))


def _sequence(form: str) -> Handler:
    def handler(call: Call, world: World) -> AbstractValue:
        if not call.args:
            return ListOf([], form)
        items, known = items_in(call.arg(0))
        if form == "set":
            unique: dict[object, AbstractValue] = {}
            for item in items:
                sure, key = key_of(item)
                unique.setdefault(key if sure else id(item), item)
            return ListOf(list(unique.values()), form, not known)
        return ListOf(list(items), form, not known)

    return handler


def _dict(call: Call, world: World) -> AbstractValue:
    first = call.arg(0)
    found = DictOf()
    if isinstance(first, DictOf):
        found = DictOf(dict(first.items), first.open)
    elif first is not None:
        pairs = pairs_of(first)
        found = DictOf(pairs or {}, pairs is None)
    found.items.update(call.named)
    found.open = found.open or call.open
    return found


def _sorted(call: Call, world: World) -> AbstractValue:
    items, known = items_in(call.arg(0))
    found = ordered(items) if "key" not in call.named else None
    result = found if found is not None else list(items)
    if found is not None and truth_of(call.named.get("reverse")):
        result.reverse()
    return ListOf(result, "list", not known)


def _reversed(call: Call, world: World) -> AbstractValue:
    items, known = items_in(call.arg(0))
    return ListOf(list(reversed(items)), "list", not known)


def _len(call: Call, world: World) -> AbstractValue:
    first = call.arg(0)
    if isinstance(first, Text) and first.known is not None:
        return Const(len(first.known))
    items, known = items_in(first)
    return Const(len(items)) if known else UnknownValue(call.written)


def _str(call: Call, world: World) -> AbstractValue:
    first = call.arg(0)
    return (
        text("")
        if first is None
        else to_text(first, what_is(first) if isinstance(first, UnknownValue) else call.written)
    )


def _number(of: type[int] | type[float]) -> Handler:
    def handler(call: Call, world: World) -> AbstractValue:
        first = call.arg(0)
        value = first.value if isinstance(first, Const) else known_text(first)
        try:
            return Const(of(value)) if isinstance(value, str | int | float) else UnknownValue(call.written)
        except (ValueError, OverflowError):
            return UnknownValue(call.written)

    return handler


def _map(call: Call, world: World) -> AbstractValue:
    sides = [items_in(one) for one in call.rest(1)]
    rows = zip(*(items for items, _ in sides), strict=False)
    results = [world.call(call.args[0], row, call) for row in rows] if call.args else []
    return ListOf(results, "list", not sides or not all(known for _, known in sides))


def _filter(call: Call, world: World) -> AbstractValue:
    items, known = items_in(call.arg(1))
    test = call.arg(0)
    kept = []
    for item in items:
        truth = truth_of(item if test is None or test == NONE else world.call(test, (item,), call))
        if truth is not False:
            kept.append(item)
    return ListOf(kept, "list", not known)


def _reduce(call: Call, world: World) -> AbstractValue:
    items, known = items_in(call.arg(1))
    rest = list(items)
    start = call.arg(2, "initial")
    if start is None:
        if not rest:
            return UnknownValue(call.written)
        start = rest.pop(0)
    for item in rest:
        start = world.call(call.args[0], (start, item), call)
    if not known:
        world.gap(call, "it is not known over what reduce goes")
    return start


def _partial(call: Call, world: World) -> AbstractValue:
    return BoundFunction(call.args[0], call.args[1:], call.named) if call.args else UnknownValue(call.written)


def _get_attribute(call: Call, world: World) -> AbstractValue:
    name = call.text(1)
    first = call.arg(0)
    if first is None or name is None or world.caller is None:
        return UnknownValue(call.written)
    return world.caller.member(first, name, call)


def _set_attribute(call: Call, world: World) -> AbstractValue:
    first, name, value = call.arg(0), call.text(1), call.arg(2)
    if isinstance(first, Instance) and name is not None and value is not None:
        world.change(first)
        first.attributes[name] = value
    return NONE


def _is_instance(call: Call, world: World) -> AbstractValue:
    """Only what is certain: a text is a str and no list."""
    first, of = call.arg(0), call.arg(1)
    kind = world.libraries.kinds.get(first.kind) if isinstance(first, LibraryValue) else None
    if kind is not None and kind.instance is not None and of is not None:
        return kind.instance(Call(name=call.name, line=call.line, args=(of,), on=first, node=call.node), world)
    names = [one.path.rpartition(".")[2] for one in _classes(of) if isinstance(one, NativeFunction)]
    if (
        not names
        or len(names) != len(_classes(of))
        or not isinstance(first, ListOf | DictOf | Text | Const | Frame | Expr)
    ):
        return UnknownValue(call.written)
    if isinstance(first, ListOf):
        return Const(first.form in names)
    own = {Text: "str", DictOf: "dict"}.get(type(first))
    if own is None and isinstance(first, Const):
        return Const(type(first.value).__name__ in names)
    if own is not None:
        return Const(own in names)
    return (
        Const(False)
        if all(name in {"str", "list", "dict", "tuple", "int", "float"} for name in names)
        else UnknownValue(call.written)
    )


def _classes(of: AbstractValue | None) -> list[AbstractValue]:
    return list(of.items) if isinstance(of, ListOf) else [] if of is None else [of]


def _first_of(call: Call, world: World) -> AbstractValue:
    items, known = items_in(call.arg(0))
    return items[0] if items and known else call.arg(1) or UnknownValue(call.written)


def _any(call: Call, world: World) -> AbstractValue:
    items, known = items_in(call.arg(0))
    truths = [truth_of(item) for item in items]
    decides = call.name == "builtins.any"
    if decides in truths:
        return Const(decides)
    return Const(not decides) if known and None not in truths else UnknownValue(call.written)


def _extreme(call: Call, world: World) -> AbstractValue:
    items, known = items_in(call.arg(0)) if len(call.args) == 1 else (call.args, True)
    found = ordered(items) if known and not call.named else None
    return (found[0] if call.name.endswith("min") else found[-1]) if found else UnknownValue(call.written)


def _sum(call: Call, world: World) -> AbstractValue:
    """Also of column expressions."""
    items, known = items_in(call.arg(0))
    result: AbstractValue = call.arg(1, "start") or Const(0)
    if not known or world.caller is None:
        return UnknownValue(call.written)
    for item in items:
        result = world.caller.operate("+", result, item, call)
    return result


def _same(call: Call, world: World) -> AbstractValue:
    return call.args[0] if call.args else UnknownValue(call.written)


def _path(call: Call, world: World) -> AbstractValue:
    return join_path(call.args) if call.args else text(".")


def _chain(call: Call, world: World) -> AbstractValue:
    sources = call.args
    if call.name.endswith("from_iterable"):
        sources = tuple(items_in(call.arg(0))[0])
    sides = [items_in(one) for one in sources]
    return ListOf([item for items, _ in sides for item in items], "list", not all(known for _, known in sides))


def _product(call: Call, world: World) -> AbstractValue:
    rows: list[list[AbstractValue]] = [[]]
    known = True
    for one in call.args:
        items, all_ = items_in(one)
        rows = [[*row, item] for row in rows for item in items][:_MOST]
        known = known and all_
    return ListOf([list_of(row, "tuple") for row in rows], "list", not known)


def _wraps(call: Call, world: World) -> AbstractValue:
    return NativeFunction("functools.wraps()", _same)


def _named_tuple(call: Call, world: World) -> AbstractValue:
    fields = call.arg(1)
    known = known_text(fields)
    names = (
        known.replace(",", " ").split() if known is not None else [str(known_text(one)) for one in items_in(fields)[0]]
    )
    return Class(call.text(0) or "", fields=tuple(names))


def _field(call: Call, world: World) -> AbstractValue:
    """dataclasses.field."""
    factory = call.named.get("default_factory")
    if factory is not None:
        return world.call(factory, (), call)
    return call.named.get("default") or UnknownValue(call.written)


def _names(prefix: str, table: dict[str, Handler]) -> dict[str, Handler]:
    return {f"{prefix}.{name}": handler for name, handler in table.items()}


FILE = ValueKind(
    name="python.file", methods={"read": read_file}, attribute=lambda call, world: UnknownValue(call.written)
)
PYTHON = Library(
    kinds=(FILE,),
    modules=words("builtins functools itertools os pathlib copy dataclasses collections typing posixpath"),
    functions={
        **_names(
            "builtins",
            {
                "range": _range,
                "enumerate": _enumerate,
                "zip": _zip,
                "list": _sequence("list"),
                "tuple": _sequence("tuple"),
                "set": _sequence("set"),
                "frozenset": _sequence("set"),
                "iter": _same,
                "dict": _dict,
                "sorted": _sorted,
                "reversed": _reversed,
                "len": _len,
                "str": _str,
                "int": _number(int),
                "float": _number(float),
                "map": _map,
                "filter": _filter,
                "getattr": _get_attribute,
                "setattr": _set_attribute,
                "isinstance": _is_instance,
                "next": _first_of,
                "any": _any,
                "all": _any,
                "min": _extreme,
                "max": _extreme,
                "sum": _sum,
                "open": open_file,
                "print": lambda call, world: NONE,
                "repr": _str,
            },
        ),
        **_names("functools", {"reduce": _reduce, "partial": _partial, "wraps": _wraps}),
        **_names("itertools", {"chain": _chain, "chain.from_iterable": _chain, "product": _product}),
        **_names("os", {"path.join": _path, "path.abspath": _same, "fspath": _same}),
        **_names("pathlib", {"Path": _path, "PurePath": _path, "PosixPath": _path, "PurePosixPath": _path}),
        **_names("copy", {"copy": _same, "deepcopy": _same}),
        **_names("dataclasses", {"field": _field}),
        **_names("collections", {"OrderedDict": _dict, "namedtuple": _named_tuple}),
        **_names("typing", {"cast": lambda call, world: call.arg(1) or UnknownValue(call.written)}),
    },
)

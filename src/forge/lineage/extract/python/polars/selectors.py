"""Column selectors: `pl.all()`, `pl.col("^x.*$")`, `cs.numeric()`."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.polars.expr import Picks, by_name, everything, known, listed, picked, picks_of
from forge.lineage.extract.python.values import (
    AbstractValue,
    Expr,
    Frame,
    ListOf,
    NativeFunction,
    Text,
    UnknownValue,
    items_of,
    known_text,
    names_in,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.sql.context import type_of_value
from forge.model.word_list import words

TYPES = "types"  # of `Frame.extra`: column → type, where the program says it

_FAMILIES: dict[str, tuple[str, ...]] = {
    "numeric": words("int uint float double decimal bigint smallint tinyint long numeric real"),
    "integer": ("int", "uint", "bigint", "smallint", "tinyint", "long"),
    "signed_integer": ("int", "bigint", "smallint", "tinyint", "long"),
    "unsigned_integer": ("uint",),
    "float": ("float", "double", "real"),
    "decimal": ("decimal", "numeric"),
    "string": ("string", "utf8", "varchar", "char", "text"),
    "boolean": ("bool",),
    "date": ("date",),
    "datetime": ("datetime", "timestamp"),
    "temporal": ("date", "timestamp", "time", "duration"),
    "binary": ("binary", "bytes"),
    "struct": ("struct",),
    "list": ("list", "array"),
    "categorical": ("categorical",),
}
_EXACT = {"date": re.compile(r"date(?!time)")}


def all_columns(call: Call, world: World) -> AbstractValue:
    """`pl.all()`; with names it asks whether all are true."""
    if call.args:
        from forge.lineage.extract.python.polars.functions import aggregated

        return aggregated(call, world)
    return picked(everything(call, world), call, world, call.written)


def exclude(call: Call, world: World) -> AbstractValue:
    gone = _gone(call.args)
    return picked(_without(everything(call, world), gone), call, world, call.written)


def expr_exclude(call: Call, world: World) -> AbstractValue:
    """`pl.all().exclude("a")`."""
    inner = picks_of(call.on)
    if inner is None:
        return call.on if call.on is not None else UnknownValue(call.written)
    return picked(_without(inner, _gone(call.args)), call, world, call.written)


def _gone(things: Sequence[AbstractValue]) -> tuple[str, ...]:
    return tuple(name for thing in things for name in names_in(thing) or ())


def _without(inner: Picks, gone: Sequence[str]) -> Picks:
    patterns = [re.compile(name) for name in gone if name.startswith("^")]
    return lambda frame: [
        name for name in inner(frame) if name not in gone and not any(one.search(name) for one in patterns)
    ]


def col(call: Call, world: World) -> AbstractValue:
    """`pl.col("a")`, `pl.col("a", "b")`, `pl.col(["a", "b"])`, `pl.col(pl.String)`."""
    things = [one for arg in call.args for one in (items_of(arg) or (arg,) if isinstance(arg, ListOf) else (arg,))]
    types = [type_word(one) for one in things]
    if things and all(types):
        return picked(_of_types([word for word in types if word], call, world), call, world, call.written)
    if len(things) == 1 and (name := known_text(things[0])) is not None:
        return by_name(name, call, world)
    names = [known_text(one) for one in things]
    if None in names or not names:
        world.gap(call, f"the columns of {call.written} are not known")
    return _several(things, call, world)


def _several(things: Sequence[AbstractValue], call: Call, world: World) -> Expr:
    parts = listed([one for one in things if isinstance(one, Text | Expr)], call, world)

    def picks(frame: Frame) -> list[str]:
        return [one.name for part in parts for one in part.make(frame).columns]

    return picked(picks, call, world, call.written)


def col_attribute(call: Call, world: World) -> AbstractValue | None:
    """`pl.col.amount`."""
    return by_name(call.name, call, world) if not call.name.startswith("__") else None


# By type


def type_word(thing: AbstractValue | None) -> str | None:
    """`pl.String`, `pl.Decimal(10, 2)` → its name in small letters."""
    if isinstance(thing, NativeFunction) and thing.path.startswith("polars."):
        name = thing.path.rpartition(".")[2]
    elif isinstance(thing, UnknownValue) and "pl." in thing.what:
        name = thing.what.rpartition("pl.")[2].partition("(")[0]
    else:
        return None
    return name.lower() if name[:1].isupper() else None


def _type_of(frame: Frame, one: RelationColumn, world: World) -> str:
    types = frame.extra.get(TYPES)
    if isinstance(types, dict) and one.name in types:
        return str(types[one.name])
    return type_of_value(one.value, world.here()).lower()


def _of_types(words: Sequence[str], call: Call, world: World) -> Picks:
    return _typed(lambda type_: any(type_.startswith(word.rstrip("0123456789")) for word in words), call, world)


def _typed(fits: Callable[[str], bool], call: Call, world: World) -> Picks:
    def picks(frame: Frame) -> list[str]:
        found = []
        for one in known(frame, call, world):
            type_ = _type_of(frame, one, world)
            if not type_:
                world.gap(
                    call, f"the type of {one.name} is not known, so whether {call.written} takes it is not either"
                )
            elif fits(type_):
                found.append(one.name)
        return found

    return picks


def selector(call: Call, world: World) -> AbstractValue:
    """`cs.…`."""
    name = call.name.rpartition(".")[2]
    if name in _FAMILIES:
        exact = _EXACT.get(name)
        words = _FAMILIES[name]

        def fits(type_: str) -> bool:
            return bool(exact.match(type_)) if exact is not None else type_.startswith(words)

        return picked(_typed(fits, call, world), call, world, call.written)
    if any(names_in(one) is None for one in call.args) and name != "by_dtype":
        world.gap(call, f"which columns {call.written} takes is not known")
    tests = _name_tests(name, _gone(call.args))
    if tests is not None:
        return picked(tests(call, world), call, world, call.written)
    if name == "by_dtype":
        return col(call, world)
    world.gap(call, f"the selector {name} is not known here")
    return picked(lambda frame: [], call, world, call.written)


def _name_tests(name: str, parts: tuple[str, ...]) -> Callable[[Call, World], Picks] | None:
    tests: dict[str, Callable[[str], bool]] = {
        "all": lambda one: True,
        "starts_with": lambda one: one.startswith(parts),
        "ends_with": lambda one: one.endswith(parts),
        "contains": lambda one: any(part in one for part in parts),
        "matches": lambda one: any(re.search(part, one) for part in parts),
        "exclude": lambda one: one not in parts,
    }
    if name == "by_name":
        return lambda call, world: lambda frame: parts
    if name in {"first", "last"}:
        place = 0 if name == "first" else -1
        return lambda call, world: lambda frame: [one.name for one in known(frame, call, world)][place:][:1]
    test = tests.get(name)
    if test is None:
        return None
    return lambda call, world: lambda frame: [one.name for one in known(frame, call, world) if test(one.name)]

"""Abstract values: what a variable of a Python program may hold while the program is read, not run.

Every value is a `Thing`. Plain ones are here (Text, Const, ListOf, DictOf, Unknown, Function …). Those of a library
are `Modelled`: they have a `kind`, and the `Kind` of that name (`library.py`) says what their methods do. `Frame` and
`Expr` are the two that all DataFrame libraries share; a library may add dataclasses of its own (grouped rows, a
window, a writer) by deriving from `Modelled`.

What a model may ask of the program that is read is `World` in `reading.py`; values of columns are put together by
`cells.py`.

Kinds of frames have fixed names, so that one library can hand its rows to another: "pyspark", "pandas", "polars".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forge.lineage.extract.letters import whole
from forge.lineage.extract.relation import Column, Relation, Shape

if TYPE_CHECKING:
    from forge.lineage.extract.python.library import Handler
    from forge.lineage.extract.python.scope import Scope


class Thing:
    """What an expression may be worth."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Unknown(Thing):
    """`what` it is, as a reader of a gap would call it: `the argument path`, `os.environ['ENV']`. `setting`: what it is
    called where the program is given it from outside; empty: all of them."""

    what: str = ""
    setting: str | None = None


@dataclass(frozen=True, slots=True)
class Const(Thing):
    """A number, a truth value, None, bytes or `...`."""

    value: object


NONE = Const(None)


@dataclass(frozen=True, slots=True)
class Hole:
    """A part of a text that is not known: `what` the program writes there, `why` it is not known. `setting`: as of
    `Unknown`."""

    what: str
    why: str = ""
    setting: str = ""

    @property
    def told(self) -> str:
        return f"{self.what} ({self.why})" if self.why and self.why != self.what else self.what


@dataclass(frozen=True, slots=True)
class Text(Thing):
    """A string; parts of it may not be known."""

    parts: tuple[str | Hole, ...] = ()

    @property
    def known(self) -> str | None:
        if all(isinstance(part, str) for part in self.parts):
            return "".join(str(part) for part in self.parts)
        return None

    @property
    def shown(self) -> str:
        """For a reader: `raw.{env}_orders`."""
        return "".join(part if isinstance(part, str) else "{" + part.what + "}" for part in self.parts)

    @property
    def holes(self) -> tuple[str, ...]:
        return tuple(part.told for part in self.parts if isinstance(part, Hole))


def text(value: str) -> Text:
    return Text((whole(value),))


@dataclass(slots=True, eq=False)
class ListOf(Thing):
    """A list, tuple or set. `open`: there may be more items, unknown ones. Change it only through `World.change`."""

    items: list[Thing] = field(default_factory=list)
    form: str = "list"
    open: bool = False


Key = str | int | float | bool | None | tuple[object, ...]


@dataclass(slots=True, eq=False)
class DictOf(Thing):
    """Keys that are not known make it `open`. Change it only through `World.change`."""

    items: dict[Key, Thing] = field(default_factory=dict)
    open: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Range(Thing):
    """What a slice, `a:b:c`, is worth as a key."""

    start: Thing = NONE
    stop: Thing = NONE
    step: Thing = NONE


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Function(Thing):
    """A function or lambda of the program. `owner`: the class a method stands in."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: Scope
    file: str
    defaults: tuple[Thing, ...] = ()
    named_defaults: Mapping[str, Thing] = field(default_factory=dict)
    owner: Class | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Bound(Thing):
    """A function with its first arguments: a method, or functools.partial."""

    function: Thing
    args: tuple[Thing, ...] = ()
    named: Mapping[str, Thing] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Native(Thing):
    """A function of a library or of Python itself. `on`: the value it is a method of. `path` is its full name."""

    path: str
    handler: Handler
    on: Thing | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Property(Thing):
    """A method that is read like an attribute."""

    function: Thing


@dataclass(frozen=True, slots=True, eq=False)
class Static(Thing):
    """A method without self (`@staticmethod`), or with its class instead (`@classmethod`)."""

    function: Thing
    of_class: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Super(Thing):
    """`super()`: members are looked up behind `owner`."""

    instance: Thing
    owner: Class


@dataclass(slots=True, eq=False)
class Class(Thing):
    name: str
    bases: tuple[Thing, ...] = ()
    members: dict[str, Thing] = field(default_factory=dict)
    fields: tuple[str, ...] = ()  # of a dataclass, in order
    file: str = ""
    order: tuple[Class, ...] = ()  # itself and its bases as Python asks them, once someone has asked


@dataclass(slots=True, eq=False)
class Instance(Thing):
    """An object of a class of the program. Change it only through `World.change`."""

    of: Class
    attributes: dict[str, Thing] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Module(Thing):
    """A module: of the program (`scope` holds its names), or of a library (its names are looked up by `path`)."""

    path: str
    scope: Scope | None = None


class Modelled(Thing):
    """A value of a library."""

    __slots__ = ()
    kind: str


@dataclass(slots=True, eq=False)
class Frame(Modelled):
    """Rows with named columns.

    `relation` may be replaced where the library changes frames in place (`df["x"] = …`), and only through
    `World.update`. `aliases`: what the program may write before a column (`alias("a")`, then `col("a.id")`). `extra`
    is for the library that owns the kind: what is the index of a pandas frame. `settled`: a step was made of it, for
    it is in a variable; models leave that alone."""

    kind: str
    relation: Relation
    aliases: Mapping[str, Relation] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)
    settled: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """What an expression gives for a frame: one column, or several (`pl.all()`, `posexplode`), and what of it shapes
    the rows (window keys)."""

    columns: tuple[Column, ...] = ()
    shaped: Shape = frozenset()
    reads: frozenset[str] = frozenset()


Make = Callable[[Frame], Cells]


@dataclass(frozen=True, slots=True, eq=False)
class Expr(Modelled):
    """A column expression, not yet applied to rows: `make` applies it to a frame.

    `text`: how the program writes it. `frame`: the frame it was taken from (`df.x`, a pandas Series), if any.
    `step`: a word for the owner of the kind on what it is (an aggregate, a window function), used by what wraps it."""

    kind: str
    make: Make
    text: str = ""
    frame: Frame | None = None
    step: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Either(Thing):
    """One of several: branches of an `if` that cannot be merged into one value."""

    options: tuple[Thing, ...]


def known_text(thing: Thing | None) -> str | None:
    return thing.known if isinstance(thing, Text) else None


def items_of(thing: Thing | None) -> tuple[Thing, ...] | None:
    """The items of a list, tuple or set, the keys of a dict; None if not all of them are known."""
    if isinstance(thing, ListOf) and not thing.open:
        return tuple(thing.items)
    if isinstance(thing, DictOf) and not thing.open:
        return tuple(from_key(key) for key in thing.items)
    return None


def names_in(thing: Thing | None) -> tuple[str, ...] | None:
    """A name, or a list of names: `"a"`, `["a", "b"]`; None if that is not what it is, or not all are known."""
    if isinstance(thing, Text):
        return None if thing.known is None else (thing.known,)
    items = items_of(thing)
    if items is None:
        return None
    names = [known_text(item) for item in items]
    return tuple(name for name in names if name is not None) if None not in names else None


def number_in(thing: Thing | None) -> int | None:
    return thing.value if isinstance(thing, Const) and isinstance(thing.value, int) else None


def truth_of(thing: Thing | None) -> bool | None:
    """None: it cannot be told."""
    if isinstance(thing, Const):
        return bool(thing.value)
    if isinstance(thing, Text):
        return bool(thing.known) if thing.known is not None else (True if any(thing.parts) else None)
    if isinstance(thing, ListOf | DictOf):
        return True if thing.items else (None if thing.open else False)
    if isinstance(thing, Function | Class | Module | Native):
        return True
    return None


def what_is(thing: Thing | None) -> str:
    """How a gap calls a value that would have to be known."""
    if isinstance(thing, Unknown) and thing.what:
        return thing.what
    if isinstance(thing, Text):
        return thing.shown
    return "a value that is not known"


def key_of(thing: Thing) -> tuple[bool, Key]:
    """(True, key) if it may be the key of a dict whose value is known."""
    if isinstance(thing, Text) and thing.known is not None:
        return True, thing.known
    if isinstance(thing, Const) and isinstance(thing.value, str | int | float | bool | None):
        return True, thing.value
    if isinstance(thing, ListOf) and thing.form == "tuple" and not thing.open:
        keys = [key_of(item) for item in thing.items]
        return all(sure for sure, _ in keys), tuple(key for _, key in keys)
    return False, None


def from_key(key: object) -> Thing:
    if isinstance(key, str):
        return text(key)
    if isinstance(key, tuple):
        return ListOf([from_key(one) for one in key], "tuple")
    return Const(key)


def list_of(things: Iterable[Thing], form: str = "list") -> ListOf:
    return ListOf(list(things), form)


def texts(names: Iterable[str]) -> ListOf:
    return ListOf([text(name) for name in names])

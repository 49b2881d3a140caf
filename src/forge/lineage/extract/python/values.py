"""Abstract values: what a variable of a Python program may hold. The program is analysed, not run.

Plain values are here (Text, Const, ListOf, DictOf, functions, the unknown value …). Library values have a `kind`, whose
model (`library.py`) defines their methods. `Frame` and `Expr` are shared by all DataFrame libraries; a library may
derive dataclasses of its own (grouped rows, a window, a writer).

What a model may ask of the program is `World`; column values are combined by `cells.py`.

Kinds of frames have fixed names, so that one library can pass rows to another: "pyspark", "pandas", "polars".
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from forge.lineage.extract.relation import Relation, RelationColumn, Shape
from forge.lineage.extract.unicode import valid_unicode

if TYPE_CHECKING:
    from forge.lineage.extract.python.library import Handler
    from forge.lineage.extract.python.scope import NameScope


class AbstractValue:
    """What an expression may evaluate to."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class UnknownValue(AbstractValue):
    """`what`: its description in a gap: `the argument path`, `os.environ['ENV']`. `setting`: its name where it comes
    from outside; empty: all of them."""

    what: str = ""
    setting: str | None = None


@dataclass(frozen=True, slots=True)
class Const(AbstractValue):
    """A number, bool, None, bytes or `...`."""

    value: object


NONE = Const(None)


@dataclass(frozen=True, slots=True)
class Hole:
    """An unknown part of a string: `what` the program writes there, `why` it is unknown. `setting`: as of unknown
    values."""

    what: str
    why: str = ""
    setting: str = ""

    @property
    def description(self) -> str:
        return f"{self.what} ({self.why})" if self.why and self.why != self.what else self.what


@dataclass(frozen=True, slots=True)
class Text(AbstractValue):
    """A string; parts of it may be unknown."""

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
        return tuple(part.description for part in self.parts if isinstance(part, Hole))


def text(value: str) -> Text:
    return Text((valid_unicode(value),))


@dataclass(slots=True, eq=False)
class ListOf(AbstractValue):
    """A list, tuple or set. `open`: there may be more, unknown items. Change it only through `World.change`."""

    items: list[AbstractValue] = field(default_factory=list)
    form: str = "list"
    open: bool = False


Key = str | int | float | bool | None | tuple[object, ...]


@dataclass(slots=True, eq=False)
class DictOf(AbstractValue):
    """Unknown keys make it `open`. Change it only through `World.change`."""

    items: dict[Key, AbstractValue] = field(default_factory=dict)
    open: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SliceValue(AbstractValue):
    """A slice, `a:b:c`, as a key."""

    start: AbstractValue = NONE
    stop: AbstractValue = NONE
    step: AbstractValue = NONE


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FunctionValue(AbstractValue):
    """A function or lambda of the program. `owner`: the class of a method."""

    name: str
    node: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
    scope: NameScope
    file: str
    defaults: tuple[AbstractValue, ...] = ()
    named_defaults: Mapping[str, AbstractValue] = field(default_factory=dict)
    owner: Class | None = None


@dataclass(frozen=True, slots=True, eq=False)
class BoundFunction(AbstractValue):
    """A function with bound first arguments: a method, or functools.partial."""

    function: AbstractValue
    args: tuple[AbstractValue, ...] = ()
    named: Mapping[str, AbstractValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class NativeFunction(AbstractValue):
    """A function of a library or builtin. `on`: its receiver, for methods. `path` is its full name."""

    path: str
    handler: Handler
    on: AbstractValue | None = None


@dataclass(frozen=True, slots=True, eq=False)
class PropertyMethod(AbstractValue):
    """A method read as an attribute."""

    function: AbstractValue


@dataclass(frozen=True, slots=True, eq=False)
class StaticMethod(AbstractValue):
    """A `@staticmethod` or `@classmethod`."""

    function: AbstractValue
    of_class: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class SuperProxy(AbstractValue):
    """`super()`: members are looked up after `owner` in the MRO."""

    instance: AbstractValue
    owner: Class


@dataclass(slots=True, eq=False)
class Class(AbstractValue):
    name: str
    bases: tuple[AbstractValue, ...] = ()
    members: dict[str, AbstractValue] = field(default_factory=dict)
    fields: tuple[str, ...] = ()  # of a dataclass, in order
    order: tuple[Class, ...] = ()  # itself and its bases as Python asks them, once someone has asked


@dataclass(slots=True, eq=False)
class Instance(AbstractValue):
    """An instance of a class of the program. Change it only through `World.change`."""

    of: Class
    attributes: dict[str, AbstractValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Module(AbstractValue):
    """A module: of the program (`scope` holds its names), or of a library (its names are looked up by `path`)."""

    path: str
    scope: NameScope | None = None


class LibraryValue(AbstractValue):
    """A value of a library."""

    __slots__ = ()
    kind: str


@dataclass(slots=True, eq=False)
class Frame(LibraryValue):
    """Rows with named columns.

    `relation` may be replaced where the library changes frames in place (`df["x"] = …`), and only through
    `World.update`. `aliases`: qualifiers of columns (`alias("a")`, then `col("a.id")`). `extra`: for the library
    that owns the kind, such as the index of a pandas frame. `settled`: it is a step already, since it was
    assigned to a variable; not for models."""

    kind: str
    relation: Relation
    aliases: Mapping[str, Relation] = field(default_factory=dict)
    extra: Mapping[str, object] = field(default_factory=dict)
    settled: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Cells:
    """The result of an expression over a frame: one column or more (`pl.all()`, `posexplode`), and what affects
    the rows (window keys)."""

    columns: tuple[RelationColumn, ...] = ()
    shaped: Shape = frozenset()
    reads: frozenset[str] = frozenset()


Make = Callable[[Frame], Cells]


@dataclass(frozen=True, slots=True, eq=False)
class Expr(LibraryValue):
    """A column expression, not yet evaluated: `make` applies it to a frame.

    `text`: as written. `frame`: the frame it was taken from (`df.x`, a pandas Series), if any. `step`: its kind (an
    aggregate, a window function), for the owner of the kind and for wrapping expressions."""

    kind: str
    make: Make
    text: str = ""
    frame: Frame | None = None
    step: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class UnionValue(AbstractValue):
    """One of the values: branches of an `if` that cannot be merged."""

    options: tuple[AbstractValue, ...]


def known_text(thing: AbstractValue | None) -> str | None:
    return thing.known if isinstance(thing, Text) else None


def items_of(thing: AbstractValue | None) -> tuple[AbstractValue, ...] | None:
    """The items of a list, tuple or set, the keys of a dict; None if not all of them are known."""
    if isinstance(thing, ListOf) and not thing.open:
        return tuple(thing.items)
    if isinstance(thing, DictOf) and not thing.open:
        return tuple(from_key(key) for key in thing.items)
    return None


def names_in(thing: AbstractValue | None) -> tuple[str, ...] | None:
    """A name, or a list of names: `"a"`, `["a", "b"]`; None if that is not what it is, or not all are known."""
    if isinstance(thing, Text):
        return None if thing.known is None else (thing.known,)
    items = items_of(thing)
    if items is None:
        return None
    names = [known_text(item) for item in items]
    return tuple(name for name in names if name is not None) if None not in names else None


def number_in(thing: AbstractValue | None) -> int | None:
    return thing.value if isinstance(thing, Const) and isinstance(thing.value, int) else None


def truth_of(thing: AbstractValue | None) -> bool | None:
    """None: unknown."""
    if isinstance(thing, Const):
        return bool(thing.value)
    if isinstance(thing, Text):
        return bool(thing.known) if thing.known is not None else (True if any(thing.parts) else None)
    if isinstance(thing, ListOf | DictOf):
        return True if thing.items else (None if thing.open else False)
    if isinstance(thing, FunctionValue | Class | Module | NativeFunction):
        return True
    return None


def what_is(thing: AbstractValue | None) -> str:
    """How a gap calls a value that would have to be known."""
    if isinstance(thing, UnknownValue) and thing.what:
        return thing.what
    if isinstance(thing, Text):
        return thing.shown
    return "a value that is not known"


def key_of(thing: AbstractValue) -> tuple[bool, Key]:
    """(True, key) if it may be the key of a dict whose value is known."""
    if isinstance(thing, Text) and thing.known is not None:
        return True, thing.known
    if isinstance(thing, Const) and isinstance(thing.value, str | int | float | bool | None):
        return True, thing.value
    if isinstance(thing, ListOf) and thing.form == "tuple" and not thing.open:
        keys = [key_of(item) for item in thing.items]
        return all(sure for sure, _ in keys), tuple(key for _, key in keys)
    return False, None


def from_key(key: object) -> AbstractValue:
    if isinstance(key, str):
        return text(key)
    if isinstance(key, tuple):
        return ListOf([from_key(one) for one in key], "tuple")
    return Const(key)


def list_of(things: Iterable[AbstractValue], form: str = "list") -> ListOf:
    return ListOf(list(things), form)


def texts(names: Iterable[str]) -> ListOf:
    return ListOf([text(name) for name in names])

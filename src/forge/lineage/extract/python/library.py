"""How the model of a library says what its functions and methods do.

A model is a `Library`: the modules it owns, its functions by full name, and its `Kind`s of values with their methods.
All of them are plain functions `(call: Call, world: World) -> Thing` (`Handler`). The models there are stand in the
tuple of `models.py`.

    def merge(call: Call, world: World) -> Thing:
        left = call.frame                                  # the frame the method is called on
        right = call.arg(0, "right")
        ...
        return Frame("pandas", relation)                   # a new frame; never change `left`, but by world.update

    PANDAS = Library(
        modules=("pandas",),
        functions={"pandas.read_csv": read_csv, "pandas.concat": concat},
        kinds=(Kind("pandas", methods={"merge": merge, "rename": rename}, attribute=frame_attribute, item=frame_item,
                    set_item=frame_set_item, operator=frame_operator),),
        annotations={"pandas.DataFrame": "pandas"},
        sinks=frozenset({"to_sql", "to_parquet"}),
    )

What a `Kind` may have, besides methods (each gets its receiver as `call.on`):
- `attribute`  `df.x`: `call.name` is x. Asked only if there is no method x; None if it does not know it.
- `item`       `df[key]`: `call.args[0]` is the key (a Range for a slice, a tuple ListOf for `df[a, b]`).
- `set_item`   `df[key] = value`: args are key and value. Change the frame with `world.update(frame, relation)`.
- `set_attribute`  `df.x = value`: `call.name`, args[0]. `delete_item`: `del df[key]`.
- `operator`   `a + b`, `a == b`, `a & b`, `-a`, `~a`: `call.name` is the operator as written ("+", "==", "&", "not in",
               "-", "~"); `call.on` is left (or the only) side, `call.args` the right one, if there is one. Asked of
               the left side if it is of the kind, else of the right (then `call.on` is still the left side).
- `iterate`    what a `for` over it goes through: a ListOf; Unknown if that cannot be told.
- `called`     `x(...)`.
- `instance`   `isinstance(x, C)`: `call.args[0]` is C, a Native for a class of a library, or a tuple of them.
- `otherwise`  a method that has no entry; `call.name` is its name. Without it, the result is Unknown and a gap is
               noted that names kind and method.

Frames that are assigned to a variable become steps of their own by themselves; a model does nothing for that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from forge.lineage.extract.python.values import Frame, Thing, known_text

if TYPE_CHECKING:
    from forge.lineage.extract.python.reading import World

T = TypeVar("T", bound=Thing)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Call:
    """A call, or what is treated like one (see above). `open`: there were `*args` or `**named` that are not known."""

    name: str
    line: int
    args: tuple[Thing, ...] = ()
    named: Mapping[str, Thing] = field(default_factory=dict)
    on: Thing | None = None
    node: ast.AST | None = None
    open: bool = False

    def arg(self, place: int, name: str = "") -> Thing | None:
        """The argument at that place or of that name; None if it is not given."""
        if place < len(self.args):
            return self.args[place]
        return self.named.get(name)

    def text(self, place: int, name: str = "") -> str | None:
        """The same, if it is a string that is known."""
        return known_text(self.arg(place, name))

    def rest(self, place: int = 0) -> tuple[Thing, ...]:
        return self.args[place:]

    @property
    def frame(self) -> Frame:
        """The frame it is called on. Only for methods of kinds of frames."""
        return self.receiver(Frame)

    def receiver(self, of: type[T]) -> T:
        """What it is called on; its class is certain where the kind has only that one."""
        if not isinstance(self.on, of):
            raise TypeError(f"{self.name} is called on {type(self.on).__name__}, not {of.__name__}")
        return self.on

    @property
    def written(self) -> str:
        """As the program writes it, on one line."""
        return source_text(self.node) if self.node is not None else self.name


_LONGEST = 200


def source_text(node: ast.AST) -> str:
    """The code of a node, shortened. The same code is asked for again and again, so the node keeps it."""
    if isinstance(node, ast.Name):
        return node.id
    kept: str | None = getattr(node, _KEPT, None)
    if kept is None:
        kept = _unparsed(node)
        setattr(node, _KEPT, kept)
    return kept


_KEPT = "_forge_text"


def _unparsed(node: ast.AST) -> str:
    if isinstance(node, ast.Call) and _length(node) > 60:
        return _shown_name(node.func)
    written = " ".join(ast.unparse(node).split())
    return written if len(written) <= _LONGEST else written[: _LONGEST - 1] + "…"


def _length(node: ast.AST) -> int:
    """How many nodes there are, counted no further than matters."""
    waiting, count = [node], 0
    while waiting and count < 100:
        waiting.extend(ast.iter_child_nodes(waiting.pop()))
        count += 1
    return count


def _shown_name(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        inner = node.value.id + "." if isinstance(node.value, ast.Name) else "…."
        return f"{inner}{node.attr}(…)"
    return f"{node.id}(…)" if isinstance(node, ast.Name) else "…"


Handler = Callable[[Call, "World"], Thing]
Look = Callable[[Call, "World"], Thing | None]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Kind:
    """What can be done with values of a kind. See the top of the file."""

    name: str
    methods: Mapping[str, Handler] = field(default_factory=dict)
    attribute: Look | None = None
    item: Handler | None = None
    set_item: Handler | None = None
    set_attribute: Handler | None = None
    delete_item: Handler | None = None
    operator: Handler | None = None
    iterate: Handler | None = None
    called: Handler | None = None
    instance: Handler | None = None
    otherwise: Handler | None = None


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Library:
    """`modules`: what it owns; `pyspark.sql` also owns all below it. `functions` and `constants`: by full name, as
    imported (`from pyspark.sql import functions as F` makes F.sum `pyspark.sql.functions.sum`). `otherwise`: any
    other function of its modules; `call.name` is the full name. Without it the result is Unknown, silently, for most
    functions of a library have nothing to do with rows.

    `annotations`: a parameter annotated so holds a frame of that kind when nobody calls the function. `sinks`: names
    of methods that write; called on something unknown they make a gap. `methods_anywhere`: handlers of methods called
    on Unknown (`cursor.execute(sql)`), by name; they give None when the call is none of theirs. `decorators`: by full
    name, for functions of the program: args[0] is the Function (of `@deco(…)`, the others follow)."""

    modules: tuple[str, ...]
    functions: Mapping[str, Handler] = field(default_factory=dict)
    constants: Mapping[str, Thing] = field(default_factory=dict)
    kinds: tuple[Kind, ...] = ()
    otherwise: Handler | None = None
    annotations: Mapping[str, str] = field(default_factory=dict)
    sinks: frozenset[str] = frozenset()
    methods_anywhere: Mapping[str, Look] = field(default_factory=dict)
    decorators: Mapping[str, Handler] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Libraries:
    """All models, by what they own."""

    models: tuple[Library, ...]
    kinds: Mapping[str, Kind] = field(init=False)
    functions: Mapping[str, Handler] = field(init=False)
    constants: Mapping[str, Thing] = field(init=False)
    annotations: Mapping[str, str] = field(init=False)
    decorators: Mapping[str, Handler] = field(init=False)
    methods_anywhere: Mapping[str, tuple[Look, ...]] = field(init=False)
    sinks: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        anywhere: dict[str, tuple[Look, ...]] = {}
        for model in self.models:
            for name, look in model.methods_anywhere.items():
                anywhere[name] = (*anywhere.get(name, ()), look)
        put = object.__setattr__
        put(self, "kinds", {kind.name: kind for model in self.models for kind in model.kinds})
        put(self, "functions", _joined(model.functions for model in self.models))
        put(self, "constants", _joined(model.constants for model in self.models))
        put(self, "annotations", _joined(model.annotations for model in self.models))
        put(self, "decorators", _joined(model.decorators for model in self.models))
        put(self, "methods_anywhere", anywhere)
        put(self, "sinks", frozenset().union(*(model.sinks for model in self.models)))

    def owner(self, path: str) -> Library | None:
        """The model that owns a module, or what is in it; the one that says it most exactly."""
        best: tuple[int, Library | None] = (0, None)
        for model in self.models:
            for module in model.modules:
                inside = path == module or path.startswith(module + ".")
                if inside and len(module) > best[0]:
                    best = (len(module), model)
        return best[1]


V = TypeVar("V")


def _joined(parts: Iterable[Mapping[str, V]]) -> dict[str, V]:
    return {name: value for part in parts for name, value in part.items()}


def methods(handler: Handler, names: Sequence[str]) -> dict[str, Handler]:
    """Many names for one handler."""
    return dict.fromkeys(names, handler)

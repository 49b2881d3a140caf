"""How a library model defines the effects of functions and methods.

A model is a `Library`: the modules it owns, its functions by full name, and its kinds of values with their methods.
All of them are plain functions `(call: Call, world: World) -> AbstractValue` (`Handler`). All models are listed in
`libraries.py`.

    def merge(call: Call, world: World) -> AbstractValue:
        left = call.frame                                  # the frame the method is called on
        right = call.arg(0, "right")
        ...
        return Frame("pandas", relation)                   # a new frame; change `left` only through world.update

    PANDAS = Library(
        modules=("pandas",),
        functions={"pandas.read_csv": read_csv, "pandas.concat": concat},
        kinds=(ValueKind("pandas", methods={"merge": merge, "rename": rename}, attribute=frame_attribute,
                         item=frame_item, set_item=frame_set_item, operator=frame_operator),),
        annotations={"pandas.DataFrame": "pandas"},
        sinks=frozenset({"to_sql", "to_parquet"}),
    )

What a kind may have, besides methods (each gets its receiver as `call.on`):
- `attribute`  `df.x`: `call.name` is x. Called only if there is no method x; None if unknown.
- `item`       `df[key]`: `call.args[0]` is the key (a slice value for `df[a:b]`, a tuple ListOf for `df[a, b]`).
- `set_item`   `df[key] = value`: args are key and value. Change the frame with `world.update(frame, relation)`.
- `set_attribute`  `df.x = value`: `call.name`, args[0]. `delete_item`: `del df[key]`.
- `operator`   `a + b`, `a == b`, `a & b`, `-a`, `~a`: `call.name` is the operator as written ("+", "==", "&", "not in",
               "-", "~"); `call.on` is the left (or only) operand, `call.args` the right one, if any. Dispatched to the
               left operand if it is of the kind, else to the right (`call.on` is still the left one).
- `iterate`    the items of a `for` loop: a ListOf, or an unknown value.
- `called`     `x(...)`.
- `instance`   `isinstance(x, C)`: `call.args[0]` is C, a native function for a library class, or a tuple of them.
- `otherwise`  a method without an entry; `call.name` is its name. Without it, the result is unknown and a gap names
               kind and method.

Frames assigned to a variable become steps automatically; a model does nothing for that.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeVar

from forge.lineage.extract.python.values import AbstractValue, Frame, known_text

if TYPE_CHECKING:
    from forge.lineage.extract.python.world import World

T = TypeVar("T", bound=AbstractValue)


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Call:
    """A call, or an operation treated like one (see above). `open`: there were unknown `*args` or `**named`."""

    name: str
    line: int
    args: tuple[AbstractValue, ...] = ()
    named: Mapping[str, AbstractValue] = field(default_factory=dict)
    on: AbstractValue | None = None
    node: ast.AST | None = None
    open: bool = False

    def arg(self, place: int, name: str = "") -> AbstractValue | None:
        """The argument at that place or of that name; None if it is not given."""
        if place < len(self.args):
            return self.args[place]
        return self.named.get(name)

    def text(self, place: int, name: str = "") -> str | None:
        """The same, if it is a string that is known."""
        return known_text(self.arg(place, name))

    def first(self, *names: str) -> AbstractValue | None:
        """The argument in the first place, else the first of these names that is given."""
        return self.args[0] if self.args else next((self.named[name] for name in names if name in self.named), None)

    def rest(self, place: int = 0) -> tuple[AbstractValue, ...]:
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


Handler = Callable[[Call, "World"], AbstractValue]
AttributeLookup = Callable[[Call, "World"], AbstractValue | None]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ValueKind:
    """Operations on values of a kind; see the module docstring."""

    name: str
    methods: Mapping[str, Handler] = field(default_factory=dict)
    attribute: AttributeLookup | None = None
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
    """`modules`: what it owns, including submodules. `functions` and `constants`: by full name, as imported (`from
    pyspark.sql import functions as F` makes F.sum `pyspark.sql.functions.sum`). `otherwise`: any other function
    of its modules; `call.name` is the full name. Without it the result is unknown, without a gap, as most
    functions of a library have nothing to do with rows.

    `annotations`: a parameter with this annotation holds a frame of that kind when nobody calls the function.
    `sinks`: methods that write; called on an unknown value they make a gap. `methods_anywhere`: handlers of
    methods called on unknown values (`cursor.execute(sql)`), by name; they return None for calls that are not
    theirs. `decorators`: by full name: args[0] is the decorated function (of `@deco(…)`, the others follow)."""

    modules: tuple[str, ...]
    functions: Mapping[str, Handler] = field(default_factory=dict)
    constants: Mapping[str, AbstractValue] = field(default_factory=dict)
    kinds: tuple[ValueKind, ...] = ()
    otherwise: Handler | None = None
    annotations: Mapping[str, str] = field(default_factory=dict)
    sinks: frozenset[str] = frozenset()
    methods_anywhere: Mapping[str, AttributeLookup] = field(default_factory=dict)
    decorators: Mapping[str, Handler] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Libraries:
    """All models, indexed by what they own."""

    models: tuple[Library, ...]
    kinds: Mapping[str, ValueKind] = field(init=False)
    functions: Mapping[str, Handler] = field(init=False)
    constants: Mapping[str, AbstractValue] = field(init=False)
    annotations: Mapping[str, str] = field(init=False)
    decorators: Mapping[str, Handler] = field(init=False)
    methods_anywhere: Mapping[str, tuple[AttributeLookup, ...]] = field(init=False)
    sinks: frozenset[str] = field(init=False)

    def __post_init__(self) -> None:
        anywhere: dict[str, tuple[AttributeLookup, ...]] = {}
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

"""PySpark columns: expressions that are resolved against a frame."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined, one_cell, reads_of, shape_of, values_of
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pyspark.name import all_columns, find_column, rebound
from forge.lineage.extract.python.values import (
    AbstractValue,
    Cells,
    Const,
    Expr,
    Frame,
    LibraryValue,
    ListOf,
    Make,
    Text,
    UnknownValue,
    known_text,
    number_in,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.sql.fields import field_of
from forge.lineage.extract.value import NOTHING, ColumnValue

COLUMN = "pyspark.column"
_T = Transformation


def named_column(name: str, call: Call, world: World) -> Expr:
    """`col("x")`, `"a.x"`, `"*"`."""

    def make(frame: Frame) -> Cells:
        return find_column(frame, name, call, world)

    return Expr(COLUMN, make, name, step="*" if name == "*" else "")


def column_of(frame: Frame, name: str, call: Call, world: World) -> Expr:
    """`df.x`, `df["x"]`: that column of that frame, wherever it is used."""
    if name == "*":
        return Expr(COLUMN, lambda other: Cells(all_columns(frame)), "*", frame, step="*")
    cells = find_column(frame, name, call, world)
    if len(cells.columns) != 1:
        return Expr(COLUMN, lambda other: cells, name, frame)
    (column,) = cells.columns
    return Expr(COLUMN, lambda other: Cells((rebound(column, other, world),)), name, frame)


def literal(thing: AbstractValue) -> Expr:
    shown = thing.shown if isinstance(thing, Text) else str(thing.value) if isinstance(thing, Const) else what_is(thing)
    return Expr(COLUMN, lambda frame: one_cell(shown, NOTHING), shown, step="literal")


def expr_of(thing: AbstractValue | None, call: Call, world: World, *, text_is_column: bool = True) -> Expr:
    """What an argument means where a column is expected."""
    if isinstance(thing, Expr):
        return thing
    if isinstance(thing, Text):
        if not text_is_column:
            return literal(thing)
        if thing.known is not None:
            return named_column(thing.known, call, world)
        world.gap(call, f"the column {thing.shown} is not known: it depends on {', '.join(thing.holes)}")
        return literal(thing)
    if isinstance(thing, ListOf):
        return listed([expr_of(item, call, world, text_is_column=text_is_column) for item in thing.items])
    if isinstance(thing, UnknownValue) and text_is_column:
        world.gap(call, f"a column is not known: it is {what_is(thing)}")
    return literal(thing) if thing is not None else literal(Const(None))


def listed(parts: Sequence[Expr]) -> Expr:
    def make(frame: Frame) -> Cells:
        cells = [part.make(frame) for part in parts]
        return Cells(tuple(column for one in cells for column in one.columns), shape_of(cells), reads_of(cells))

    return Expr(COLUMN, make, ", ".join(part.text for part in parts))


def exprs_of(things: Sequence[AbstractValue], call: Call, world: World) -> list[Expr]:
    """Arguments of select and its like: names, columns, lists of both. Some may not be known."""
    found: list[Expr] = []
    for thing in things:
        if isinstance(thing, ListOf):
            found.extend(exprs_of(thing.items, call, world))
            if thing.open:
                world.gap(call, f"not all columns of {call.name} are known")
        else:
            found.append(expr_of(thing, call, world))
    if call.open:
        world.gap(call, f"not all columns of {call.name} are known")
    return found


def made_of(
    parts: Sequence[Expr],
    step: Transformation,
    text: str,
    name: Callable[[Sequence[str]], str],
    *,
    masking: bool = False,
) -> Expr:
    """A function of columns. What it takes is kept, for in a window the function itself is no step of its own."""

    def take(frame: Frame) -> Cells:
        cells = [part.make(frame) for part in parts]
        return Cells(tuple(column for one in cells for column in one.columns), shape_of(cells), reads_of(cells))

    def make(frame: Frame) -> Cells:
        cells = take(frame)
        value = combined(values_of([cells]), step, text, masking=masking)
        return one_cell(name([column.name for column in cells.columns]), value, cells)

    return Expr(COLUMN, make, text, step=str(step), extra={"takes": take})


def called(function: str) -> Callable[[Sequence[str]], str]:
    """How Spark names the result of a function."""
    return lambda names: f"{function}({', '.join(names)})"


def renamed_expr(inner: Expr, names: Sequence[str]) -> Expr:
    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        if len(cells.columns) != len(names):
            return (
                cells
                if len(names) != 1
                else replace(cells, columns=tuple(RelationColumn(names[0], one.value) for one in cells.columns))
            )
        columns = tuple(RelationColumn(name, one.value) for name, one in zip(names, cells.columns, strict=True))
        return replace(cells, columns=columns)

    return replace(inner, make=make, step="" if inner.step == "*" else inner.step)


def same_named(inner: Expr, step: Transformation, text: str) -> Expr:
    """A step that keeps the name of the column: cast."""

    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        columns = tuple(RelationColumn(one.name, combined([one.value], step, text)) for one in cells.columns)
        return replace(cells, columns=columns)

    return replace(inner, make=make, text=text, frame=None, step=str(step))


def windowed(inner: Expr, keys: Sequence[Expr], text: str) -> Expr:
    takes = inner.extra.get("takes")
    make_inner: Make = takes if callable(takes) else inner.make

    def make(frame: Frame) -> Cells:
        cells, around = make_inner(frame), [key.make(frame) for key in keys]
        value = combined(values_of([cells, *around]), _T.WINDOW, text, masking=False)
        shaped = {(source, IndirectType.WINDOW) for one in values_of(around) for source in one.sources}
        found = one_cell(text, value, cells, *around)
        return replace(found, shaped=found.shaped | shaped)

    return Expr(COLUMN, make, text, step="window")


def field_expr(inner: Expr, key: AbstractValue | None, call: Call, world: World) -> Expr:
    """`getField("a")`, `["a"]`, `[0]`."""
    name = known_text(key)

    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        columns = []
        for column in cells.columns:
            if name is not None:
                value = field_of(column.value, name.split("."), world.here())
                columns.append(RelationColumn(name, value))
            else:
                place = number_in(key)
                shown = f"{column.name}[{place if place is not None else what_is(key)}]"
                columns.append(RelationColumn(shown, combined([column.value], _T.TRANSFORMATION, call.written)))
        return replace(cells, columns=tuple(columns))

    if isinstance(key, Expr):
        return made_of([inner, key], _T.TRANSFORMATION, call.written, lambda names: f"{names[0]}[…]")
    return Expr(COLUMN, make, call.written)


def struct_expr(parts: Sequence[Expr], names: Sequence[str] | None, text: str) -> Expr:
    def make(frame: Frame) -> Cells:
        cells = [part.make(frame) for part in parts]
        columns = [column for one in cells for column in one.columns]
        keys = list(names) if names is not None and len(names) == len(columns) else [one.name for one in columns]
        members = {key: column.value for key, column in zip(keys, columns, strict=True)}
        whole = combined(members.values(), _T.IDENTITY, text)
        return one_cell(f"struct({', '.join(keys)})", ColumnValue(whole.sources, members), *cells)

    return Expr(COLUMN, make, text)


_NAMES = {"==": "=", "&": "AND", "|": "OR", "!=": "!=", "~": "NOT"}


def operator(call: Call, world: World) -> AbstractValue:
    """`a + b`, `a == b`, `~a`."""
    sides = [expr_of(side, call, world, text_is_column=False) for side in (call.on, *call.args) if side is not None]
    sign = _NAMES.get(call.name, call.name)

    def name(names: Sequence[str]) -> str:
        return f"({names[0]} {sign} {names[1]})" if len(names) == 2 else f"({sign} {', '.join(names)})"

    return made_of(sides, _T.TRANSFORMATION, call.written, name)


class WindowSpec(LibraryValue):
    """`Window.partitionBy(…).orderBy(…)`."""

    __slots__ = ("keys", "kind")

    def __init__(self, keys: tuple[Expr, ...] = ()) -> None:
        self.kind = "pyspark.window"
        self.keys = keys


def add_keys(call: Call, world: World) -> AbstractValue:
    """partitionBy, orderBy; of Window itself, or of a specification."""
    before = call.on.keys if isinstance(call.on, WindowSpec) else ()
    return WindowSpec((*before, *exprs_of(call.args, call, world)))


def same_window(call: Call, world: World) -> AbstractValue:
    return call.on if isinstance(call.on, WindowSpec) else WindowSpec()

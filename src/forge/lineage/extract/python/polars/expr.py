"""polars expressions: evaluation over a frame, and composition."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined, one_cell, reads_of, shape_of, values_of
from forge.lineage.extract.python.frame_columns import column, has_all, unexplained
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.values import AbstractValue, Cells, Expr, Frame, ListOf, Text, UnknownValue, items_of
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn, Shape
from forge.lineage.extract.value import NOTHING

FRAME = "polars"
EXPR = "polars.expr"
WINDOW = "window"  # of `Frame.extra`: aggregates are computed over a window

Picks = Callable[[Frame], Sequence[str]]


def expr(make: Callable[[Frame], Cells], text: str = "", **extra: object) -> Expr:
    return Expr(EXPR, make, text, extra=extra)


def literal(name: str = "literal") -> Expr:
    return expr(lambda frame: one_cell(name, NOTHING), name)


def named(name: str, call: Call, world: World) -> Expr:
    return expr(lambda frame: one_cell(name, column(frame, name, call, world)), name)


def picked(picks: Picks, call: Call, world: World, text: str) -> Expr:
    """Multiple columns of the frame, whichever it has."""

    def make(frame: Frame) -> Cells:
        return Cells(tuple(RelationColumn(name, column(frame, name, call, world)) for name in picks(frame)))

    return expr(make, text, picks=picks)


def fixed(columns: Iterable[RelationColumn], frame: Frame) -> Expr:
    """A column that was taken out of a frame: it stays what it was then."""
    cells = Cells(tuple(columns), frame.relation.shaped, frame.relation.reads)
    return expr(lambda other: cells, "", eager=True)


def of(thing: AbstractValue | None, call: Call, world: World, *, texts: bool = True) -> Expr:
    """An argument as an expression; a text is the name of a column where polars takes it so (`texts`)."""
    if isinstance(thing, Expr):
        return thing
    if isinstance(thing, Text) and texts:
        if thing.known is None:
            world.gap(call, f"the column {thing.shown} is not known")
            return literal()
        return by_name(thing.known, call, world)
    if isinstance(thing, Frame):
        columns = tuple(replace(one, owner="") for one in thing.relation.columns)
        return fixed(columns, thing)
    if isinstance(thing, ListOf):
        inner = [of(one, call, world, texts=False) for one in thing.items if isinstance(one, Expr | Frame | ListOf)]
        return joined(inner, Transformation.TRANSFORMATION, "") if inner else literal()
    return literal()


def by_name(name: str, call: Call, world: World) -> Expr:

    if name.startswith("^") and name.endswith("$"):
        return picked(matching(name, call, world), call, world, name)
    if name == "*":
        return picked(everything(call, world), call, world, name)
    return named(name, call, world)


def listed(things: Iterable[AbstractValue], call: Call, world: World) -> list[Expr]:
    """`select("a", ["b", pl.col("c")], pl.all())`: each argument, lists opened."""
    found: list[Expr] = []
    for thing in things:
        items = items_of(thing) if isinstance(thing, ListOf) else None
        if items is not None:
            found.extend(listed(items, call, world))
        elif isinstance(thing, ListOf | UnknownValue):
            world.gap(call, f"not all columns of {call.name} are known")
            if isinstance(thing, ListOf):
                found.extend(listed(thing.items, call, world))
        else:
            found.append(of(thing, call, world))
    return found


def given(call: Call, world: World, start: int = 0, but: Sequence[str] = ()) -> list[Expr]:
    """The expressions of a call, positional and by keyword; a keyword is the name."""
    if call.open:
        world.gap(call, f"not all columns of {call.name} are known")
    found = listed(call.args[start:], call, world)
    for name, thing in call.named.items():
        if name not in but:
            unexplained(thing, f"column {name}", call, world)
            found.append(called(of(thing, call, world), name))
    return found


def called(inner: Expr, name: str) -> Expr:
    """`alias`."""

    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        return replace(cells, columns=tuple(replace(one, name=name, owner="") for one in cells.columns))

    return expr(make, inner.text)


def renamed(inner: Expr, change: Callable[[str], str]) -> Expr:
    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        return replace(cells, columns=tuple(replace(one, name=change(one.name)) for one in cells.columns))

    return expr(make, inner.text)


def stepped(
    inner: Expr, step: Transformation, text: str, others: Sequence[Expr] = (), *, masking: bool = False
) -> Expr:
    """Each column of `inner` after one step that also takes the others."""

    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        inputs = [one.make(frame) for one in others]
        now = step
        if step is Transformation.AGGREGATION and frame.extra.get(WINDOW):
            now = Transformation.WINDOW
        columns = tuple(
            RelationColumn(one.name, combined((one.value, *values_of(inputs)), now, text, masking=masking))
            for one in cells.columns
        )
        return Cells(columns, cells.shaped | shape_of(inputs), cells.reads | reads_of(inputs))

    return expr(make, text)


def joined(parts: Sequence[Expr], step: Transformation, text: str, name: str | None = None) -> Expr:
    """One column made of all columns of the expressions."""

    def make(frame: Frame) -> Cells:
        cells = [one.make(frame) for one in parts]
        first = next((column.name for one in cells for column in one.columns), "literal")
        return one_cell(name or first, combined(values_of(cells), step, text), *cells)

    return expr(make, text)


def operator(call: Call, world: World) -> AbstractValue:
    left, right = call.on, call.args[0] if call.args else None
    picks = _set_operation(call.name, left, right)
    if picks is not None:
        return picked(picks, call, world, call.written)
    ours = of(left, call, world, texts=False)
    theirs = [of(right, call, world, texts=False)] if right is not None else []
    eager = all(isinstance(one, Expr) and one.extra.get("eager") for one in (left, right) if isinstance(one, Expr))
    made = stepped(ours, Transformation.TRANSFORMATION, call.written, theirs)
    return replace(made, extra={"eager": True}) if eager else made


def _set_operation(sign: str, left: AbstractValue | None, right: AbstractValue | None) -> Picks | None:
    """Selectors are sets of columns: `cs.numeric() - cs.by_name("id")`."""
    ours, theirs = picks_of(left), picks_of(right)
    if ours is None or theirs is None:
        return None
    if sign == "|":
        return lambda frame: [*ours(frame), *(name for name in theirs(frame) if name not in ours(frame))]
    if sign == "&":
        return lambda frame: [name for name in ours(frame) if name in theirs(frame)]
    if sign == "-":
        return lambda frame: [name for name in ours(frame) if name not in theirs(frame)]
    return None


def picks_of(thing: AbstractValue | None) -> Picks | None:
    found = thing.extra.get("picks") if isinstance(thing, Expr) else None
    return found if callable(found) else None


def windowed(inner: Expr, keys: Sequence[Expr], order: Sequence[Expr], text: str) -> Expr:
    """`over`: window values; the keys are part of the value and affect the rows."""

    def make(frame: Frame) -> Cells:
        over = Frame(FRAME, frame.relation, extra={**frame.extra, WINDOW: True})
        cells = inner.make(over)
        around = [one.make(frame) for one in (*keys, *order)]
        by = values_of(around)
        shaped: Shape = frozenset((source, IndirectType.WINDOW) for value in by for source in value.sources)
        columns = tuple(
            RelationColumn(one.name, combined((one.value, *by), Transformation.WINDOW, text)) for one in cells.columns
        )
        return Cells(columns, cells.shaped | shaped | shape_of(around), cells.reads | reads_of(around))

    return expr(make, text)


def known(frame: Frame, call: Call, world: World) -> Sequence[RelationColumn]:
    if not has_all(frame):
        tables = " and ".join(frame.relation.open) or "the frame"
        world.gap(
            call, f"the columns of {tables} are not known, so {call.written} cannot be told; give them with --schema"
        )
    return frame.relation.columns


def everything(call: Call, world: World) -> Picks:
    return lambda frame: [one.name for one in known(frame, call, world)]


def matching(pattern: str, call: Call, world: World) -> Picks:
    try:
        fits = re.compile(pattern)
    except re.error:
        fits = re.compile("(?!)")
        world.gap(call, f"{pattern} is no pattern")
    return lambda frame: [one.name for one in known(frame, call, world) if fits.search(one.name)]

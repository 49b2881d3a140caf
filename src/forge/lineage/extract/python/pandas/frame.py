"""Methods of pandas frames that keep or select rows."""

from __future__ import annotations

import re

from forge.lineage.edge import IndirectType
from forge.lineage.extract.python.cells import renamed, with_column, without_columns
from forge.lineage.extract.python.frame_columns import (
    blurred,
    changed_name,
    column,
    column_value,
    has_all,
    respelled,
    unexplained,
)
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.query import done
from forge.lineage.extract.python.pandas.select import narrowed, rename_all, set_column
from forge.lineage.extract.python.pandas.series import (
    FRAME,
    data_columns,
    frames_in,
    index_columns,
    index_of,
    series_of,
    shaped,
    shaped_with,
    value_of,
)
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    BoundFunction,
    DictOf,
    Frame,
    FunctionValue,
    NativeFunction,
    UnknownValue,
    known_text,
    list_of,
    names_in,
    number_in,
    text,
    truth_of,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.value import NOTHING, ColumnValue


def copied(frame: Frame, relation: Relation | None = None) -> Frame:
    return Frame(frame.kind, frame.relation if relation is None else relation, extra=frame.extra)


def same(call: Call, world: World) -> AbstractValue:
    """Nothing happens to the columns: copy, head, sample …"""
    return done(call, world, copied(call.frame))


def _callable(thing: AbstractValue | None) -> bool:
    return isinstance(thing, FunctionValue | BoundFunction | NativeFunction)


# Columns


def assign(call: Call, world: World) -> AbstractValue:
    """Each may use those before it."""
    frame = copied(call.frame)
    for name, thing in call.named.items():
        given = world.call(thing, (frame,), call) if _callable(thing) else thing
        unexplained(given, f"column {name}", call, world)
        frame = copied(frame, shaped_with(with_column(frame.relation, name, value_of(given)), frames_in((given,))))
    if call.open:
        world.gap(call, "not all columns that assign makes are known")
    return frame


def insert(call: Call, world: World) -> AbstractValue:
    name, value = call.text(1, "column"), call.arg(2, "value")
    if name is None:
        world.gap(call, f"which column is made is not known: it is {what_is(call.arg(1, 'column'))}")
    else:
        set_column(call.frame, name, value_of(value), world, frames_in((value,)))
    return NONE


def pop(call: Call, world: World) -> AbstractValue:
    name = call.text(0, "item")
    if name is None:
        return UnknownValue(call.written)
    series = series_of(call.frame, name, column(call.frame, name, call, world))
    world.update(call.frame, without_columns(call.frame.relation, (name,)))
    return series


def drop(call: Call, world: World) -> AbstractValue:
    axis = call.arg(1, "axis")
    by_column = number_in(axis) == 1 or known_text(axis) == "columns"
    gone = call.named.get("columns", call.arg(0, "labels") if by_column else None)
    if gone is None:
        return done(call, world, copied(call.frame))  # rows
    names = _wanted(gone)
    if names is None:
        return blurred(call.frame, call, world, f"which columns are dropped is not known: it is {what_is(gone)}")
    return done(call, world, copied(call.frame, without_columns(call.frame.relation, names)))


def _wanted(thing: AbstractValue | None) -> tuple[str, ...] | None:
    from forge.lineage.extract.python.pandas.select import ColumnNames

    return thing.names if isinstance(thing, ColumnNames) else names_in(thing)


def rename(call: Call, world: World) -> AbstractValue:
    frame = call.frame
    axis = call.arg(2, "axis")
    by_column = number_in(axis) == 1 or known_text(axis) == "columns"
    new = call.named.get("columns", call.arg(0, "mapper") if by_column else None)
    if new is None:
        return done(call, world, copied(frame))
    pairs = _pairs(frame, new, call, world)
    if pairs is None:
        reason = f"the new names of the columns are not known: they are {what_is(new)}"
        return done(call, world, respelled(frame, call, world, reason))
    index = tuple(dict(pairs).get(name, name) for name in index_of(frame))
    made = Frame(FRAME, renamed(frame.relation, pairs), extra={**frame.extra, "index": index})
    return done(call, world, made)


def _pairs(frame: Frame, new: AbstractValue, call: Call, world: World) -> list[tuple[str, str]] | None:
    if isinstance(new, DictOf):
        names = [(str(old), known_text(one)) for old, one in new.items.items()]
        if new.open or any(name is None for _, name in names):
            return None
        return [(old, name) for old, name in names if name is not None and column_value(frame, old) is not None]
    if has_all(frame) and changed_name(new, "") is not None:
        return [(one.name, changed_name(new, one.name) or "") for one in data_columns(frame)]
    if _callable(new) and has_all(frame):
        made = [(one.name, known_text(world.call(new, (text(one.name),), call))) for one in data_columns(frame)]
        return [(old, name) for old, name in made if name is not None] if all(name for _, name in made) else None
    return None


def affixed(call: Call, world: World) -> AbstractValue:
    """`add_prefix`, `add_suffix`."""
    frame, part = call.frame, call.text(0)
    if part is None or not has_all(frame):
        return respelled(frame, call, world, "the new names of the columns are not known")
    before = call.name == "add_prefix"
    pairs = [(one.name, part + one.name if before else one.name + part) for one in data_columns(frame)]
    return copied(frame, renamed(frame.relation, pairs))


def set_axis(call: Call, world: World) -> AbstractValue:
    axis = call.arg(1, "axis")
    frame = copied(call.frame)
    if number_in(axis) == 1 or known_text(axis) == "columns":
        labels = call.arg(0, "labels")
        rename_all(frame, labels if labels is not None else NONE, call, world)
    return frame


def choose(call: Call, world: World) -> AbstractValue:
    """`filter(items=…, like=…, regex=…)`, `reindex(columns=…)`."""
    frame = call.frame
    names = names_in(call.named.get("columns") if call.name == "reindex" else call.arg(0, "items"))
    if names is not None:
        known = [name for name in names if column_value(frame, name) is not None]
        return narrowed(frame, known, call, world)
    if call.name == "reindex":
        return copied(frame)
    like, pattern = call.text(1, "like"), call.text(2, "regex")
    if has_all(frame) and (like is not None or pattern is not None):
        fits = re.compile(pattern if pattern is not None else re.escape(like or ""))
        return narrowed(frame, [one.name for one in data_columns(frame) if fits.search(one.name)], call, world)
    return blurred(frame, call, world, f"which columns {call.written} takes is not known")


def by_type(call: Call, world: World) -> AbstractValue:
    return blurred(call.frame, call, world, "which columns have a type is not known")


# The index


def set_index(call: Call, world: World) -> AbstractValue:
    frame, keys = call.frame, call.arg(0, "keys")
    names = names_in(keys)
    if names is None:
        if not isinstance(keys, Frame):
            world.gap(call, f"which columns become the index is not known: it is {what_is(keys)}")
        return copied(frame)
    columns = [RelationColumn(name, column(frame, name, call, world)) for name in names]
    others = [one for one in data_columns(frame) if one.name.lower() not in {name.lower() for name in names}]
    relation = frame.relation.with_columns((*columns, *others))
    return done(call, world, Frame(FRAME, relation, extra={**frame.extra, "index": names}))


def reset_index(call: Call, world: World) -> AbstractValue:
    frame = call.frame
    if truth_of(call.named.get("drop")):
        relation = frame.relation.with_columns(data_columns(frame))
    elif index_of(frame):
        relation = frame.relation
    else:
        relation = frame.relation.with_columns((RelationColumn("index", NOTHING), *frame.relation.columns))
    new = names_in(call.named.get("names"))
    if new is not None and len(new) == len(index_of(frame)):
        relation = renamed(relation, list(zip(index_of(frame), new, strict=True)))
    return done(call, world, Frame(FRAME, relation, extra={**frame.extra, "index": ()}))


def rename_axis(call: Call, world: World) -> AbstractValue:
    frame, names = call.frame, names_in(call.arg(0, "mapper") or call.named.get("index"))
    if names is None or len(names) != len(index_of(frame)):
        return copied(frame)
    relation = renamed(frame.relation, list(zip(index_of(frame), names, strict=True)))
    return Frame(FRAME, relation, extra={**frame.extra, "index": names})


# Rows


def _by(call: Call, world: World, thing: AbstractValue | None) -> list[ColumnValue]:
    names = _wanted(thing)
    if names is None:
        world.gap(call, f"by which columns is not known: it is {what_is(thing)}")
    return [column(call.frame, name, call, world) for name in names or ()]


def sort(call: Call, world: World) -> AbstractValue:
    if call.name == "sort_index":
        by = [one.value for one in index_columns(call.frame)]
    else:
        place = 1 if call.name in {"nlargest", "nsmallest"} else 0
        by = _by(call, world, call.arg(place, "columns" if place else "by"))
    return done(call, world, shaped(call.frame, by, IndirectType.SORT))


def drop_duplicates(call: Call, world: World) -> AbstractValue:
    subset = call.arg(0, "subset")
    by = _by(call, world, subset) if subset is not None else [one.value for one in data_columns(call.frame)]
    return done(call, world, shaped(call.frame, by, IndirectType.GROUP_BY))


def dropna(call: Call, world: World) -> AbstractValue:
    axis, subset = call.arg(0, "axis"), call.named.get("subset")
    if number_in(axis) == 1 or known_text(axis) == "columns":
        return done(call, world, copied(call.frame))
    by = _by(call, world, subset) if subset is not None else [one.value for one in data_columns(call.frame)]
    return done(call, world, shaped(call.frame, by, IndirectType.FILTER))


def nothing(call: Call, world: World) -> AbstractValue:
    """Methods that show something and change nothing."""
    return UnknownValue(call.written)


def otherwise(call: Call, world: World) -> AbstractValue:
    return blurred(call.frame, call, world, f"the method {call.name} of a pandas frame is not known here")


def iterate(call: Call, world: World) -> AbstractValue:
    found = list_of([text(one.name) for one in data_columns(call.frame)])
    found.open = not has_all(call.frame)
    return found

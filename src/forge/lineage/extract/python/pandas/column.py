"""Methods of pandas series."""

from __future__ import annotations

from dataclasses import dataclass, replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined
from forge.lineage.extract.python.frame_columns import unexplained
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.apply import by_value
from forge.lineage.extract.python.pandas.query import done
from forge.lineage.extract.python.pandas.select import Loc
from forge.lineage.extract.python.pandas.series import (
    FRAME,
    SERIES,
    arguments,
    as_frame,
    changed,
    filtered,
    index_columns,
    index_of,
    is_series,
    name_of,
    replaced,
    scalar_of,
    shaped,
    shaped_with,
    value_in,
)
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    Const,
    DictOf,
    Frame,
    LibraryValue,
    SliceValue,
    Text,
    UnknownValue,
    known_text,
    text,
    truth_of,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.value import NOTHING

ACCESSOR = "pandas.accessor"


@dataclass(frozen=True, slots=True, eq=False)
class Accessor(LibraryValue):
    """`series.str`, `series.dt`, `series.cat`: all methods map values."""

    series: Frame
    kind: str = ACCESSOR


def accessor_otherwise(call: Call, world: World) -> AbstractValue:
    return changed(call.receiver(Accessor).series, Transformation.TRANSFORMATION, call.written, arguments(call))


def accessor_attribute(call: Call, world: World) -> AbstractValue | None:
    """`dt.year`; methods are treated alike."""
    return changed(call.receiver(Accessor).series, Transformation.TRANSFORMATION, call.written)


def attribute(call: Call, world: World) -> AbstractValue | None:
    series = call.frame
    if call.name in {"str", "dt", "cat", "list", "struct", "sparse"}:
        return Accessor(series)
    if call.name in {"loc", "at", "iloc", "iat"}:
        return Loc(series, by_place=call.name.startswith("i"))
    if call.name in {"values", "array", "T"}:
        return series
    if call.name == "name":
        return text(name_of(series))
    if call.name == "index":
        names = index_of(series)
        value = combined((one.value for one in index_columns(series)), Transformation.IDENTITY, "")
        return replace(scalar_of(value, series, name=names[0] if names else ""), kind=SERIES)
    if call.name in {"dtype", "shape", "size", "empty", "plot", "hist", "is_unique", "iloc"}:
        return UnknownValue(call.written)
    return None


def called(call: Call, world: World) -> AbstractValue:
    """`series.dt.year` was taken for an attribute, and is a method: `series.dt.date()`."""
    return changed(call.frame, Transformation.TRANSFORMATION, call.written, arguments(call))


def operator(call: Call, world: World) -> AbstractValue:
    series = call.on if is_series(call.on) else next((one for one in call.args if is_series(one)), None)
    assert isinstance(series, Frame)
    others = [one for one in (call.on, *call.args) if isinstance(one, Frame) and one is not series]
    frame = next((one for one in others if one.kind == FRAME), None)
    if frame is not None:
        from forge.lineage.extract.python.pandas.values import operator as on_frame

        return on_frame(replace(call, on=frame, args=(series,)), world)
    whole = next((one for one in (series, *others) if not one.extra.get("scalar")), series)
    rest = [one for one in (series, *others) if one is not whole]
    return changed(whole, Transformation.TRANSFORMATION, call.written, rest)


def item(call: Call, world: World) -> AbstractValue:
    """`s[mask]`, `s[0]`, `s["a"]`, `text[:3]` where a function is read with one value."""
    series, key = call.frame, call.args[0]
    if isinstance(key, Frame):
        return filtered(series, key)
    if series.extra.get("scalar"):
        return changed(series, Transformation.TRANSFORMATION, call.written)
    if isinstance(key, Const | Text):
        return scalar_of(value_in(series), series)
    return series if isinstance(key, SliceValue) else changed(series, Transformation.TRANSFORMATION, call.written)


def aggregate(call: Call, world: World) -> AbstractValue:
    series = call.frame
    if series.extra.get("scalar") and call.name not in {"sum", "mean", "min", "max"}:
        return changed(series, Transformation.TRANSFORMATION, call.written, arguments(call))
    value = combined((value_in(series),), Transformation.AGGREGATION, call.written)
    return scalar_of(value, series, name=name_of(series))


def window(call: Call, world: World) -> AbstractValue:
    series = call.frame
    made = changed(series, Transformation.WINDOW, call.written, arguments(call))
    return shaped(made, (value_in(series),), IndirectType.WINDOW) if call.name == "rank" else made


def conditional(call: Call, world: World) -> AbstractValue:
    """`where`, `mask`, `fillna`, `combine_first`, `replace`."""
    for one in call.args:
        unexplained(one, "a value or condition", call, world)
    made = changed(call.frame, Transformation.CONDITIONAL, call.written, arguments(call))
    return done(call, world, made)


def mapped(call: Call, world: World) -> AbstractValue:
    """By a function, by a dict, or by looking up in another series."""
    series, how = call.frame, call.arg(0, "arg") or call.named.get("func")
    if isinstance(how, Frame):
        return looked_up(series, how)
    if how is None or isinstance(how, DictOf | Text):
        return changed(series, Transformation.TRANSFORMATION, call.written, arguments(call))
    return replaced(series, by_value(how, value_in(series), call, world))


def looked_up(series: Frame, by: Frame) -> Frame:
    """The value of another table, found by its index: a join."""
    relation = shaped_with(series.relation, (by,))
    for value in (value_in(series), *(one.value for one in index_columns(by))):
        relation = relation.shaped_by(value.sources, IndirectType.JOIN)
    return replaced(Frame(SERIES, relation, extra=series.extra), value_in(by))


def exploded(call: Call, world: World) -> AbstractValue:
    return changed(call.frame, Transformation.GENERATOR, call.written)


def to_frame(call: Call, world: World) -> AbstractValue:
    if call.frame.kind == FRAME:
        return call.frame
    return as_frame(call.frame, _new_name(call.arg(0, "name"), call, world))


def _new_name(given: AbstractValue | None, call: Call, world: World) -> str | None:
    if given is not None and known_text(given) is None and given != NONE:
        world.gap(call, f"the name of a column is not known: it is {what_is(given)}")
        return ""
    return known_text(given)


def reset_index(call: Call, world: World) -> AbstractValue:
    series = call.frame
    if truth_of(call.named.get("drop")):
        return scalar_free(series)
    frame = as_frame(series, _new_name(call.named.get("name"), call, world))
    columns = frame.relation.columns
    if not index_of(series):
        columns = (RelationColumn("index", NOTHING), *columns)
    return Frame(FRAME, frame.relation.with_columns(columns), extra={"index": ()})


def scalar_free(series: Frame) -> Frame:
    """Without its index."""
    relation = series.relation.with_columns(one for one in series.relation.columns if one.name == name_of(series))
    return Frame(SERIES, relation, extra={"name": name_of(series)})


def renamed(call: Call, world: World) -> AbstractValue:
    series, new = call.frame, call.text(0, "index") or call.text(99, "name")
    if new is None:
        return series
    relation = as_frame(series, new).relation
    return Frame(SERIES, relation, extra={**series.extra, "name": new})


def same(call: Call, world: World) -> AbstractValue:
    """The values as they are: unique, tolist, head …"""
    return done(call, world, Frame(SERIES, call.frame.relation, extra=call.frame.extra))


def sort(call: Call, world: World) -> AbstractValue:
    return done(call, world, shaped(call.frame, (value_in(call.frame),), IndirectType.SORT))


def dropna(call: Call, world: World) -> AbstractValue:
    return done(call, world, shaped(call.frame, (value_in(call.frame),), IndirectType.FILTER))


def drop_duplicates(call: Call, world: World) -> AbstractValue:
    return done(call, world, shaped(call.frame, (value_in(call.frame),), IndirectType.GROUP_BY))


def value_counts(call: Call, world: World) -> AbstractValue:
    """One row for each value, with the number of rows that have it."""
    series = call.frame
    name = name_of(series) or "index"
    relation = Relation(
        (RelationColumn(name, value_in(series)), RelationColumn("count", NOTHING)),
        shaped=series.relation.shaped,
        reads=series.relation.reads,
    ).shaped_by(value_in(series).sources, IndirectType.GROUP_BY)
    return Frame(SERIES, relation, extra={"name": "count", "index": (name,)})


def otherwise(call: Call, world: World) -> AbstractValue:
    """All other methods make a value of a value."""
    masks = call.name in {"hash", "hash_pandas_object"}
    return changed(call.frame, Transformation.TRANSFORMATION, call.written, arguments(call), masking=masks)


def iterate(call: Call, world: World) -> AbstractValue:
    from forge.lineage.extract.python.values import list_of

    return list_of([scalar_of(value_in(call.frame), call.frame)])

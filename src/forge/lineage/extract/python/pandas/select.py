"""Selection and assignment: `df["x"]`, `df[mask]`, `df.loc[rows, columns]`, `df["x"] = …`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from forge.lineage.edge import Transformation
from forge.lineage.extract.python.cells import combined, with_column, without_columns
from forge.lineage.extract.python.frame_columns import (
    REST,
    blurred,
    column,
    column_value,
    has_all,
    respelled,
    rest_of,
    unexplained,
)
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.series import (
    FRAME,
    SERIES,
    data_columns,
    filtered,
    frames_in,
    index_columns,
    index_of,
    is_series,
    picked,
    scalar_of,
    series_of,
    shaped_with,
    value_in,
    value_of,
)
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    Const,
    Frame,
    FunctionValue,
    LibraryValue,
    ListOf,
    SliceValue,
    Text,
    UnknownValue,
    items_of,
    known_text,
    names_in,
    number_in,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.value import NOTHING, ColumnValue
from forge.model.word_list import words

LOC = "pandas.loc"


@dataclass(frozen=True, slots=True, eq=False)
class Loc(LibraryValue):
    """`df.loc` (by label), `df.iloc` (by position)."""

    frame: Frame
    by_place: bool = False
    kind: str = LOC


def flat(key: AbstractValue) -> str | None:
    """The name of a column: a text, or a tuple of them where columns have levels."""
    if isinstance(key, ListOf) and key.form == "tuple":
        parts = [known_text(one) for one in key.items]
        return str(tuple(parts)) if parts and None not in parts else None
    return known_text(key)


def narrowed(frame: Frame, names: Iterable[str], call: Call, world: World) -> Frame:
    """Some columns, in this order; the index stays."""
    index = index_columns(frame)
    taken = {one.name.lower() for one in index}
    columns = tuple(
        RelationColumn(name, column(frame, name, call, world)) for name in names if name.lower() not in taken
    )
    extra = {key: value for key, value in frame.extra.items() if key != REST}
    return Frame(FRAME, replace(frame.relation, columns=(*index, *columns), open=()), extra=extra)


def frame_item(call: Call, world: World) -> AbstractValue:
    frame, key = call.frame, call.args[0]
    name = flat(key)
    if name is not None and not (isinstance(key, ListOf) and column_value(frame, name) is None):
        return picked(frame, name, call, world)
    if isinstance(key, Frame):
        return _by_mask(frame, key, call)
    if isinstance(key, SliceValue):
        return Frame(FRAME, frame.relation, extra=frame.extra)
    if isinstance(key, FunctionValue):
        return frame_item(replace(call, args=(world.call(key, (frame,), call),)), world)
    names = _names(key)
    if names is not None:
        return narrowed(frame, names, call, world)
    return blurred(frame, call, world, f"what {call.written} takes is not known: it is {what_is(key)}")


def _names(key: AbstractValue) -> tuple[str, ...] | None:
    names = names_in(key)
    if names is not None:
        return names
    items = items_of(key)
    flats = [flat(one) for one in items] if items is not None else [None]
    return tuple(one for one in flats if one is not None) if None not in flats else None


def _by_mask(frame: Frame, mask: Frame, call: Call) -> Frame:
    """`df[df.x > 1]`; of a whole frame of conditions, each value is kept or not."""
    if is_series(mask):
        return filtered(frame, mask)
    columns = tuple(
        replace(one, value=combined((one.value, found[0].value), Transformation.CONDITIONAL, call.written))
        if (found := mask.relation.find(one.name))
        else one
        for one in frame.relation.columns
    )
    return Frame(FRAME, shaped_with(frame.relation.with_columns(columns), (mask,)), extra=frame.extra)


# Setting


def set_column(frame: Frame, name: str, value: ColumnValue, world: World, others: Iterable[Frame] = ()) -> None:
    relation = with_column(frame.relation, name, value)
    world.update(frame, shaped_with(relation, (one for one in others if one is not frame)))


def frame_set_item(call: Call, world: World) -> AbstractValue:
    frame, (key, value) = call.frame, call.args
    name = flat(key)
    if name is not None and isinstance(key, Text | ListOf):
        unexplained(value, f"column {name}", call, world)
        set_column(frame, name, _assigned(value, call, world), world, frames_in((value,)))
    elif isinstance(key, Frame) and is_series(key):
        for one in data_columns(frame):
            _set_where(frame, one.name, (key,), value, call, world)
    elif (names := names_in(key)) is not None:
        for new, part in zip(names, _spread(value, names), strict=True):
            set_column(frame, new, part, world, frames_in((value,)))
    else:
        world.gap(call, f"which column is set is not known: it is {what_is(key)}")
    return NONE


def _assigned(value: AbstractValue, call: Call, world: World) -> ColumnValue:
    if isinstance(value, Frame) and (rest := rest_of(value)) is not None and rest.reason:
        world.gap(call, rest.reason)
    if isinstance(value, Frame) and value.kind == FRAME:
        columns = data_columns(value)
        return columns[0].value if len(columns) == 1 else value_in(value)
    return value_of(value)


def _spread(value: AbstractValue, names: Sequence[str]) -> list[ColumnValue]:
    """`df[["a", "b"]] = …`: by position, where there is one value for each."""
    if isinstance(value, Frame) and value.kind == FRAME and len(data_columns(value)) == len(names):
        return [one.value for one in data_columns(value)]
    if isinstance(value, ListOf) and len(value.items) == len(names):
        return [value_of(one) for one in value.items]
    return [value_of(value)] * len(names)


def _set_where(frame: Frame, name: str, masks: Sequence[Frame], value: AbstractValue, call: Call, world: World) -> None:
    before = column_value(frame, name) if frame.relation.find(name) or not has_all(frame) else None
    parts = (before or NOTHING, *(value_in(one) for one in masks), value_of(value))
    made = combined(parts, Transformation.CONDITIONAL, call.written)
    set_column(frame, name, made, world, (*masks, *frames_in((value,))))


def frame_delete(call: Call, world: World) -> AbstractValue:
    for name in names_in(call.args[0]) or ():
        world.update(call.frame, without_columns(call.frame.relation, (name,)))
    return NONE


# By label and by place


def loc_item(call: Call, world: World) -> AbstractValue:
    loc, key = call.receiver(Loc), call.args[0]
    rows, columns = _rows_and_columns(key)
    frame = loc.frame
    if isinstance(rows, FunctionValue):
        rows = world.call(rows, (frame,), call)
    if isinstance(rows, Frame) and not _plain(rows):
        frame = filtered(frame, rows)
    chosen = _chosen(frame, columns, loc.by_place)
    if frame.kind == SERIES:
        return scalar_of(value_in(frame), frame) if isinstance(rows, Const | Text) else frame
    if chosen is None:
        return blurred(frame, call, world, f"which columns {call.written} takes is not known")
    one = isinstance(columns, Const | Text) and columns != NONE
    if one and len(chosen) == 1:
        series = picked(frame, chosen[0], call, world)
        return scalar_of(value_in(series), series) if isinstance(rows, Const | Text) else series
    return frame if columns is None else narrowed(frame, chosen, call, world)


def _plain(frame: Frame) -> bool:
    """Row labels, not a condition: `df.loc[other.index]`."""
    return bool(frame.extra.get("labels"))


def _rows_and_columns(key: AbstractValue) -> tuple[AbstractValue, AbstractValue | None]:
    if isinstance(key, ListOf) and key.form == "tuple" and len(key.items) == 2:
        return key.items[0], key.items[1]
    return key, None


def _chosen(frame: Frame, columns: AbstractValue | None, by_place: bool) -> tuple[str, ...] | None:
    names = [one.name for one in data_columns(frame)]
    if columns is None:
        return tuple(names)
    if isinstance(columns, SliceValue):
        return _range(names, columns, by_place) if has_all(frame) else None
    if not by_place:
        return _names(columns) if not isinstance(columns, Text) else names_in(columns)
    places = [number_in(one) for one in items_of(columns) or (columns,)]
    if not has_all(frame) or any(one is None or not -len(names) <= one < len(names) for one in places):
        return None
    return tuple(names[one] for one in places if one is not None)


def _range(names: list[str], cut: SliceValue, by_place: bool) -> tuple[str, ...] | None:
    """`:`, `1:3`, `"a":"c"` (with its end)."""
    bounds: list[int | None] = []
    for place, bound in enumerate((cut.start, cut.stop)):
        label = known_text(bound)
        if bound == NONE:
            bounds.append(None)
        elif by_place and (number := number_in(bound)) is not None:
            bounds.append(number)
        elif label in names:
            bounds.append(names.index(label or "") + place)
        else:
            return None
    return tuple(names[bounds[0] : bounds[1]])


def loc_set_item(call: Call, world: World) -> AbstractValue:
    loc, (key, value) = call.receiver(Loc), call.args
    frame = loc.frame
    rows, columns = _rows_and_columns(key)
    if isinstance(rows, FunctionValue):
        rows = world.call(rows, (frame,), call)
    chosen = _chosen(frame, columns, loc.by_place)
    if chosen is None or frame.kind == SERIES:
        if chosen is None:
            world.gap(call, f"which columns {call.written} sets is not known")
        return NONE
    unexplained(rows, "a condition", call, world)
    everywhere = isinstance(rows, SliceValue) and rows.start == NONE and rows.stop == NONE
    masks = (rows,) if isinstance(rows, Frame) else ()
    for name, one in zip(chosen, _spread(value, chosen), strict=True):
        if everywhere:
            set_column(frame, name, one, world, frames_in((value,)))
        else:
            _set_where(frame, name, masks, value, call, world)
    return NONE


# Behind a dot

NOT_COLUMNS = frozenset(words("shape size empty dtypes ndim axes attrs flags style plot hist boxplot sparse"))


def frame_attribute(call: Call, world: World) -> AbstractValue | None:
    frame, name = call.frame, call.name
    if name in {"loc", "at"}:
        return Loc(frame)
    if name in {"iloc", "iat"}:
        return Loc(frame, by_place=True)
    if name == "columns":
        return ColumnNames(tuple(one.name for one in data_columns(frame)), has_all(frame), _levels(frame))
    if name in {"values", "T"}:
        return Frame(FRAME, frame.relation, extra={**frame.extra, "totals": False})
    if name == "index":
        return _index(frame)
    if name in NOT_COLUMNS or name.startswith("__"):
        return UnknownValue(call.written)
    if frame.relation.find(name) or (not has_all(frame) and not _is_method(name)):
        return picked(frame, name, call, world)
    return None


def _is_method(name: str) -> bool:
    return name in _METHODS or name.startswith(("to_", "is", "from_"))


_METHODS = frozenset(
    words(
        "corr cov describe stack unstack xs swaplevel compare align cut asof between_time at_time "
        "tz_localize tz_convert asfreq resample wide_to_long select_dtypes memory_usage info items keys "
        "equals update lookup corrwith dot"
    )
)


def _index(frame: Frame) -> Frame:
    """The index as a series of its own."""
    names = index_of(frame)
    value = combined((one.value for one in index_columns(frame)), Transformation.IDENTITY, "")
    series = series_of(Frame(FRAME, frame.relation), names[0] if names else "", value)
    return Frame(SERIES, series.relation, extra={**series.extra, "labels": True})


def _levels(frame: Frame) -> dict[str, tuple[str, ...]]:
    found = frame.extra.get("levels")
    return dict(found) if isinstance(found, dict) else {}


def frame_set_attribute(call: Call, world: World) -> AbstractValue:
    frame, value = call.frame, call.args[0]
    if call.name == "columns":
        rename_all(frame, value, call, world)
    elif call.name != "index" and frame.relation.find(call.name):
        set_column(frame, call.name, _assigned(value, call, world), world, frames_in((value,)))
    return NONE


def rename_all(frame: Frame, value: AbstractValue, call: Call, world: World) -> None:
    """`df.columns = […]`: by position."""
    names = value.names if isinstance(value, ColumnNames) else _names(value)
    data = data_columns(frame)
    if isinstance(value, ColumnNames) and not value.known:
        return  # names that are not known, in another spelling
    if frame.relation.open and isinstance(value, ListOf) and value.open:
        respelled(frame, call, world, "")
        return
    if names is None or len(names) != len(data) or not has_all(frame):
        world.gap(call, "the new names of the columns are not known")
        world.update(frame, replace(frame.relation, columns=index_columns(frame), open=()))
        return
    new = dict(zip((one.name for one in data), names, strict=True))
    columns = (replace(one, name=new.get(one.name, one.name)) for one in frame.relation.columns)
    world.update(frame, frame.relation.with_columns(columns))


NAMES = "pandas.names"


@dataclass(frozen=True, slots=True, eq=False)
class ColumnNames(LibraryValue):
    """`df.columns`. `known`: the list is complete."""

    names: tuple[str, ...]
    known: bool = True
    levels: dict[str, tuple[str, ...]] | None = None
    kind: str = NAMES

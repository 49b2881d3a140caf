"""Methods of pandas frames that compute new values in all columns."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from forge.lineage.edge import Transformation
from forge.lineage.extract.python.cells import combined
from forge.lineage.extract.python.frame_columns import OpenColumns, column_value, rest_of, with_rest
from forge.lineage.extract.python.library import Call, Handler
from forge.lineage.extract.python.pandas.apply import PandasRow, by_row, by_value, fields_by_row
from forge.lineage.extract.python.pandas.frame import copied
from forge.lineage.extract.python.pandas.query import done
from forge.lineage.extract.python.pandas.select import narrowed
from forge.lineage.extract.python.pandas.series import (
    FRAME,
    arguments,
    data_columns,
    frames_in,
    index_columns,
    index_of,
    series_of,
    shaped_with,
    value_of,
)
from forge.lineage.extract.python.values import (
    AbstractValue,
    Const,
    DictOf,
    Frame,
    Text,
    UnknownValue,
    items_of,
    known_text,
    list_of,
    number_in,
    text,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.value import ColumnValue


def each(frame: Frame, change: Callable[[RelationColumn], ColumnValue], others: Iterable[Frame] = ()) -> Frame:
    """Every column that is not of the index changed."""
    index = {name.lower() for name in index_of(frame)}
    columns = tuple(
        one if one.name.lower() in index else RelationColumn(one.name, change(one)) for one in frame.relation.columns
    )
    made = copied(frame, shaped_with(frame.relation.with_columns(columns), others))
    return _each_unlisted(made, frame, change)


def _each_unlisted(made: Frame, frame: Frame, change: Callable[[RelationColumn], ColumnValue]) -> Frame:
    """Columns of which only a name is known go through the same step."""
    before = rest_of(frame)
    if not frame.relation.open and before is None:
        return made

    def value(name: str) -> ColumnValue | None:
        found = column_value(frame, name)
        return None if found is None else change(RelationColumn(name, found))

    reason = before.reason if before is not None else ""
    if frame.relation.open:
        tables = " and ".join(frame.relation.open)
        reason = f"the columns of {tables} are not known, so * cannot be told apart; give them with --schema"
    relation = replace(made.relation, open=())
    return with_rest(copied(made, relation), OpenColumns(value, reason))


def stepped(step: Transformation) -> Handler:
    """A method that does something to all columns, or to those in a dict."""

    def handler(call: Call, world: World) -> AbstractValue:
        frame, how = call.frame, call.args[0] if call.args else next(iter(call.named.values()), None)
        others = arguments(call)
        chosen = {str(key).lower(): value for key, value in how.items.items()} if isinstance(how, DictOf) else None

        def change(one: RelationColumn) -> ColumnValue:
            if chosen is not None and one.name.lower() not in chosen:
                return one.value
            extra = value_of(chosen[one.name.lower()]) if chosen is not None else _matching(others, one.name)
            return combined((one.value, extra), step, call.written)

        return done(call, world, each(frame, change, others))

    return handler


def _matching(frames: Iterable[Frame], name: str) -> ColumnValue:
    """Of a frame the column of the same name, of a series the whole."""
    found = []
    for frame in frames:
        if frame.kind == FRAME:
            found += [one.value for one in frame.relation.find(name)]
        else:
            found.append(value_of(frame))
    return combined(found, Transformation.IDENTITY, "")


def operator(call: Call, world: World) -> AbstractValue:
    """`df * 2`, `df > other`."""
    frame = call.on if isinstance(call.on, Frame) else call.args[0]
    assert isinstance(frame, Frame)
    others = tuple(one for one in frames_in((call.on, *call.args)) if one is not frame)
    return each(
        frame,
        lambda one: combined((one.value, _matching(others, one.name)), Transformation.TRANSFORMATION, call.written),
        others,
    )


def apply(call: Call, world: World) -> AbstractValue:
    """By row with axis=1, by column without."""
    frame, function, axis = call.frame, call.arg(0, "func"), call.arg(1, "axis")
    if function is None:
        return UnknownValue(call.written)
    if number_in(axis) == 1 or known_text(axis) in {"columns", "index=1"}:
        fields = fields_by_row(function, frame, call, world)
        if fields:
            columns = (*index_columns(frame), *(RelationColumn(name, value) for name, value in fields.items()))
            return copied(frame, replace(frame.relation, columns=columns, open=(), without=frozenset()))
        value = by_row(function, frame, call, world)
        return series_of(frame, "", value)
    if isinstance(function, Text):
        return stepped(Transformation.TRANSFORMATION)(replace(call, args=()), world)
    return each(frame, lambda one: by_value(function, one.value, call, world))


def apply_each(call: Call, world: World) -> AbstractValue:
    """`map`, `applymap`: by value."""
    function = call.arg(0, "func")
    if function is None:
        return UnknownValue(call.written)
    return each(call.frame, lambda one: by_value(function, one.value, call, world))


def total(call: Call, world: World) -> AbstractValue:
    """`df.sum()`: one value of each column; `df.agg({...})` of some."""
    how = call.arg(0, "func") if call.name in {"agg", "aggregate"} else None
    frame = call.frame
    if isinstance(how, DictOf):
        frame = narrowed(frame, [str(name) for name in how.items], call, world)
    axis = call.named.get("axis")
    if number_in(axis) == 1 or known_text(axis) == "columns":
        row = combined((one.value for one in data_columns(frame)), Transformation.TRANSFORMATION, call.written)
        return series_of(frame, "", row)
    made = each(frame, lambda one: combined((one.value,), Transformation.AGGREGATION, call.written))
    return Frame(FRAME, made.relation.with_columns(data_columns(made)), extra={"index": ()})


def pipe(call: Call, world: World) -> AbstractValue:
    function, rest = call.arg(0, "func"), call.args[1:]
    named = {key: value for key, value in call.named.items() if key != "func"}
    pair = items_of(function)
    if pair is not None and len(pair) == 2 and (name := known_text(pair[1])) is not None:
        return world.call(pair[0], rest, call, {**named, name: call.frame})
    return UnknownValue(call.written) if function is None else world.call(function, (call.frame, *rest), call, named)


def rows(call: Call, world: World) -> AbstractValue:
    """`iterrows`, `itertuples`: one symbolic row."""
    row = PandasRow(copied(call.frame))
    return list_of([list_of([Const(None), row], "tuple") if call.name == "iterrows" else row])


def items(call: Call, world: World) -> AbstractValue:
    frame = call.frame
    return list_of(
        [list_of([text(one.name), series_of(frame, one.name, one.value)], "tuple") for one in data_columns(frame)]
    )

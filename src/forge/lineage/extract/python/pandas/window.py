"""Group-wise and rolling window functions of pandas."""

from __future__ import annotations

from dataclasses import replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined
from forge.lineage.extract.python.frame_columns import blurred, column, column_value
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.apply import fields_of
from forge.lineage.extract.python.pandas.group import PandasGroups, RollingWindow, result_of, values_in
from forge.lineage.extract.python.pandas.series import (
    FRAME,
    SERIES,
    as_frame,
    data_columns,
    index_columns,
    name_of,
    series_of,
    value_in,
)
from forge.lineage.extract.python.values import AbstractValue, Const, Frame, known_text, list_of, text
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.value import NOTHING


def _window_frame(grouped: PandasGroups, columns: tuple[RelationColumn, ...], call: Call, own: bool = False) -> Frame:
    """A window: rows stay, values come from the group. `own`: the column itself decides on the order."""
    frame = grouped.frame
    made: list[RelationColumn] = []
    shaped = set(frame.relation.shaped)
    for one in columns:
        keys = [key.value for key in grouped.keys]
        made.append(replace(one, value=combined((one.value, *keys), Transformation.WINDOW, call.written)))
        for value in (*keys, *((one.value,) if own else ())):
            shaped |= {(source, IndirectType.WINDOW) for source in value.sources}
    if grouped.single and made:
        return series_of(frame, made[0].name, made[0].value, shaped=frozenset(shaped))
    relation = replace(frame.relation, columns=(*index_columns(frame), *made), open=(), shaped=frozenset(shaped))
    return Frame(FRAME, relation, extra=frame.extra)


def windowed(call: Call, world: World) -> AbstractValue:
    """`transform`, `cumsum`, `shift`, `rank` … of groups."""
    grouped = call.receiver(PandasGroups)
    return _window_frame(grouped, values_in(grouped, call, world), call, own=call.name == "rank")


def numbered(call: Call, world: World) -> AbstractValue:
    """`cumcount`, `ngroup`: only the keys arrive."""
    grouped = call.receiver(PandasGroups)
    return _window_frame(replace(grouped, single=True), (RelationColumn(call.name, NOTHING),), call)


def kept(call: Call, world: World) -> AbstractValue:
    """Rows of groups, chosen by place or by a condition on the group."""
    grouped = call.receiver(PandasGroups)
    relation = grouped.frame.relation
    subtype = IndirectType.FILTER if call.name == "filter" else IndirectType.GROUP_BY
    for key in grouped.keys:
        relation = relation.shaped_by(key.value.sources, subtype)
    frame = Frame(FRAME, relation, extra=grouped.frame.extra)
    if grouped.chosen is None:
        return frame
    return series_of(frame, grouped.chosen[0], column(frame, grouped.chosen[0], call, world))


def applied(call: Call, world: World) -> AbstractValue:
    """`groupby(…).apply(f)`: f gets the rows of a group. Where it can be read, so can the result."""
    grouped = call.receiver(PandasGroups)
    function = call.arg(0, "func")
    inner: Frame = Frame(FRAME, grouped.frame.relation, extra={**grouped.frame.extra, "index": ()})
    if grouped.single and grouped.chosen:
        inner = series_of(inner, grouped.chosen[0], column(inner, grouped.chosen[0], call, world))
    result = world.call(function, (inner,), call) if function is not None else None
    if fields := fields_of(result):
        made = ((name, combined((one,), Transformation.AGGREGATION, call.written)) for name, one in fields.items())
        return result_of(grouped, [RelationColumn(name, value) for name, value in made])
    if isinstance(result, Frame) and result.kind == SERIES:
        name = name_of(result)
        aggregated = RelationColumn(name, combined((value_in(result),), Transformation.AGGREGATION, call.written))
        return result_of(grouped, (aggregated,), name)
    if isinstance(result, Frame) and result.kind == FRAME:
        relation = result.relation
        for key in grouped.keys:
            relation = relation.shaped_by(key.value.sources, IndirectType.GROUP_BY)
        return Frame(FRAME, relation, extra=result.extra)
    return blurred(grouped.frame, call, world, f"what {call.written} does with a group cannot be read")


def iterate(call: Call, world: World) -> AbstractValue:
    """`for key, rows in df.groupby(…)`."""
    grouped = call.receiver(PandasGroups)
    rows = Frame(FRAME, grouped.frame.relation, extra=grouped.frame.extra)
    return list_of([list_of([Const(None), rows], "tuple")])


def otherwise(call: Call, world: World) -> AbstractValue:
    grouped = call.receiver(PandasGroups)
    return blurred(grouped.frame, call, world, f"the method {call.name} of groups is not known here")


def roll(call: Call, world: World) -> AbstractValue:
    """`rolling`, `expanding`, `ewm` of a frame, a series, or groups."""
    if isinstance(call.on, PandasGroups):
        frame = call.on.frame
        if call.on.chosen is not None:
            name = call.on.chosen[0]
            frame = series_of(frame, name, column(frame, name, call, world))
        return RollingWindow(frame, call.on.keys)
    return RollingWindow(call.frame)


def rolled(call: Call, world: World) -> AbstractValue:
    """Any function over a moving window."""
    rolling = call.receiver(RollingWindow)
    frame = rolling.frame
    if frame.kind == SERIES:
        grouped = PandasGroups(as_frame(frame), rolling.keys, chosen=(name_of(frame),), single=True)
        return _window_frame(grouped, (RelationColumn(name_of(frame), value_in(frame)),), call)
    return _window_frame(PandasGroups(frame, rolling.keys), data_columns(frame), call)


def rolled_item(call: Call, world: World) -> AbstractValue:
    rolling, name = call.receiver(RollingWindow), known_text(call.args[0])
    if name is None:
        return rolling
    return replace(rolling, frame=series_of(rolling.frame, name, column(rolling.frame, name, call, world)))


def rolled_attribute(call: Call, world: World) -> AbstractValue | None:
    found = column_value(call.receiver(RollingWindow).frame, call.name)
    return rolled_item(replace(call, args=(text(call.name),)), world) if found is not None else None

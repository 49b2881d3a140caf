"""Reshaping of pandas frames: pivot, melt, explode."""

from __future__ import annotations

from dataclasses import replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined, without_columns
from forge.lineage.extract.python.frame_columns import REST, OpenColumns, blurred, column, has_all, values
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.series import FRAME, as_frame, data_columns, is_series
from forge.lineage.extract.python.values import NONE, AbstractValue, Frame, UnknownValue, known_text, names_in, what_is
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.value import NOTHING, ColumnValue, opaque, union


def first_frame(call: Call, world: World) -> tuple[Frame | None, Call]:
    """`df.melt(…)` and `pd.melt(df, …)` alike."""
    if isinstance(call.on, Frame):
        return call.on, call
    frame = call.arg(0, "data") or call.named.get("frame")
    if isinstance(frame, Frame):
        return frame, replace(call, args=call.args[1:])
    world.gap(call, f"the frame is not known: it is {what_is(frame)}")
    return None, call


def _names(thing: AbstractValue | None) -> tuple[str, ...]:
    return names_in(thing) or ()


def pivot(call: Call, world: World) -> AbstractValue:
    """`pivot` and `pivot_table`: columns are named by values, known only from data."""
    frame, call = first_frame(call, world)
    if frame is None:
        return UnknownValue(call.written)
    if call.name == "pivot":
        given = (call.named.get("index"), call.named.get("columns"), call.named.get("values"))
    else:
        given = (call.arg(1, "index"), call.arg(3, "columns") or call.named.get("columns"), call.arg(0, "values"))
        given = (given[0] or call.named.get("index"), _columns_of(call), given[2])
    index, across, within = (_names(one) for one in given)
    taken = {name.lower() for name in (*index, *across)}
    if not within:
        within = tuple(one.name for one in data_columns(frame) if one.name.lower() not in taken)
    aggregates = call.name == "pivot_table"
    return spread(frame, index, across, within, call, world, aggregates=aggregates)


def _columns_of(call: Call) -> AbstractValue | None:
    return call.named.get("columns") or (call.args[2] if len(call.args) > 2 else None)


def spread(
    frame: Frame,
    index: tuple[str, ...],
    across: tuple[str, ...],
    within: tuple[str, ...],
    call: Call,
    world: World,
    *,
    aggregates: bool = True,
    kind: str = FRAME,
) -> Frame:
    keys = tuple(RelationColumn(name, column(frame, name, call, world)) for name in index)
    makers = [column(frame, name, call, world) for name in across]
    step = Transformation.AGGREGATION if aggregates else Transformation.CONDITIONAL
    parts = [column(frame, name, call, world) for name in within]
    relation = Relation(keys, (), frozenset(), frame.relation.shaped, frame.relation.reads)
    for value in (*(key.value for key in keys), *makers):
        relation = relation.shaped_by(value.sources, IndirectType.GROUP_BY)
    if not across:
        columns = tuple(
            RelationColumn(name, combined((value,), step, call.written))
            for name, value in zip(within, parts, strict=True)
        )
        return Frame(kind, relation.with_columns((*keys, *columns)), extra={"index": index})
    made = combined((*parts, *makers), step, call.written)
    reason = f"the columns are the values of {', '.join(across)}, which only the data tell; select them by name"
    rest = OpenColumns(lambda name: made, reason)
    return Frame(kind, relation, extra={"index": index if kind == FRAME else (), REST: rest})


def crosstab(call: Call, world: World) -> AbstractValue:
    """Rows counted by two columns."""
    index, across = call.arg(0, "index"), call.arg(1, "columns")
    frames = [as_frame(one) for one in (index, across) if isinstance(one, Frame)]
    if len(frames) < 2:
        return UnknownValue(call.written)
    key, maker = data_columns(frames[0])[0], data_columns(frames[1])[0]
    relation = Relation(
        (key,),
        shaped=frames[0].relation.shaped | frames[1].relation.shaped,
        reads=frames[0].relation.reads | frames[1].relation.reads,
    )
    for one in (key, maker):
        relation = relation.shaped_by(one.value.sources, IndirectType.GROUP_BY)
    made = combined((maker.value,), Transformation.AGGREGATION, call.written)
    reason = f"the columns are the values of {maker.name}, which only the data tell; select them by name"
    return Frame(FRAME, relation, extra={"index": (key.name,), REST: OpenColumns(lambda name: made, reason)})


def melt(call: Call, world: World) -> AbstractValue:
    frame, call = first_frame(call, world)
    if frame is None:
        return UnknownValue(call.written)
    given = [call.arg(0, "id_vars"), call.arg(1, "value_vars"), call.arg(2, "var_name"), call.arg(3, "value_name")]
    if any(one is not None and one != NONE and names_in(one) is None for one in given):
        return blurred(frame, call, world, f"which columns become rows is not known: {call.written}")
    kept, chosen = _names(given[0]), names_in(given[1])
    name, value = known_text(given[2]) or "variable", known_text(given[3]) or "value"
    return gathered(frame, kept, chosen, name, value, call, world)


def gathered(
    frame: Frame,
    kept: tuple[str, ...],
    chosen: tuple[str, ...] | None,
    name: str,
    value: str,
    call: Call,
    world: World,
) -> Frame:
    """Columns made into rows: their values all arrive in one column."""
    keys = tuple(RelationColumn(one, column(frame, one, call, world)) for one in kept)
    if chosen is None:
        if not has_all(frame):
            world.gap(call, "which columns become rows is not known; name them")
        taken = {one.lower() for one in kept}
        chosen = tuple(one.name for one in data_columns(frame) if one.name.lower() not in taken)
    made = union(column(frame, one, call, world) for one in chosen)
    columns = (*keys, RelationColumn(name, NOTHING), RelationColumn(value, made))
    return Frame(frame.kind, replace(frame.relation, columns=columns, open=()), extra={"index": ()})


def explode(call: Call, world: World) -> AbstractValue:
    frame, names = call.frame, names_in(call.arg(0, "column"))
    if names is None:
        world.gap(call, f"which column is made into rows is not known: it is {what_is(call.arg(0, 'column'))}")
        return frame
    return exploded(frame, names, call, world)


def exploded(frame: Frame, names: tuple[str, ...], call: Call, world: World) -> Frame:
    wanted = {name.lower() for name in names}
    columns = [
        replace(one, value=_each(one.value, call)) if one.name.lower() in wanted else one
        for one in frame.relation.columns
    ]
    known = {one.name.lower() for one in frame.relation.columns}
    columns += [
        RelationColumn(name, _each(column(frame, name, call, world), call))
        for name in names
        if name.lower() not in known
    ]
    relation = frame.relation
    without = relation.without | (wanted if relation.open else frozenset())
    return Frame(frame.kind, replace(relation, columns=tuple(columns), without=without), extra=frame.extra)


def _each(value: ColumnValue, call: Call) -> ColumnValue:
    return combined((value,), Transformation.GENERATOR, call.written)


def get_dummies(call: Call, world: World) -> AbstractValue:
    """One column for each value: their names are in the data."""
    data = call.arg(0, "data")
    if not isinstance(data, Frame):
        return UnknownValue(call.written)
    frame = as_frame(data)
    names = names_in(call.named.get("columns"))
    if names is None:
        names = tuple(one.name for one in data_columns(frame)) if is_series(data) else ()
    parts = [column(frame, name, call, world) for name in names] or list(values(frame.relation))
    made = opaque(parts, call.written)
    shown = ", ".join(names) or "the text columns"
    reason = f"the columns are the values of {shown}, which only the data tell; select them by name"
    relation = without_columns(frame.relation, names)
    return Frame(FRAME, relation, extra={**frame.extra, REST: OpenColumns(lambda name: made, reason)})


def unstack(call: Call, world: World) -> AbstractValue:
    """The last level of the index becomes columns."""
    frame = as_frame(call.frame)
    index = frame.extra.get("index", ())
    if not isinstance(index, tuple) or not index:
        return blurred(frame, call, world, "what unstack makes is not known: the index has no names")
    across = known_text(call.arg(0, "level")) or index[-1]
    rest = tuple(name for name in index if name != across)
    within = tuple(one.name for one in data_columns(frame))
    return spread(frame, rest, (across,), within, call, world, aggregates=False)

"""Reshaping of polars frames: explode, unnest, pivot, unpivot."""

from __future__ import annotations

from dataclasses import replace

from forge.lineage.extract.flatten import field_of
from forge.lineage.extract.python.frame_columns import REST, OpenColumns, blurred, column
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.reshape import exploded, gathered, spread
from forge.lineage.extract.python.polars.expr import FRAME, listed
from forge.lineage.extract.python.polars.frame import copied
from forge.lineage.extract.python.values import AbstractValue, Expr, Frame, UnknownValue, names_in
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.sql.context import type_of_value
from forge.lineage.extract.sql.nested_type import nested_of
from forge.lineage.extract.value import ColumnValue


def explode(call: Call, world: World) -> AbstractValue:
    frame = call.frame
    names: list[str] = []
    for one in listed([*call.args, *([call.named["columns"]] if "columns" in call.named else [])], call, world):
        names += [column_.name for column_ in one.make(frame).columns]
    return exploded(frame, tuple(names), call, world)


def unnest(call: Call, world: World) -> AbstractValue:
    """The fields of a struct become columns."""
    frame = call.frame
    names = [name for one in call.args for name in names_in(one) or ()]
    if any(names_in(one) is None and not isinstance(one, Expr) for one in call.args):
        return blurred(frame, call, world, f"which structs are opened is not known: {call.written}")
    names += [one.name for thing in call.args if isinstance(thing, Expr) for one in thing.make(frame).columns]
    columns: list[RelationColumn] = []
    rests: list[ColumnValue] = []
    for one in frame.relation.columns:
        if one.name not in names:
            columns.append(one)
            continue
        fields = list(one.value.members) or _fields(one.value, world)
        columns += [RelationColumn(field, field_of(one.value, field)) for field in fields]
        rests += [] if fields else [one.value]
    made = copied(frame, replace(frame.relation, columns=tuple(columns)))
    loose = [name for name in names if not frame.relation.find(name)]
    rests += [column(frame, name, call, world) for name in loose]
    if not rests:
        return made
    reason = f"the fields of {', '.join(names)} are not known; select them by name"
    return Frame(
        FRAME, made.relation, extra={**made.extra, REST: OpenColumns(lambda name: field_of(rests[0], name), reason)}
    )


def _fields(value: ColumnValue, world: World) -> list[str]:
    nested = nested_of(type_of_value(value, world.here()))
    return [name for name, _ in nested.fields]


def pivot(call: Call, world: World) -> AbstractValue:
    """The columns are known only from data."""
    frame = call.frame
    across = _picked(frame, call.named.get("on") or call.named.get("columns") or call.arg(0), call, world)
    index = _picked(frame, call.named.get("index"), call, world)
    within = _picked(frame, call.named.get("values"), call, world)
    taken = {*across, *index, *within}
    if not index:
        index = tuple(one.name for one in frame.relation.columns if one.name not in taken)
    elif not within:
        within = tuple(one.name for one in frame.relation.columns if one.name not in taken)
    known = call.named.get("aggregate_function") or call.arg(99, "aggregate_function")
    return spread(frame, index, across, within, call, world, aggregates=known is not None, kind=FRAME)


def _picked(frame: Frame, thing: AbstractValue | None, call: Call, world: World) -> tuple[str, ...]:
    if thing is None:
        return ()
    return tuple(one.name for part in listed([thing], call, world) for one in part.make(frame).columns)


def unpivot(call: Call, world: World) -> AbstractValue:
    frame = call.frame
    old = call.name == "melt"
    if any(isinstance(one, UnknownValue) for one in (*call.args, *call.named.values())):
        return blurred(frame, call, world, f"which columns become rows is not known: {call.written}")
    on = call.named.get("value_vars" if old else "on") or (call.args[0] if call.args and not old else None)
    index = call.named.get("id_vars" if old else "index") or (call.args[0] if call.args and old else None)
    name = call.text(99, "variable_name") or "variable"
    value = call.text(99, "value_name") or "value"
    chosen = _picked(frame, on, call, world) if on is not None else None
    return gathered(frame, _picked(frame, index, call, world), chosen, name, value, call, world)

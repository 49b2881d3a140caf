"""Joins the abstract values of the branches of a program."""

from __future__ import annotations

from dataclasses import replace

from forge.lineage.extract.python.cells import doubted
from forge.lineage.extract.python.values import (
    NONE,
    AbstractValue,
    Cells,
    Const,
    DictOf,
    Expr,
    Frame,
    Key,
    ListOf,
    Text,
    UnionValue,
    UnknownValue,
)
from forge.lineage.extract.python.world import Changes, Mutable, State, World, set_state, state_of
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.value import ColumnValue, SourceTrace, add
from forge.model.names import ColumnName

MOST = 6  # options of one value that are followed


def either(one: AbstractValue, other: AbstractValue, world: World) -> AbstractValue:
    if one is other or (isinstance(one, Text | Const) and one == other):
        return one
    if isinstance(one, Frame) and isinstance(other, Frame) and one.kind == other.kind:
        return either_frame(one, other, world)
    for this, that in ((one, other), (other, one)):
        if this == NONE or isinstance(this, UnknownValue):
            return perhaps(that)
    if isinstance(one, ListOf) and isinstance(other, ListOf) and one.form == other.form:
        return either_list(one, other, world)
    if isinstance(one, DictOf) and isinstance(other, DictOf):
        return DictOf(either_items(one.items, other.items, world), one.open or other.open)
    return UnionValue(tuple(options(one) + options(other))[:MOST])


def options(thing: AbstractValue) -> tuple[AbstractValue, ...]:
    return thing.options if isinstance(thing, UnionValue) else (thing,)


def perhaps(thing: AbstractValue) -> AbstractValue:
    """A value that only one of the branches gives."""
    if isinstance(thing, Frame):
        relation = thing.relation
        columns = tuple(replace(column, value=doubted(column.value)) for column in relation.columns)
        return replace(thing, relation=relation.with_columns(columns))
    if isinstance(thing, Expr):
        inner = thing.make

        def make(frame: Frame) -> Cells:
            cells = inner(frame)
            return replace(cells, columns=tuple(replace(one, value=doubted(one.value)) for one in cells.columns))

        return replace(thing, make=make)
    return thing


def either_list(one: ListOf, other: ListOf, world: World) -> ListOf:
    short, long = (one, other) if len(one.items) <= len(other.items) else (other, one)
    items = [either(a, b, world) for a, b in zip(short.items, long.items, strict=False)]
    items += [perhaps(item) for item in long.items[len(short.items) :]]
    return ListOf(items, one.form, one.open or other.open)


def either_items(
    one: dict[Key, AbstractValue], other: dict[Key, AbstractValue], world: World
) -> dict[Key, AbstractValue]:
    found: dict[Key, AbstractValue] = {}
    for key in dict.fromkeys((*one, *other)):
        if key in one and key in other:
            found[key] = either(one[key], other[key], world)
        else:
            found[key] = perhaps(one[key] if key in one else other[key])
    return found


def either_frame(one: Frame, other: Frame, world: World) -> Frame:
    relation = either_relation(one.relation, other.relation, world)
    return Frame(one.kind, relation, {**one.aliases, **other.aliases}, {**other.extra, **one.extra})


def either_relation(one: Relation, other: Relation, world: World) -> Relation:
    names: dict[str, str] = {}
    for column in (*one.columns, *other.columns):
        names.setdefault(column.name.lower(), column.name)
    columns = []
    for name in names.values():
        ours, theirs = one.value(name), other.value(name)
        if ours is not None and theirs is not None:
            columns.append(RelationColumn(name, either_value(ours, theirs, world)))
        elif (present := ours if ours is not None else theirs) is not None:
            columns.append(RelationColumn(name, doubted(present)))
    return Relation(
        tuple(columns),
        tuple(dict.fromkeys((*one.open, *other.open))),
        one.without & other.without,
        one.shaped | other.shaped,
        one.reads | other.reads,
    )


def either_value(one: ColumnValue, other: ColumnValue, world: World) -> ColumnValue:
    """What both branches read from the same tables keeps its confidence."""
    if one is other:
        return one
    found: dict[ColumnName, SourceTrace] = {}
    for value, counterpart in ((one, other), (other, one)):
        elsewhere = world.tables_of(counterpart)
        for source, trace in value.sources.items():
            sure = world.tables_of(ColumnValue({source: trace})) <= elsewhere
            add(
                found,
                source,
                trace
                if sure
                else replace(trace, confidence=doubted(ColumnValue({source: trace})).sources[source].confidence),
            )
    return ColumnValue(found)


def merge_changes(world: World, first: Changes | None, second: Changes | None) -> None:
    """Sets everything that changed in one of two branches to what it may be after both. None: that branch is left for
    good (return, raise), so what it did does not matter here."""
    for key in dict.fromkeys((*(first or ()), *(second or ()))):
        thing = (first or {}).get(key, (second or {}).get(key))
        assert thing is not None
        now = state_of(thing[0])
        one = first[key][1] if first is not None and key in first else now
        two = second[key][1] if second is not None and key in second else now
        world.change(thing[0])
        if first is None or second is None:
            set_state(thing[0], two if first is None else one)
        else:
            set_state(thing[0], merged_state(thing[0], one, two, world))


def merged_state(thing: Mutable, one: State, two: State, world: World) -> State:
    match one, two:
        case (Relation() as a,), (Relation() as b,):
            return (either_relation(a, b, world),) if a is not b else (a,)
        case (list() as a, bool() as ao), (list() as b, bool() as bo):
            merged = either_list(ListOf(a, "list", ao), ListOf(b, "list", bo), world)
            return (merged.items, merged.open)
        case (dict() as a, bool() as ao), (dict() as b, bool() as bo):
            return (either_items(a, b, world), ao or bo)
        case (dict() as a,), (dict() as b,):
            return (either_items(a, b, world),)
    return one

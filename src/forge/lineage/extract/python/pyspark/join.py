"""Joins of PySpark."""

from __future__ import annotations

from dataclasses import replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined, shaped_by
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pyspark.column import expr_of, named_column
from forge.lineage.extract.python.values import AbstractValue, Const, Expr, Frame, ListOf, names_in, what_is
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn, joined

_ONLY_LEFT = {"semi", "leftsemi", "anti", "leftanti"}
_RIGHT = {"right", "rightouter"}
_FULL = {"full", "outer", "fullouter"}


def join(call: Call, world: World) -> AbstractValue:
    left, right = call.frame, call.arg(0, "other")
    if not isinstance(right, Frame):
        world.gap(call, f"the other side of the join is not known: {what_is(right)}")
        return left
    how = (call.text(2, "how") or "inner").lower().replace("_", "")
    on = call.arg(1, "on")
    names = names_in(on)
    if names is not None and names:
        return _using(left, right, names, how, call, world)
    both = _product(left, right)
    relation = both.relation
    for condition in _conditions(on, call, world):
        relation = shaped_by(relation, [condition.make(both)], IndirectType.JOIN)
    if how in _ONLY_LEFT:
        return _only_left(left, relation)
    return replace_relation(both, relation)


def cross_join(call: Call, world: World) -> AbstractValue:
    right = call.arg(0, "other")
    if not isinstance(right, Frame):
        world.gap(call, f"the other side of the join is not known: {what_is(right)}")
        return call.frame
    return _product(call.frame, right)


def _conditions(on: AbstractValue | None, call: Call, world: World) -> list[Expr]:
    if on is None or on == Const(None):
        return []
    if isinstance(on, ListOf):
        return [expr_of(one, call, world) for one in on.items]
    return [expr_of(on, call, world)]


def replace_relation(frame: Frame, relation: Relation) -> Frame:
    return Frame(frame.kind, relation, frame.aliases, frame.extra)


def _product(left: Frame, right: Frame) -> Frame:
    relation = joined(left.relation, right.relation)
    if left.relation.open and not right.relation.open:
        relation = replace(relation, without=left.relation.without)
    elif right.relation.open and not left.relation.open:
        relation = replace(relation, without=right.relation.without)
    elif left.relation.open and right.relation.open:
        # A name that only one of them cannot have may still come from the other.
        relation = replace(relation, without=left.relation.without & right.relation.without)
    return Frame(left.kind, relation, {**left.aliases, **right.aliases})


def _only_left(left: Frame, relation: Relation) -> Frame:
    kept = replace(left.relation, shaped=relation.shaped, reads=relation.reads)
    return replace_relation(left, kept)


def _using(left: Frame, right: Frame, names: tuple[str, ...], how: str, call: Call, world: World) -> Frame:
    """One column for each name, before all others."""
    both = _product(left, right)
    relation, keys = both.relation, []
    for name in names:
        one, other = (named_column(name, call, world).make(side) for side in (left, right))
        relation = shaped_by(relation, [one, other], IndirectType.JOIN)
        mine, theirs = one.columns[0], other.columns[0]
        if how in _FULL:
            text = f"coalesce({name}, {name})"
            value = combined([mine.value, theirs.value], Transformation.CONDITIONAL, text)
        else:
            value = theirs.value if how in _RIGHT else mine.value
        keys.append(RelationColumn(mine.name, value, theirs.owner if how in _RIGHT else mine.owner))
    if how in _ONLY_LEFT:
        return _only_left(left, relation)
    gone = {name.lower() for name in names}
    rest = tuple(column for column in relation.columns if column.name.lower() not in gone)
    relation = replace(relation, columns=(*keys, *rest), without=relation.without | gone)
    return replace_relation(both, relation)

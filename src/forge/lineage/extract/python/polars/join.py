"""Joins of polars frames: join, join_asof, concat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined, shaped_by, values_of
from forge.lineage.extract.python.frame_columns import REST, rest_of
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.join import stacked_frames
from forge.lineage.extract.python.polars.expr import FRAME, listed
from forge.lineage.extract.python.polars.frame import copied
from forge.lineage.extract.python.values import AbstractValue, Cells, Expr, Frame, ListOf, known_text, truth_of, what_is
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn, joined
from forge.lineage.extract.value import ColumnValue


@dataclass(frozen=True, slots=True, eq=False)
class PolarsJoinKey:
    """`left`, `right`: column names, where the keys are plain columns."""

    left: str
    right: str
    left_cells: Cells
    right_cells: Cells


def join(call: Call, world: World) -> AbstractValue:
    left, right = call.frame, call.arg(0, "other")
    if not isinstance(right, Frame):
        world.gap(call, f"the frame on the right is not known: it is {what_is(right)}")
        return left
    asof = call.name == "join_asof"
    how = "left" if asof else call.text(2, "how") or "inner"
    keys = () if how == "cross" else _keys(left, right, call, world, asof)
    if how in {"semi", "anti"}:
        relation = replace(left.relation, reads=left.relation.reads | right.relation.reads)
        relation = replace(relation, shaped=relation.shaped | right.relation.shaped)
        return copied(left, _matched(relation, keys))
    suffix = call.text(99, "suffix")
    together = truth_of(call.named.get("coalesce"))
    return _together(left, right, keys, how, "_right" if suffix is None else suffix, together, call)


def _keys(left: Frame, right: Frame, call: Call, world: World, asof: bool) -> tuple[PolarsJoinKey, ...]:
    on = [] if asof else _list(call.arg(1, "on"))
    on += _list(call.named.get("on")) if asof else []
    on += _list(call.named.get("by")) if asof else []
    ours = [*on, *_list(call.arg(99, "left_on")), *_list(call.named.get("by_left"))]
    theirs = [*on, *_list(call.arg(99, "right_on")), *_list(call.named.get("by_right"))]
    lefts, rights = listed(ours, call, world), listed(theirs, call, world)
    found: list[PolarsJoinKey] = []
    for one, other, mine, its in zip(lefts, rights, ours, theirs, strict=False):
        found.append(
            PolarsJoinKey(_plain(mine, one, left), _plain(its, other, right), one.make(left), other.make(right))
        )
    return tuple(found)


def _list(thing: AbstractValue | None) -> list[AbstractValue]:
    if thing is None:
        return []
    return list(thing.items) if isinstance(thing, ListOf) else [thing]


def _plain(thing: AbstractValue, made: Expr, frame: Frame) -> str:
    """The name of a key that is a column as it is."""
    name = known_text(thing)
    if name is not None:
        return name
    columns = made.make(frame).columns
    return columns[0].name if len(columns) == 1 and made.text == columns[0].name else ""


def _matched(relation: Relation, keys: Sequence[PolarsJoinKey]) -> Relation:
    for key in keys:
        relation = shaped_by(relation, (key.left_cells, key.right_cells), IndirectType.JOIN)
    return relation


def _together(
    left: Frame, right: Frame, keys: Sequence[PolarsJoinKey], how: str, suffix: str, coalesce: bool | None, call: Call
) -> Frame:
    """Keys of the right side go, unless both are wanted; other names that are there already get the suffix."""
    both = coalesce is False or (how in {"full", "outer"} and not coalesce)
    flipped = how == "right" and not both
    gone_right = set() if both or flipped else {key.right for key in keys}
    gone_left = {key.left for key in keys} if flipped else set()
    merged = {key.left: key for key in keys} if how in {"full", "outer", "outer_coalesce"} and not both else {}
    columns = [
        RelationColumn(one.name, _either(merged[one.name], call)) if one.name in merged else replace(one, owner="")
        for one in left.relation.columns
        if one.name not in gone_left
    ]
    here = {one.name for one in columns}
    for name, key in _unlisted(left, keys):
        if name not in here and name not in gone_left:
            columns.append(RelationColumn(name, values_of((key.left_cells,))[0]))
            here.add(name)
    for one in right.relation.columns:
        if one.name not in gone_right:
            name = one.name + suffix if one.name in here else one.name
            columns.append(replace(one, name=name, owner=""))
    relation = _matched(joined(left.relation, right.relation), keys)
    relation = replace(relation, columns=tuple(columns))
    rest = rest_of(left) or rest_of(right)
    return Frame(FRAME, relation, extra={REST: rest} if rest is not None else {})


def _unlisted(left: Frame, keys: Sequence[PolarsJoinKey]) -> list[tuple[str, PolarsJoinKey]]:
    """Keys of a frame whose columns are not known are known now."""
    known = {one.name for one in left.relation.columns}
    return [(key.left, key) for key in keys if key.left and key.left not in known and left.relation.open]


def _either(key: PolarsJoinKey, call: Call) -> ColumnValue:
    return combined(values_of((key.left_cells, key.right_cells)), Transformation.CONDITIONAL, call.written)


def concat(call: Call, world: World) -> AbstractValue:
    """`pl.concat([a, b], how=…)`."""
    given = call.arg(0, "items")
    things = list(given.items) if isinstance(given, ListOf) else []
    frames = [one for one in things if isinstance(one, Frame)]
    if not isinstance(given, ListOf) or given.open or len(frames) < len(things):
        world.gap(call, "not all frames that are put together here are known")
    if not frames:
        return Frame(FRAME, world.lost(call, "frames"))
    how = call.text(99, "how") or "vertical"
    return _concat_columns(frames) if how == "horizontal" else stacked_frames(frames, FRAME)


def _concat_columns(frames: Sequence[Frame]) -> Frame:
    relation = frames[0].relation
    for one in frames[1:]:
        relation = joined(relation, one.relation)
    return Frame(FRAME, relation)


def stack(call: Call, world: World) -> AbstractValue:
    """`a.vstack(b)`, `a.extend(b)`, `a.hstack(b)`."""
    other = call.arg(0, "other")
    if call.name == "hstack":
        frames = [one for one in _list(call.arg(0, "columns")) if isinstance(one, Frame)]
        series = [one.make(call.frame) for one in _list(call.arg(0, "columns")) if isinstance(one, Expr)]
        made = _concat_columns([call.frame, *frames])
        columns = (*made.relation.columns, *(column for cells in series for column in cells.columns))
        return copied(made, made.relation.with_columns(columns))
    if not isinstance(other, Frame):
        world.gap(call, f"the frame that is put below is not known: it is {what_is(other)}")
        return call.frame
    made = stacked_frames([call.frame, other], FRAME)
    if call.name == "extend":
        world.update(call.frame, made.relation)
        return call.frame
    return made

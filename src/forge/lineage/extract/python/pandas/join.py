"""Joins of pandas frames: merge, join, concat."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined
from forge.lineage.extract.python.frame_columns import REST, OpenColumns, column, column_value, rest_of
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.series import (
    FRAME,
    as_frame,
    data_columns,
    index_of,
    name_of,
    value_in,
)
from forge.lineage.extract.python.values import (
    AbstractValue,
    DictOf,
    Frame,
    ListOf,
    UnknownValue,
    items_of,
    known_text,
    names_in,
    number_in,
    truth_of,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn, joined, stacked_by_name
from forge.lineage.extract.value import ColumnValue, union


@dataclass(frozen=True, slots=True, eq=False)
class PandasJoinKey:
    """One pair of join keys. `left` and `right`: column names, if they are columns."""

    left: str
    right: str
    left_value: ColumnValue
    right_value: ColumnValue


def merge(call: Call, world: World) -> AbstractValue:
    """`left.merge(right, …)`."""
    return _merge(call.frame, call.arg(0, "right"), replace(call, args=call.args[1:]), world)


def merge_function(call: Call, world: World) -> AbstractValue:
    """`pd.merge(left, right, …)`."""
    left = call.arg(0, "left")
    if not isinstance(left, Frame):
        world.gap(call, f"the frame on the left is not known: it is {what_is(left)}")
        return UnknownValue(call.written)
    right = call.arg(1, "right")
    return _merge(left, right, replace(call, args=call.args[2:]), world)


def _merge(left: Frame, right: AbstractValue | None, call: Call, world: World) -> AbstractValue:
    """What is left of the arguments starts with `how`."""
    left = as_frame(left)
    if not isinstance(right, Frame):
        world.gap(call, f"the frame on the right is not known: it is {what_is(right)}")
        return left
    right = as_frame(right)
    how = call.text(0, "how") or ("left" if call.name == "merge_asof" else "inner")
    keys = () if how == "cross" else _keys(left, right, call, world)
    suffixes = names_in(call.arg(7, "suffixes")) or _suffixes(call)
    return joined_frame(left, right, keys, how, suffixes, call)


def _suffixes(call: Call) -> tuple[str, ...]:
    """`suffixes=(None, "_y")` has a None in it."""
    given = items_of(call.arg(7, "suffixes"))
    return ("_x", "_y") if given is None else tuple(known_text(one) or "" for one in given)


def _keys(left: Frame, right: Frame, call: Call, world: World) -> tuple[PandasJoinKey, ...]:
    shared = call.named.get("by") if call.name == "merge_asof" else None
    on = [*_list(call.arg(1, "on")), *_list(shared)]
    if on:
        return _paired(left, right, on, on, call, world)
    ours, theirs = _list(call.arg(2, "left_on")), _list(call.arg(3, "right_on"))
    lefts = _index_keys(left) if truth_of(call.arg(4, "left_index")) else ours
    rights = _index_keys(right) if truth_of(call.arg(5, "right_index")) else theirs
    if lefts or rights:
        return _paired(left, right, lefts, rights, call, world)
    if truth_of(call.arg(4, "left_index")) or truth_of(call.arg(5, "right_index")):
        return ()
    names = {one.name.lower() for one in data_columns(right)}
    both = [one.name for one in data_columns(left) if one.name.lower() in names]
    if left.relation.open or right.relation.open:
        world.gap(call, "the columns that both frames have are not known; name them with on=")
    return _paired(left, right, both, both, call, world)


def _list(thing: AbstractValue | None) -> list[object]:
    """Names, or series."""
    if isinstance(thing, Frame):
        return [thing]
    items = items_of(thing) if isinstance(thing, ListOf) else (thing,) if thing is not None else ()
    return [known_text(one) if known_text(one) is not None else one for one in items or () if one is not None]


def _index_keys(frame: Frame) -> list[object]:
    return list(index_of(frame))


def _paired(
    left: Frame, right: Frame, lefts: Sequence[object], rights: Sequence[object], call: Call, world: World
) -> tuple[PandasJoinKey, ...]:
    found = []
    for place in range(max(len(lefts), len(rights))):
        ours, left_value = _side(left, lefts[place] if place < len(lefts) else "", call, world)
        theirs, right_value = _side(right, rights[place] if place < len(rights) else "", call, world)
        found.append(PandasJoinKey(ours, theirs, left_value, right_value))
    return tuple(found)


def _side(frame: Frame, key: object, call: Call, world: World) -> tuple[str, ColumnValue]:
    if isinstance(key, str):
        return (key, column(frame, key, call, world)) if key else ("", ColumnValue())
    return ("", value_in(key)) if isinstance(key, Frame) else ("", ColumnValue())


def joined_frame(
    left: Frame, right: Frame, keys: Sequence[PandasJoinKey], how: str, suffixes: Sequence[str], call: Call
) -> Frame:
    """Left columns, then right ones; keys of the same name only once; other names that both have get suffixes."""
    same = {key.left.lower(): key for key in keys if key.left and key.left.lower() == key.right.lower()}
    left_names = {one.name.lower() for one in left.relation.columns} - set(same)
    right_names = {one.name.lower() for one in right.relation.columns} - set(same)
    clash = left_names & right_names
    columns: list[RelationColumn] = []
    for one in left.relation.columns:
        key = same.get(one.name.lower())
        if key is not None:
            columns.append(RelationColumn(one.name, _key_value(key, how, call)))
        else:
            columns.append(_suffixed(one, clash, suffixes[0]))
    known = {one.name.lower() for one in left.relation.columns}
    columns += [RelationColumn(key.left, _key_value(key, how, call)) for name, key in same.items() if name not in known]
    columns += [_suffixed(one, clash, suffixes[1]) for one in right.relation.columns if one.name.lower() not in same]
    relation = _matched(joined(left.relation, right.relation), keys)
    without = frozenset(key.right.lower() for key in keys if key.left.lower() == key.right.lower() and key.right)
    index = index_of(left) if not index_of(right) or how != "right" else index_of(right)
    kept = tuple(name for name in index if any(one.name == name for one in columns))
    relation = replace(
        relation, columns=tuple(columns), without=relation.without | (without if relation.open else frozenset())
    )
    return Frame(FRAME, relation, extra={"index": kept, **_rests(left, right)})


def _rests(left: Frame, right: Frame) -> dict[str, object]:
    rests = [one for one in (rest_of(left), rest_of(right)) if one is not None]
    return {REST: rests[0]} if rests else {}


def _matched(relation: Relation, keys: Sequence[PandasJoinKey]) -> Relation:
    for key in keys:
        relation = relation.shaped_by(key.left_value.sources, IndirectType.JOIN)
        relation = relation.shaped_by(key.right_value.sources, IndirectType.JOIN)
    return relation


def _key_value(key: PandasJoinKey, how: str, call: Call) -> ColumnValue:
    if how == "right":
        return key.right_value
    if how in {"outer", "full"}:
        return combined((key.left_value, key.right_value), Transformation.CONDITIONAL, call.written)
    return key.left_value


def _suffixed(one: RelationColumn, clash: set[str], suffix: str) -> RelationColumn:
    return replace(one, name=one.name + suffix, owner="") if one.name.lower() in clash else replace(one, owner="")


def join(call: Call, world: World) -> AbstractValue:
    """`left.join(right, on=…)`: by the index of the right side."""
    left, other = call.frame, call.arg(0, "other")
    how = call.text(2, "how") or "left"
    suffixes = (call.text(3, "lsuffix") or "", call.text(4, "rsuffix") or "")
    others = items_of(other) if isinstance(other, ListOf) else (other,)
    for one in others or ():
        if not isinstance(one, Frame):
            world.gap(call, f"the frame on the right is not known: it is {what_is(one)}")
            continue
        right = as_frame(one)
        ours = _list(call.arg(1, "on")) or _index_keys(left)
        keys = _paired(left, right, ours, _index_keys(right), call, world)
        gone = {name.lower() for name in index_of(right)}
        joined_ = joined_frame(left, _without_index(right, gone), _named_apart(keys), how, suffixes, call)
        left = joined_
    return left


def _without_index(frame: Frame, gone: set[str]) -> Frame:
    relation = frame.relation
    kept = tuple(one for one in relation.columns if one.name.lower() not in gone)
    return Frame(FRAME, replace(relation, columns=kept), extra={**frame.extra, "index": ()})


def _named_apart(keys: Sequence[PandasJoinKey]) -> list[PandasJoinKey]:
    """The index of the right side does not become a column."""
    return [replace(key, right="") for key in keys]


def concat(call: Call, world: World) -> AbstractValue:
    """`pd.concat([a, b])`: by row, matched by name, or by column."""
    given = call.arg(0, "objs")
    things = list(given.items.values()) if isinstance(given, DictOf) else list(items_of(given) or ())
    frames = [one for one in things if isinstance(one, Frame)]
    unknown = items_of(given) is None or len(frames) < len(things)
    if unknown:
        world.gap(call, "not all frames that are put together here are known")
    if not frames:
        return Frame(FRAME, world.lost(call, "frames"))
    axis = call.arg(1, "axis")
    if number_in(axis) == 1 or known_text(axis) == "columns":
        return _concat_columns(frames)
    if all(one.kind != FRAME for one in frames):
        return _series_stacked(frames)
    return stacked_frames([as_frame(one) for one in frames], FRAME)


def _concat_columns(frames: Sequence[Frame]) -> Frame:
    whole = [as_frame(one) for one in frames]
    relation = whole[0].relation
    for one in whole[1:]:
        taken = {name.lower() for name in index_of(one)}
        other = one.relation
        other = other.with_columns(column for column in other.columns if column.name.lower() not in taken)
        relation = joined(relation, other)
    return Frame(FRAME, relation, extra={"index": index_of(whole[0])})


def _series_stacked(frames: Sequence[Frame]) -> Frame:
    name = name_of(frames[0])
    relation = stacked_by_name([as_frame(one, name).relation for one in frames])
    return Frame(frames[0].kind, relation, extra={"name": name, "index": index_of(frames[0])})


def stacked_frames(frames: Sequence[Frame], kind: str) -> Frame:
    relation = stacked_by_name([one.relation for one in frames])
    index = next((index_of(one) for one in frames if index_of(one)), ())
    extra: dict[str, object] = {"index": index}
    if any(one.relation.open or rest_of(one) for one in frames):

        def value(name: str) -> ColumnValue | None:
            found = [value for one in frames if (value := column_value(one, name)) is not None]
            return union(found) if found else None

        extra[REST] = OpenColumns(value)
    return Frame(kind, relation, extra=extra)

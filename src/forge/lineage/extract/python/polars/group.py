"""Group-by of polars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import (
    combined,
    shaped_by,
)
from forge.lineage.extract.python.frame_columns import REST, OpenColumns, blurred, column_value, has_all
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.polars.expr import FRAME, given, listed
from forge.lineage.extract.python.polars.frame import copied, made_of
from forge.lineage.extract.python.values import AbstractValue, Cells, Frame, LibraryValue, UnknownValue, list_of
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import RelationColumn
from forge.lineage.extract.value import NOTHING, ColumnValue
from forge.model.word_list import words

GROUPED = "polars.groupby"


@dataclass(frozen=True, slots=True, eq=False)
class PolarsGroups(LibraryValue):
    frame: Frame
    keys: tuple[Cells, ...]
    kind: str = GROUPED


def group_by(call: Call, world: World) -> AbstractValue:
    but = words("maintain_order every period offset closed label include_boundaries start_by index_column")
    by = given(call, world, but=(*but, "group_by", "by"))
    for name in ("index_column", "by", "group_by"):
        by += listed([call.named[name]], call, world) if name in call.named else []
    return PolarsGroups(call.frame, tuple(one.make(call.frame) for one in by))


def grouped(group: PolarsGroups, cells: Sequence[Cells], text_: str, *, aggregated: bool = False) -> Frame:
    """One row for each group."""
    made = [replace(cell, columns=tuple(_aggregate(one, text_) for one in cell.columns)) for cell in cells]
    frame = made_of(group.frame, (*group.keys, *(cells if aggregated else made)))
    return copied(frame, shaped_by(frame.relation, group.keys, IndirectType.GROUP_BY))


def _aggregate(one: RelationColumn, text_: str) -> RelationColumn:
    """What is not aggregated becomes a list of all values of the group."""
    done = all(trace.transformation is Transformation.AGGREGATION for trace in one.value.sources.values())
    return one if done else RelationColumn(one.name, combined((one.value,), Transformation.AGGREGATION, text_))


def agg(call: Call, world: World) -> AbstractValue:
    group = call.receiver(PolarsGroups)
    return grouped(group, [one.make(group.frame) for one in given(call, world)], call.written)


def _others(group: PolarsGroups) -> list[RelationColumn]:
    keys = {one.name for cell in group.keys for one in cell.columns}
    return [one for one in group.frame.relation.columns if one.name not in keys]


def aggregate_all(call: Call, world: World) -> AbstractValue:
    group = call.receiver(PolarsGroups)
    columns = tuple(_aggregate(one, call.written) for one in _others(group))
    made = grouped(group, [Cells(columns)], call.written)
    if has_all(group.frame):
        return made
    inner = group.frame

    def value(name: str) -> ColumnValue | None:
        found = column_value(inner, name)
        return None if found is None else combined((found,), Transformation.AGGREGATION, call.written)

    tables = " and ".join(inner.relation.open) or "a frame"
    reason = f"the columns of {tables} are not known, so not all aggregates can be told; give them with --schema"
    return Frame(FRAME, made.relation, extra={**made.extra, REST: OpenColumns(value, reason)})


def group_size(call: Call, world: World) -> AbstractValue:
    name = call.text(0, "name") or ("count" if call.name == "count" else "len")
    return grouped(call.receiver(PolarsGroups), [Cells((RelationColumn(name, NOTHING),))], call.written)


def group_rows(call: Call, world: World) -> AbstractValue:
    """`head`, `tail`: rows as they are."""
    group = call.receiver(PolarsGroups)
    return copied(group.frame, shaped_by(group.frame.relation, group.keys, IndirectType.GROUP_BY))


def group_opaque(call: Call, world: World) -> AbstractValue:
    return blurred(call.receiver(PolarsGroups).frame, call, world, f"what {call.name} does with a group cannot be read")


def group_iterate(call: Call, world: World) -> AbstractValue:
    group = call.receiver(PolarsGroups)
    return list_of([list_of([UnknownValue("key"), copied(group.frame)], "tuple")])

"""Groups of polars frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forge.lineage.edge import Indirect, Transformation
from forge.lineage.extract.python.cells import (
    combined,
    shaped_by,
)
from forge.lineage.extract.python.held import REST, Rest, blurred, has_all, held
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.polars.expr import FRAME, given, listed
from forge.lineage.extract.python.polars.frame import copied, made_of
from forge.lineage.extract.python.reading import World
from forge.lineage.extract.python.values import (
    Cells,
    Frame,
    Modelled,
    Thing,
    Unknown,
    list_of,
)
from forge.lineage.extract.relation import Column
from forge.lineage.extract.value import NOTHING, Value

GROUPED = "polars.groupby"


@dataclass(frozen=True, slots=True, eq=False)
class Grouped(Modelled):
    frame: Frame
    keys: tuple[Cells, ...]
    kind: str = GROUPED


def group_by(call: Call, world: World) -> Thing:
    but = (
        "maintain_order",
        "every",
        "period",
        "offset",
        "closed",
        "label",
        "include_boundaries",
        "start_by",
        "index_column",
    )
    by = given(call, world, but=(*but, "group_by", "by"))
    for name in ("index_column", "by", "group_by"):
        by += listed([call.named[name]], call, world) if name in call.named else []
    return Grouped(call.frame, tuple(one.make(call.frame) for one in by))


def grouped(group: Grouped, cells: Sequence[Cells], text_: str, *, aggregated: bool = False) -> Frame:
    """One row for each group."""
    made = [replace(cell, columns=tuple(_aggregate(one, text_) for one in cell.columns)) for cell in cells]
    frame = made_of(group.frame, (*group.keys, *(cells if aggregated else made)))
    return copied(frame, shaped_by(frame.relation, group.keys, Indirect.GROUP_BY))


def _aggregate(one: Column, text_: str) -> Column:
    """What is not aggregated becomes a list of all values of the group."""
    done = all(trace.transformation is Transformation.AGGREGATION for trace in one.value.sources.values())
    return one if done else Column(one.name, combined((one.value,), Transformation.AGGREGATION, text_))


def agg(call: Call, world: World) -> Thing:
    group = call.receiver(Grouped)
    return grouped(group, [one.make(group.frame) for one in given(call, world)], call.written)


def _others(group: Grouped) -> list[Column]:
    keys = {one.name for cell in group.keys for one in cell.columns}
    return [one for one in group.frame.relation.columns if one.name not in keys]


def aggregate_all(call: Call, world: World) -> Thing:
    group = call.receiver(Grouped)
    columns = tuple(_aggregate(one, call.written) for one in _others(group))
    made = grouped(group, [Cells(columns)], call.written)
    if has_all(group.frame):
        return made
    inner = group.frame

    def value(name: str) -> Value | None:
        found = held(inner, name)
        return None if found is None else combined((found,), Transformation.AGGREGATION, call.written)

    tables = " and ".join(inner.relation.open) or "a frame"
    reason = f"the columns of {tables} are not known, so not all aggregates can be told; give them with --schema"
    return Frame(FRAME, made.relation, extra={**made.extra, REST: Rest(value, reason)})


def group_size(call: Call, world: World) -> Thing:
    name = call.text(0, "name") or ("count" if call.name == "count" else "len")
    return grouped(call.receiver(Grouped), [Cells((Column(name, NOTHING),))], call.written)


def group_rows(call: Call, world: World) -> Thing:
    """`head`, `tail`: rows as they are."""
    group = call.receiver(Grouped)
    return copied(group.frame, shaped_by(group.frame.relation, group.keys, Indirect.GROUP_BY))


def group_opaque(call: Call, world: World) -> Thing:
    return blurred(call.receiver(Grouped).frame, call, world, f"what {call.name} does with a group cannot be read")


def group_iterate(call: Call, world: World) -> Thing:
    group = call.receiver(Grouped)
    return list_of([list_of([Unknown("key"), copied(group.frame)], "tuple")])

"""groupBy, rollup, cube, pivot and agg of PySpark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import absorbing, combined, shaped_by
from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.pyspark.column import called, expr_of, exprs_of, made_of, named_column
from forge.lineage.extract.python.pyspark.opaque import opaque_rows
from forge.lineage.extract.python.pyspark.schema import NUMBERS
from forge.lineage.extract.python.values import (
    AbstractValue,
    Cells,
    DictOf,
    Expr,
    Frame,
    LibraryValue,
    items_of,
    key_of,
    known_text,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.sql.context import type_of_value
from forge.lineage.extract.value import ColumnValue

_T = Transformation


@dataclass(frozen=True, slots=True, eq=False)
class SparkGroups(LibraryValue):
    kind: str
    frame: Frame
    keys: tuple[Expr, ...] = ()
    pivot: Expr | None = None
    values: tuple[str, ...] | None = None
    other: SparkGroups | None = None  # of cogroup


def group(call: Call, world: World) -> AbstractValue:
    return SparkGroups("pyspark.grouped", call.frame, tuple(exprs_of(call.args, call, world)))


def grouping_sets(call: Call, world: World) -> AbstractValue:
    return SparkGroups("pyspark.grouped", call.frame, tuple(exprs_of(call.args[1:], call, world)))


def aggregate_all(call: Call, world: World) -> AbstractValue:
    """df.agg: one row."""
    return _aggregated(SparkGroups("pyspark.grouped", call.frame), _wanted(call, world), call, world)


def _wanted(call: Call, world: World) -> list[Expr]:
    first = call.arg(0, "exprs")
    if isinstance(first, DictOf):
        if first.open:
            world.gap(call, "not all columns of agg are known")
        found = []
        for key, one in first.items.items():
            function = known_text(one) or "agg"
            found.append(_function(function, str(key), call, world))
        return found
    return exprs_of(call.args, call, world)


def _function(function: str, column: str, call: Call, world: World) -> Expr:
    if function == "count" and column in {"*", "1"}:
        return made_of([], _T.AGGREGATION, "count(1)", lambda names: "count(1)")
    shown = {"mean": "avg"}.get(function, function)
    return made_of([named_column(column, call, world)], _T.AGGREGATION, f"{shown}({column})", called(shown))


def _count(call: Call, world: World) -> AbstractValue:
    one = made_of([], _T.AGGREGATION, "count(1)", lambda names: "count")
    return _aggregated(call.receiver(SparkGroups), [one], call, world)


def _shorthand(call: Call, world: World) -> AbstractValue:
    """groupBy(…).sum("a", "b"); without names, of all columns that are numbers."""
    grouped = call.receiver(SparkGroups)
    names = [known_text(one) for one in call.args]
    if not call.args:
        relation = grouped.frame.relation
        keys = {column.name.lower() for key in grouped.keys for column in key.make(grouped.frame).columns}
        if relation.open:
            for table in relation.open:
                world.needs(table)
            world.gap(call, f"{call.name}() is over all columns that are numbers, and they are not known")
        names = [one.name for one in relation.columns if one.name.lower() not in keys and _is_number(one, call, world)]
    wanted = [_function(call.name, name, call, world) for name in names if name is not None]
    return _aggregated(grouped, wanted, call, world)


def _is_number(column: RelationColumn, call: Call, world: World) -> bool:
    type_ = type_of_value(column.value, world.here())
    if not type_:
        world.gap(call, f"{call.name}() is over all columns that are numbers; it is not known if {column.name} is one")
    return NUMBERS.match(type_) is not None


def _aggregated(grouped: SparkGroups, wanted: Sequence[Expr], call: Call, world: World) -> Frame:
    frame = grouped.frame
    keys = [key.make(frame) for key in grouped.keys]
    made = [one.make(frame) for one in wanted]
    relation = shaped_by(frame.relation, keys, IndirectType.GROUP_BY)
    columns = [column for one in keys for column in one.columns]
    if grouped.pivot is None:
        columns += [column for one in made for column in one.columns]
    else:
        turned = grouped.pivot.make(frame)
        relation = shaped_by(relation, [turned], IndirectType.GROUP_BY)
        columns += _pivoted(grouped, turned, made, wanted, call, world)
    found = Relation(tuple(columns), (), frozenset(), relation.shaped, relation.reads)
    return Frame(frame.kind, absorbing(found, made), frame.aliases)


def _pivoted(
    grouped: SparkGroups, turned: Cells, made: Sequence[Cells], wanted: Sequence[Expr], call: Call, world: World
) -> list[RelationColumn]:
    """A column for each value; what decides into which a row goes is part of its value."""
    if grouped.values is None:
        world.gap(call, "the columns that pivot makes come from the data; give its values as the second argument")
        return []
    found = []
    aggregates = [column for one in made for column in one.columns]
    for value in grouped.values:
        for column in aggregates:
            name = value if len(aggregates) == 1 else f"{value}_{column.name}"
            decided = combined([one.value for one in turned.columns], _T.AGGREGATION, call.written)
            found.append(RelationColumn(name, ColumnValue({**decided.sources, **column.value.sources})))
    return found


def _pivot(call: Call, world: World) -> AbstractValue:
    grouped = call.receiver(SparkGroups)
    values = items_of(call.arg(1, "values"))
    names = None
    if values is not None:
        keys = [key_of(one) for one in values]
        names = tuple(str(key) for sure, key in keys if sure) if all(sure for sure, _ in keys) else None
    return replace(grouped, pivot=expr_of(call.arg(0, "pivot_col"), call, world), values=names)


def _apply(call: Call, world: World) -> AbstractValue:
    """applyInPandas and its like: Python code gets the rows of a group and gives others."""
    grouped = call.receiver(SparkGroups)
    relation = shaped_by(
        grouped.frame.relation, [key.make(grouped.frame) for key in grouped.keys], IndirectType.GROUP_BY
    )
    frames = [replace(grouped.frame, relation=relation)]
    if grouped.other is not None:
        frames.append(grouped.other.frame)
    return opaque_rows(frames, call.arg(1, "schema") or call.named.get("outputStructType"), call, world)


def _cogroup(call: Call, world: World) -> AbstractValue:
    other = call.arg(0)
    return replace(call.receiver(SparkGroups), other=other if isinstance(other, SparkGroups) else None)


GROUPED_METHODS: dict[str, Handler] = {
    "agg": lambda call, world: _aggregated(call.receiver(SparkGroups), _wanted(call, world), call, world),
    "count": _count,
    "pivot": _pivot,
    "cogroup": _cogroup,
    **methods(_shorthand, ("sum", "avg", "mean", "min", "max")),
    **methods(
        _apply, ("applyInPandas", "apply", "applyInArrow", "applyInPandasWithState", "transformWithStateInPandas")
    ),
}
FRAME_GROUPING: dict[str, Handler] = {
    "agg": aggregate_all,
    "groupingSets": grouping_sets,
    **methods(group, ("groupBy", "groupby", "rollup", "cube")),
}

"""Groups and windows of pandas: `groupby`, `resample`, `rolling`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined
from forge.lineage.extract.python.frame_columns import OpenColumns, blurred, column, column_value, rest_of, with_rest
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.pandas.series import (
    FRAME,
    SERIES,
    as_frame,
    data_columns,
    index_columns,
    name_of,
    value_in,
)
from forge.lineage.extract.python.values import (
    AbstractValue,
    DictOf,
    Frame,
    LibraryValue,
    ListOf,
    Text,
    items_of,
    known_text,
    names_in,
    truth_of,
    what_is,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn
from forge.lineage.extract.value import NOTHING, ColumnValue
from forge.model.word_list import words

GROUPED = "pandas.groupby"
ROLLING = "pandas.rolling"
GROUPER = "pandas.grouper"
AGGREGATES = frozenset(
    words(
        "sum mean min max count nunique median std var sem first last any all prod quantile mode idxmin "
        "idxmax skew kurt kurtosis mad nth agg aggregate argmax argmin product ohlc"
    )
)
WINDOWS = frozenset(words("shift diff cumsum cumprod cummax cummin pct_change rank ffill bfill interpolate fillna"))


@dataclass(frozen=True, slots=True, eq=False)
class PandasGroups(LibraryValue):
    """`keys`: the group columns. `chosen`: columns selected afterwards, `single`: as one column, not a list."""

    frame: Frame
    keys: tuple[RelationColumn, ...]
    as_index: bool = True
    chosen: tuple[str, ...] | None = None
    single: bool = False
    kind: str = GROUPED


@dataclass(frozen=True, slots=True, eq=False)
class RollingWindow(LibraryValue):
    """`frame`: a frame or a series; `keys`: of its groups."""

    frame: Frame
    keys: tuple[RelationColumn, ...] = ()
    kind: str = ROLLING


@dataclass(frozen=True, slots=True, eq=False)
class Grouper(LibraryValue):
    """`pd.Grouper(key="day", freq="D")`."""

    key: str
    kind: str = GROUPER


def grouper(call: Call, world: World) -> AbstractValue:
    return Grouper(call.text(0, "key") or "")


def group(call: Call, world: World) -> AbstractValue:
    frame, by = call.frame, call.arg(0, "by")
    as_index = truth_of(call.named.get("as_index")) is not False
    if by is None and "level" in call.named:
        return PandasGroups(frame, index_columns(frame), as_index)
    items = items_of(by) if isinstance(by, ListOf) else (by,)
    keys: list[RelationColumn] = []
    for one in items if items is not None else (by,):
        keys.extend(_key(frame, one, call, world))
    if frame.kind == SERIES:
        return PandasGroups(as_frame(frame), tuple(keys), as_index, (name_of(frame),), single=True)
    return PandasGroups(frame, tuple(keys), as_index)


def _key(frame: Frame, by: AbstractValue | None, call: Call, world: World) -> tuple[RelationColumn, ...]:
    name = known_text(by)
    if name is not None:
        return (RelationColumn(name, column(frame, name, call, world)),)
    if isinstance(by, Frame):
        return (RelationColumn(name_of(by) or "key", value_in(by)),)
    if isinstance(by, Grouper):
        value = combined((column(frame, by.key, call, world),), Transformation.TRANSFORMATION, call.written)
        return (RelationColumn(by.key, value),)
    if isinstance(by, DictOf):
        return index_columns(frame)
    world.gap(call, f"what the groups are made by is not known: it is {what_is(by)}")
    return ()


def resample(call: Call, world: World) -> AbstractValue:
    frame = call.frame
    on = call.text(99, "on")
    if on is not None:
        value = combined((column(frame, on, call, world),), Transformation.TRANSFORMATION, call.written)
        return PandasGroups(frame, (RelationColumn(on, value),))
    keys = tuple(
        replace(one, value=combined((one.value,), Transformation.TRANSFORMATION, call.written))
        for one in index_columns(frame)
    )
    return PandasGroups(frame, keys)


def grouped_item(call: Call, world: World) -> AbstractValue:
    grouped, names = call.receiver(PandasGroups), names_in(call.args[0])
    if names is None:
        return blurred(grouped.frame, call, world, f"which columns {call.written} takes is not known")
    return replace(grouped, chosen=names, single=isinstance(call.args[0], Text))


def grouped_attribute(call: Call, world: World) -> AbstractValue | None:
    grouped = call.receiver(PandasGroups)
    known = column_value(grouped.frame, call.name) is not None
    return replace(grouped, chosen=(call.name,), single=True) if known else None


def values_in(grouped: PandasGroups, call: Call, world: World) -> tuple[RelationColumn, ...]:
    """The columns that are not keys."""
    if grouped.chosen is not None:
        return tuple(RelationColumn(name, column(grouped.frame, name, call, world)) for name in grouped.chosen)
    keys = {key.name.lower() for key in grouped.keys}
    return tuple(one for one in data_columns(grouped.frame) if one.name.lower() not in keys)


def result_of(grouped: PandasGroups, columns: Iterable[RelationColumn], name: str | None = None) -> Frame:
    """One row for each group. `name`: it is a series of that column."""
    made = tuple(columns)
    names = {one.name.lower() for one in made}
    keys = tuple(key for key in grouped.keys if key.name.lower() not in names)
    relation = Relation((*keys, *made), (), frozenset(), grouped.frame.relation.shaped, grouped.frame.relation.reads)
    for key in grouped.keys:
        relation = relation.shaped_by(key.value.sources, IndirectType.GROUP_BY)
    index = tuple(key.name for key in keys) if grouped.as_index else ()
    if name is not None and grouped.as_index:
        return Frame(SERIES, relation, extra={"name": name, "index": index})
    return Frame(FRAME, relation, extra={"index": index})


def _unlisted(grouped: PandasGroups, frame: Frame, step: Transformation, text_: str) -> Frame:
    """Of a frame whose columns are not known, all are aggregated under their own names."""
    if grouped.chosen is not None or not (grouped.frame.relation.open or rest_of(grouped.frame)):
        return frame
    inner = grouped.frame

    def value(name: str) -> ColumnValue | None:
        found = column_value(inner, name)
        return None if found is None else combined((found,), step, text_)

    tables = " and ".join(inner.relation.open) or "a frame"
    reason = f"the columns of {tables} are not known, so not all aggregates can be told; give them with --schema"
    return with_rest(frame, OpenColumns(value, reason))


def aggregate(call: Call, world: World) -> AbstractValue:
    """`agg` in all its forms, and `sum`, `mean` … by themselves."""
    grouped = call.receiver(PandasGroups)
    if call.name in {"agg", "aggregate"}:
        return _agg(grouped, call, world)
    columns = tuple(_aggregated(one, call.written) for one in values_in(grouped, call, world))
    name = columns[0].name if grouped.single and columns else None
    return _unlisted(grouped, result_of(grouped, columns, name), Transformation.AGGREGATION, call.written)


def _aggregated(one: RelationColumn, written: str, name: str | None = None) -> RelationColumn:
    return RelationColumn(name or one.name, combined((one.value,), Transformation.AGGREGATION, written))


def _agg(grouped: PandasGroups, call: Call, world: World) -> AbstractValue:
    how = call.arg(0, "func")
    if how is None:
        return result_of(grouped, _named(grouped, call, world))
    if isinstance(how, DictOf):
        return _by_dict(grouped, how, call, world)
    several = items_of(how) if isinstance(how, ListOf) else None
    values = values_in(grouped, call, world)
    if several is None:
        name = values[0].name if grouped.single and values else None
        made = result_of(grouped, (_aggregated(one, call.written) for one in values), name)
        return _unlisted(grouped, made, Transformation.AGGREGATION, call.written)
    if grouped.single:
        return result_of(grouped, (_aggregated(values[0], call.written, function_name(one)) for one in several))
    return _with_levels(grouped, [(one, several) for one in values], call)


def function_name(thing: AbstractValue) -> str:
    name = known_text(thing)
    return name if name is not None else what_is(thing).rpartition(".")[2]


def _named(grouped: PandasGroups, call: Call, world: World) -> list[RelationColumn]:
    """`agg(total=("amount", "sum"))`; of one column also `agg(total="sum")`."""
    found: list[RelationColumn] = []
    for name, thing in call.named.items():
        parts = items_of(thing)
        if parts is not None and len(parts) == 2 and (source := known_text(parts[0])) is not None:
            rows = known_text(parts[1]) == "size"
            value = NOTHING if rows else column(grouped.frame, source, call, world)
            found.append(_aggregated(RelationColumn(name, value), call.written))
        elif grouped.chosen and len(grouped.chosen) == 1:
            value = column(grouped.frame, grouped.chosen[0], call, world)
            found.append(_aggregated(RelationColumn(name, value), call.written))
        elif name not in {"engine", "engine_kwargs"}:
            world.gap(call, f"what the aggregate {name} is made from is not known")
    return found


def _by_dict(grouped: PandasGroups, how: DictOf, call: Call, world: World) -> Frame:
    if how.open:
        world.gap(call, "not all aggregates are known")
    pairs = [
        (RelationColumn(str(name), column(grouped.frame, str(name), call, world)), one)
        for name, one in how.items.items()
    ]
    if not any(isinstance(one, ListOf) for _, one in pairs):
        return result_of(grouped, (_aggregated(one, call.written) for one, _ in pairs))
    return _with_levels(
        grouped, [(one, items_of(how_) if isinstance(how_, ListOf) else (how_,)) for one, how_ in pairs], call
    )


def _with_levels(
    grouped: PandasGroups, pairs: list[tuple[RelationColumn, tuple[AbstractValue, ...] | None]], call: Call
) -> Frame:
    """Columns with two levels, `("amount", "sum")`."""
    columns: list[RelationColumn] = []
    levels: dict[str, tuple[str, ...]] = {}
    for one, functions in pairs:
        for function in functions or ():
            parts = (one.name, function_name(function))
            levels[str(parts)] = parts
            columns.append(_aggregated(one, call.written, str(parts)))
    frame = result_of(grouped, columns)
    return Frame(FRAME, frame.relation, extra={**frame.extra, "levels": levels})


def size(call: Call, world: World) -> AbstractValue:
    """Rows are counted: no column arrives."""
    grouped = call.receiver(PandasGroups)
    return result_of(grouped, (RelationColumn("size", NOTHING),), "size")

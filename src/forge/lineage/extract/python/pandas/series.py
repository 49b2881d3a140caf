"""A pandas series: a frame with one data column and its index columns. `extra` has the `name` of the column, the
names of the `index`, and whether it is a single value (`scalar`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from forge.lineage.edge import IndirectType, Transformation
from forge.lineage.extract.python.cells import combined
from forge.lineage.extract.python.frame_columns import column, rest_of
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.values import AbstractValue, DictOf, Frame, ListOf
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn, Shape
from forge.lineage.extract.value import NOTHING, ColumnValue, union

FRAME = "pandas"
SERIES = "pandas.series"


def index_of(frame: Frame) -> tuple[str, ...]:
    found = frame.extra.get("index", ())
    return found if isinstance(found, tuple) else ()


def name_of(series: Frame) -> str:
    return str(series.extra.get("name", ""))


def is_series(thing: AbstractValue | None) -> bool:
    return isinstance(thing, Frame) and thing.kind == SERIES


def is_frame(thing: AbstractValue | None) -> bool:
    return isinstance(thing, Frame) and thing.kind == FRAME


def index_columns(frame: Frame) -> tuple[RelationColumn, ...]:
    names = {name.lower() for name in index_of(frame)}
    return tuple(one for one in frame.relation.columns if one.name.lower() in names)


def data_columns(frame: Frame) -> tuple[RelationColumn, ...]:
    names = {name.lower() for name in index_of(frame)}
    return tuple(one for one in frame.relation.columns if one.name.lower() not in names)


FIELDS = "fields"  # in the extra of a Series that was made of a dict: what it holds by name


def series_of(frame: Frame, name: str, value: ColumnValue, *, shaped: Shape = frozenset()) -> Frame:
    """A column that has the rows of a frame."""
    relation = frame.relation
    kept = tuple(one for one in index_columns(frame) if one.name.lower() != name.lower())
    made = Relation((*kept, RelationColumn(name, value)), (), frozenset(), relation.shaped | shaped, relation.reads)
    return Frame(SERIES, made, extra={"name": name, "index": tuple(one.name for one in kept)})


def scalar_of(value: ColumnValue, *around: Frame, name: str = "") -> Frame:
    """One value, computed from columns."""
    shaped: Shape = frozenset().union(*(one.relation.shaped for one in around))
    reads: frozenset[str] = frozenset().union(*(one.relation.reads for one in around))
    relation = Relation((RelationColumn(name, value),), shaped=shaped, reads=reads)
    return Frame(SERIES, relation, extra={"name": name, "scalar": True})


def value_in(series: Frame) -> ColumnValue:
    """What a series holds; of a frame, all it holds."""
    if series.kind == SERIES:
        found = series.relation.find(name_of(series))
        return found[0].value if found else _unnamed(series)
    if not series.relation.columns:
        return _unnamed(series)
    return union(one.value for one in data_columns(series))


def _unnamed(frame: Frame) -> ColumnValue:
    """What comes out of code that cannot be followed has no names."""
    rest = rest_of(frame)
    return (rest.value("") if rest is not None else None) or NOTHING


def value_of(thing: AbstractValue | None) -> ColumnValue:
    """What any value brings into a column: series, lists of them; literals bring nothing."""
    if isinstance(thing, Frame):
        return value_in(thing)
    if isinstance(thing, ListOf):
        parts = [value_of(one) for one in thing.items]
        filled = [one for one in parts if one.sources]
        return filled[0] if len(filled) == 1 else union(filled)
    if isinstance(thing, DictOf):
        return union(value_of(one) for one in thing.items.values())
    return NOTHING


def frames_in(things: Iterable[AbstractValue | None]) -> tuple[Frame, ...]:
    """All series and frames among arguments, also in lists and dicts."""
    found: list[Frame] = []
    for thing in things:
        if isinstance(thing, Frame):
            found.append(thing)
        elif isinstance(thing, ListOf):
            found.extend(frames_in(thing.items))
        elif isinstance(thing, DictOf):
            found.extend(frames_in(thing.items.values()))
    return tuple(found)


def arguments(call: Call) -> tuple[Frame, ...]:
    return frames_in((*call.args, *call.named.values()))


def shaped_with(relation: Relation, frames: Iterable[Frame]) -> Relation:
    """Rows that take values of other frames: what shapes those shapes these."""
    shaped, reads = relation.shaped, relation.reads
    for one in frames:
        shaped, reads = shaped | one.relation.shaped, reads | one.relation.reads
    return replace(relation, shaped=shaped, reads=reads)


def changed(series: Frame, step: Transformation, text: str, others: Iterable[Frame] = (), **how: bool) -> Frame:
    """A series computed from this one and others."""
    gathered = tuple(others)
    value = combined((value_in(series), *(value_in(one) for one in gathered)), step, text, **how)
    return replaced(series, value, gathered)


def replaced(series: Frame, value: ColumnValue, others: Iterable[Frame] = ()) -> Frame:
    """The same rows, another value."""
    if series.kind != SERIES:
        return series_of(series, "", value)
    name = name_of(series)
    columns = tuple(replace(one, value=value) if one.name == name else one for one in series.relation.columns)
    relation = shaped_with(replace(series.relation, columns=columns), others)
    return Frame(SERIES, relation, extra=series.extra)


def filtered(frame: Frame, mask: Frame) -> Frame:
    """Rows chosen by a condition."""
    relation = shaped_with(frame.relation, (mask,)).shaped_by(value_in(mask).sources, IndirectType.FILTER)
    return Frame(frame.kind, relation, extra=frame.extra)


def shaped(frame: Frame, sources: Iterable[ColumnValue], subtype: IndirectType) -> Frame:
    relation = frame.relation
    for one in sources:
        relation = relation.shaped_by(one.sources, subtype)
    return Frame(frame.kind, relation, extra=frame.extra)


def picked(frame: Frame, name: str, call: Call, world: World) -> Frame:
    return series_of(frame, name, column(frame, name, call, world))


def as_frame(series: Frame, name: str | None = None) -> Frame:
    """A series as a frame with one column."""
    if series.kind == FRAME:
        return series
    old = name_of(series)
    new = old if name is None else name
    columns = tuple(replace(one, name=new) if one.name == old else one for one in series.relation.columns)
    return Frame(FRAME, series.relation.with_columns(columns), extra={"index": index_of(series)})

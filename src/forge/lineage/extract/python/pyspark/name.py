"""Column name resolution in PySpark frames."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forge.lineage.extract.python.frame_columns import from_one_table
from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.values import Cells, Frame
from forge.lineage.extract.python.world import World
from forge.lineage.extract.relation import Relation, RelationColumn, copy_of, ends_with_name
from forge.lineage.extract.sql.fields import field_of, fields_in
from forge.lineage.extract.sql.names import split_name
from forge.lineage.extract.value import NOTHING, ColumnValue, union


def all_columns(frame: Frame) -> tuple[RelationColumn, ...]:
    return frame.relation.columns


def find_column(frame: Frame, name: str, call: Call, world: World) -> Cells:
    if name == "*":
        return Cells(frame.relation.columns)
    if name.endswith(".*"):
        return Cells(_star(frame, split_name(name[:-2]), call, world))
    parts = split_name(name)
    if not parts:
        return Cells((RelationColumn(name, NOTHING),))
    column, path = _look_up(frame, parts, call, world)
    if not path:
        return Cells((column,))
    return Cells((RelationColumn(path[-1], field_of(column.value, path, world.here())),))


def _look_up(frame: Frame, parts: Sequence[str], call: Call, world: World) -> tuple[RelationColumn, Sequence[str]]:
    """The column, and the fields to take out of it."""
    relation = frame.relation
    for size in range(len(parts) - 1, 0, -1):
        before = ".".join(parts[:size])
        owned = relation.find(parts[size], before)
        if owned:
            return owned[0], parts[size + 1 :]
        alias = _alias(frame, before)
        if alias is not None and alias.open:
            value = alias.value(parts[size])
            if value is not None:
                return RelationColumn(parts[size], value, before), parts[size + 1 :]
    found = relation.find(parts[0])
    if found and all(one.value is found[0].value for one in found):
        return found[0], parts[1:]
    if found:
        owners = " or ".join(dict.fromkeys(one.owner or _from(one.value) for one in found))
        world.gap(call, f"column {parts[0]} may be from {owners}; write which")
        return RelationColumn(parts[0], NOTHING), ()
    return RelationColumn(parts[0], _open_value(frame, parts[0], call, world)), parts[1:]


def _alias(frame: Frame, name: str) -> Relation | None:
    return next((one for key, one in frame.aliases.items() if ends_with_name(key, name)), None)


def _from(value: ColumnValue) -> str:
    return " and ".join(sorted({source.table for source in value.sources})) or "a column made here"


def _open_value(frame: Frame, name: str, call: Call, world: World) -> ColumnValue:
    relation = frame.relation
    if name.lower() in relation.without or not relation.open:
        known = ", ".join(relation.names[:8]) or "no column"
        world.gap(call, f"column {name} is not found; there is {known}")
        return NOTHING
    for table in relation.open:
        world.needs(table)
    if frame.extra.get("stacked"):
        return union(copy_of(table, name) for table in relation.open)
    value = relation.value(name) or from_one_table(relation, name, world)
    if value is None:
        places = " or ".join(dict.fromkeys(one for table in relation.open for one in world.behind(table)))
        world.gap(call, f"column {name} may be from {places}; give their columns with --schema")
        return NOTHING
    return value


def _star(frame: Frame, parts: Sequence[str], call: Call, world: World) -> tuple[RelationColumn, ...]:
    """`a.*`: of an alias, or all fields of a struct."""
    owned = tuple(column for column in frame.relation.columns if column.is_of(".".join(parts)))
    if owned:
        return owned
    alias = _alias(frame, ".".join(parts))
    if alias is not None:
        if alias.open:
            world.gap(call, f"the columns of {' and '.join(alias.open)} are not known; give them with --schema")
        return alias.columns
    column, path = _look_up(frame, parts, call, world)
    value = field_of(column.value, path, world.here()) if path else column.value
    fields = fields_in(value, world.here())
    if fields is None:
        world.gap(call, f"the fields of {'.'.join(parts)} are not known")
        return ()
    return tuple(RelationColumn(name, inner) for name, inner in fields)


def rebound(column: RelationColumn, frame: Frame, world: World) -> RelationColumn:
    """A column that was taken from an earlier frame, as it is in this one: the frame may have been put in variables
    since. Where it is not to be found there, it is what it was."""
    for one in frame.relation.columns:
        value: ColumnValue | None = one.value
        for _ in range(50):
            if value is column.value:
                return replace(one, name=column.name)
            step = world.origin.get(id(value))
            if step is None:
                break
            value = step[1]
    return column

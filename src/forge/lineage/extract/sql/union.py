"""UNION and other set operations."""

from __future__ import annotations

from collections.abc import Sequence

from forge.lineage.edge import Transformation
from forge.lineage.extract.sql.context import SessionContext, type_of_value
from forge.lineage.extract.sql.nested_type import plain, widest
from forge.lineage.extract.value import ColumnValue, SourceTrace, through, union


def unioned(values: Sequence[ColumnValue], around: SessionContext) -> ColumnValue:
    """Merges columns into one. Where the types are known, a column that has to be widened to fit is changed."""
    types = {id(value): type_of_value(value, around) for value in values if value.sources}
    if len(set(types.values())) > 1 and all(types.values()):
        wide = widest(list(types.values()))
        if wide is not None:
            values = [value if plain(types.get(id(value), wide)) == wide else _cast(value, wide) for value in values]
    united = union(values)
    filled = [value for value in values if value.sources]
    first = filled[0].members if filled else {}
    if not first or any(len(value.members) != len(first) for value in filled):
        return united
    parts = zip(*(value.members.values() for value in filled), strict=True)
    return ColumnValue(united.sources, {name: unioned(part, around) for name, part in zip(first, parts, strict=True)})


def _cast(value: ColumnValue, type_: str) -> ColumnValue:
    text = next((trace.expression for trace in value.sources.values()), "")
    return through(value, SourceTrace(Transformation.TRANSFORMATION, f"CAST({text} AS {type_.upper()})"))

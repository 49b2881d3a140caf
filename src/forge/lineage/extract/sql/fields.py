"""Struct field access."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from forge.lineage.edge import Transformation
from forge.lineage.extract.sql.context import SessionContext, type_of_value
from forge.lineage.extract.sql.nested_type import NestedType, nested_of
from forge.lineage.extract.value import ColumnValue, SourceTrace, add, through
from forge.model.names import ColumnName


def field_of(value: ColumnValue, path: Sequence[str], around: SessionContext) -> ColumnValue:
    """A field of a struct that is built here is what it was built from; that of a column is a part of the column. What
    is taken out of an array, a map or the result of a function comes from all of it."""
    type_ = type_of_value(value, around)
    for place, name in enumerate(path):
        member = next((one for key, one in value.members.items() if key.lower() == name.lower()), None)
        if member is not None:
            value, type_ = member, type_of_value(member, around)
            continue
        nested = nested_of(type_)
        if not _is_copy(value) or (type_ and nested.kind != "struct"):
            return _whole(value, path[place:])
        name, type_ = _spelled(name, nested)
        value = _part(value, name)
    return value


def fields_in(value: ColumnValue, around: SessionContext) -> tuple[tuple[str, ColumnValue], ...] | None:
    """All fields of a struct; None: they are not known."""
    if value.members:
        return tuple(value.members.items())
    nested = nested_of(type_of_value(value, around))
    if nested.kind != "struct" or not nested.fields:
        return None
    if not _is_copy(value):
        return tuple((name, _whole(value, (name,))) for name, _ in nested.fields)
    return tuple((name, _part(value, name)) for name, _ in nested.fields)


def _is_copy(value: ColumnValue) -> bool:
    return all(trace.transformation is Transformation.IDENTITY for trace in value.sources.values())


def _spelled(name: str, nested: NestedType) -> tuple[str, str]:
    found = next((one for one in nested.fields if one[0].lower() == name.lower()), None)
    return found or (name, "")


def _part(value: ColumnValue, name: str) -> ColumnValue:
    found: dict[ColumnName, SourceTrace] = {}
    for source, trace in value.sources.items():
        inner = f"{source.field}.{name}" if source.field else name
        add(found, replace(source, field=inner), replace(trace, expression=f"{trace.expression}.{name}"))
    return ColumnValue(found)


def _whole(value: ColumnValue, path: Sequence[str]) -> ColumnValue:
    text = next((trace.expression for trace in value.sources.values()), "")
    return through(value, SourceTrace(Transformation.TRANSFORMATION, ".".join((text, *path))))

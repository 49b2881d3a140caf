"""Methods of PySpark's columns."""

from __future__ import annotations

from dataclasses import replace

from forge.lineage.edge import Transformation
from forge.lineage.extract.python.cells import combined, one_cell, values_of
from forge.lineage.extract.python.library import Call, Handler, methods
from forge.lineage.extract.python.pyspark.column import (
    COLUMN,
    WindowSpec,
    expr_of,
    field_expr,
    made_of,
    renamed_expr,
    same_named,
    windowed,
)
from forge.lineage.extract.python.pyspark.functions import when
from forge.lineage.extract.python.pyspark.schema import type_text
from forge.lineage.extract.python.values import AbstractValue, Cells, Expr, Frame, ListOf, Text, known_text
from forge.lineage.extract.python.world import World
from forge.lineage.extract.sql.context import type_of_value
from forge.lineage.extract.sql.fields import fields_in
from forge.lineage.extract.sql.nested_type import plain
from forge.lineage.extract.value import ColumnValue

_T = Transformation


def _alias(call: Call, world: World) -> AbstractValue:
    names = [known_text(one) for one in call.args]
    known = [one for one in names if one is not None]
    if len(known) != len(names) or not known:
        world.gap(call, "the name of a column is not known")
        return call.receiver(Expr)
    return renamed_expr(call.receiver(Expr), known)


def _cast(call: Call, world: World) -> AbstractValue:
    """To its own type it is no step."""
    wanted = type_text(call.arg(0, "dataType"))
    inner = call.receiver(Expr)
    changed = same_named(inner, _T.TRANSFORMATION, call.written)
    if wanted is None:
        return changed

    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        types = {plain(type_of_value(column.value, world.here())) for column in cells.columns}
        return cells if types == {plain(wanted)} else changed.make(frame)

    return replace(changed, make=make)


def _over(call: Call, world: World) -> AbstractValue:
    window = call.arg(0)
    inner = call.receiver(Expr)
    if not isinstance(window, WindowSpec):
        world.gap(call, "the window is not known")
        return windowed(inner, (), call.written)
    return windowed(inner, window.keys, call.written)


def _same(call: Call, world: World) -> AbstractValue:
    return call.receiver(Expr)


def _get(call: Call, world: World) -> AbstractValue:
    return field_expr(call.receiver(Expr), call.arg(0), call, world)


def column_attribute(call: Call, world: World) -> AbstractValue | None:
    """`df.address.city`."""
    if call.name.startswith("_"):
        return None
    return field_expr(call.receiver(Expr), Text((call.name,)), call, world)


def _method(call: Call, world: World) -> AbstractValue:
    """Any other method: startswith, isin, between, …"""
    parts = [call.receiver(Expr)]
    for one in (*call.args, *call.named.values()):
        if isinstance(one, Expr):
            parts.append(one)
        elif isinstance(one, ListOf):
            parts.extend(item for item in one.items if isinstance(item, Expr))
    return made_of(parts, _T.TRANSFORMATION, call.written, lambda names: f"{call.name}({', '.join(names)})")


def _with_field(call: Call, world: World) -> AbstractValue:
    inner, name = call.receiver(Expr), call.text(0)
    new = expr_of(call.arg(1), call, world)

    def make(frame: Frame) -> Cells:
        cells, added = inner.make(frame), new.make(frame)
        before = cells.columns[0].value if cells.columns else ColumnValue()
        fields = fields_in(before, world.here())
        values = values_of([added])
        if fields is None or name is None or not values:
            value = combined([before, *values], _T.TRANSFORMATION, call.written)
        else:
            members = {**dict(fields), name: values[0]}
            value = ColumnValue(combined(members.values(), _T.IDENTITY, "").sources, members)
        return one_cell(cells.columns[0].name if cells.columns else "", value, cells, added)

    return Expr(COLUMN, make, call.written)


def _drop_fields(call: Call, world: World) -> AbstractValue:
    inner = call.receiver(Expr)
    gone = {str(known_text(one)).lower() for one in call.args}

    def make(frame: Frame) -> Cells:
        cells = inner.make(frame)
        before = cells.columns[0].value if cells.columns else ColumnValue()
        members = {name: value for name, value in fields_in(before, world.here()) or () if name.lower() not in gone}
        if not members:
            return cells
        value = ColumnValue(combined(members.values(), _T.IDENTITY, "").sources, members)
        return one_cell(cells.columns[0].name, value, cells)

    return Expr(COLUMN, make, call.written)


COLUMN_METHODS: dict[str, Handler] = {
    "alias": _alias,
    "name": _alias,
    "cast": _cast,
    "astype": _cast,
    "try_cast": _cast,
    "over": _over,
    "when": when,
    "otherwise": when,
    "getField": _get,
    "getItem": _get,
    "withField": _with_field,
    "dropFields": _drop_fields,
    **methods(_same, ("asc", "desc", "asc_nulls_first", "asc_nulls_last", "desc_nulls_first", "desc_nulls_last")),
    **methods(
        _method,
        (
            "isNull", "isNotNull", "isNaN", "isin", "between", "like", "ilike", "rlike", "startswith", "endswith",
            "contains", "substr", "eqNullSafe", "bitwiseAND", "bitwiseOR", "bitwiseXOR", "transform",
        ),
    ),
}  # fmt: skip


def column_item(call: Call, world: World) -> AbstractValue:
    return field_expr(call.receiver(Expr), call.arg(0), call, world)

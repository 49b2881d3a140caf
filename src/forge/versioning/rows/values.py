"""Values given by people for a cell, converted to the cell's type: JSON has no decimals, dates or bytes."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

import pyarrow as pa

from forge.model.errors import CellError
from forge.versioning.arrow_types import type_name
from forge.versioning.conflict import ResolutionChoice, ResolutionRule
from forge.versioning.field import Layout

_WIDE = Context(prec=100)  # the default 28 digits cannot hold a decimal(38,…)


def fit_value(value: object, kind: pa.DataType, column: str, *, rounded: bool = False) -> object:
    """The value in that type, as a Python value; E619 where it does not fit. `rounded`: a decimal may lose digits,
    as when SQL stores the result of a division."""
    if value is None:
        return None
    try:
        if pa.types.is_nested(kind):
            return pa.scalar(value, kind).as_py()
        return _fit_flat(value, kind, rounded)
    except (
        pa.ArrowInvalid,
        pa.ArrowTypeError,
        pa.ArrowNotImplementedError,
        InvalidOperation,
        ValueError,
        TypeError,
    ) as error:
        raise CellError(
            "E619",
            f"{value!r} is not a value for column {column}",
            without=f"What is given is not a value for column {column}",
            columns=(column,),
            why=f"The column is {type_name(kind)}.",
            why_without=f"The column is {type_name(kind)}.",
            fix=f"Give a {type_name(kind)}.",
        ) from error


def _fit_flat(value: Any, kind: pa.DataType, rounded: bool) -> object:
    is_ = pa.types
    if is_.is_decimal(kind):
        return _decimal(value, kind, rounded)
    if is_.is_integer(kind):
        if isinstance(value, bool) or value != value // 1:  # Arrow would cut 2.5 down to 2
            raise ValueError("not a whole number")
        return pa.scalar(int(value), kind).as_py()
    if is_.is_floating(kind) and isinstance(value, Decimal | str):
        return pa.scalar(float(value), kind).as_py()
    if is_.is_binary(kind) and isinstance(value, str):
        return bytes.fromhex(value)
    if isinstance(value, str) and not _is_text(kind):
        return pa.scalar(value).cast(kind).as_py()
    return pa.scalar(value, kind).as_py()


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _decimal(value: Any, kind: pa.DataType, rounded: bool) -> Decimal:
    if isinstance(value, bool):
        raise ValueError("not a number")
    given = value if isinstance(value, Decimal) else Decimal(str(value))
    fitted = given.quantize(Decimal(1).scaleb(-kind.scale), ROUND_HALF_UP, _WIDE)
    if (fitted != given and not rounded) or len(fitted.as_tuple().digits) > kind.precision:
        raise ValueError("too many digits")
    return fitted


def fit_row(value: object, kinds: Mapping[str, pa.DataType]) -> dict[str, object]:
    """A whole row."""
    assert isinstance(value, Mapping), "what is no row was refused before"
    return {name: fit_value(value[name], kind, name) for name, kind in kinds.items()}


def row_problem(rule: ResolutionRule, key: Mapping[str, object], layout: Layout) -> str | None:
    """Why the rule cannot resolve a conflict of a row; None: it can."""
    if rule.take is ResolutionChoice.EXPRESSION:
        return "an expression is for one cell, and this is a whole row"
    if rule.take is not ResolutionChoice.MANUAL or rule.value is None:
        return None
    if not isinstance(rule.value, Mapping):
        return "a row is a mapping of column to value, or null to delete it"
    names = [column.field.name for column in layout.values]
    if missing := [name for name in names if name not in rule.value]:
        return f"the row has no {', '.join(missing)}"
    if unknown := [name for name in rule.value if name not in names and name not in key]:
        return f"there is no column {', '.join(map(str, unknown))}"
    if moved := [name for name, value in key.items() if str(rule.value.get(name, value)) != str(value)]:
        return f"the key column {', '.join(moved)} is another one"
    return None

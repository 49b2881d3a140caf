"""Values of JSON as Arrow columns, strictly: a text is no number and no truth, and a number no date; a string takes
numbers and truths as they are written. What does not fit is an error that names the column, never NULL."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from forge.stores.connectors.cells import array_of, unfit

if TYPE_CHECKING:
    import pyarrow as pa


class JsonNumber(str):
    """A number as it is written."""

    __slots__ = ()


_FORMS = {"int": r"^[+-]?[0-9]+$", "bool": "(?i)^(true|false)$"}


def parse_json(text: str | bytes) -> Any:
    """Numbers are `JsonNumber`, so that none is rounded. ValueError for what is no JSON, NaN and infinity among it."""
    return json.loads(text, parse_int=JsonNumber, parse_float=JsonNumber, parse_constant=_refuse_constant)


def json_array(source: str, column: str, cells: Sequence[Any], kind: pa.DataType) -> pa.Array:
    import pyarrow as pa

    is_number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    is_string = pa.types.is_string(kind)
    wanted: tuple[type, ...] = (JsonNumber,) if is_number else (bool,) if pa.types.is_boolean(kind) else (str,)
    if is_string:
        wanted = (str, bool)
    for cell in cells:
        odd = not is_string and not is_number and isinstance(cell, JsonNumber)
        if cell is not None and (odd or not isinstance(cell, wanted)):
            raise unfit(source, column, kind, f"It is {_kind_of(cell)}.")
    try:
        texts = pa.array([_text_of(cell) for cell in cells], pa.string())
    except UnicodeError as error:  # half of a character
        raise unfit(source, column, kind, str(error)[:200]) from error
    return strict_array(source, column, texts, kind)


def strict_array(source: str, column: str, cells: pa.Array, kind: pa.DataType) -> pa.Array:
    """Of texts in the forms that JSON and CSV have of a value; a driver's t and 1 are no truth here."""
    import pyarrow as pa
    import pyarrow.compute as pc

    strict = _FORMS.get("int" if pa.types.is_integer(kind) else str(kind))
    if strict and pc.any(pc.invert(pc.match_substring_regex(cells, strict))).as_py():
        raise unfit(source, column, kind)
    return array_of(source, column, pc.utf8_lower(cells) if pa.types.is_boolean(kind) else cells, kind)


def _kind_of(cell: Any) -> str:
    if isinstance(cell, JsonNumber):
        return "a number"
    kinds = {str: "a text", bool: "a truth value", list: "a list", dict: "an object"}
    return kinds.get(type(cell), "of another kind")


def _text_of(cell: Any) -> str | None:
    return cell if cell is None or isinstance(cell, str) else str(cell).lower()


def _refuse_constant(text: str) -> None:
    raise ValueError(f"{text} is no JSON")

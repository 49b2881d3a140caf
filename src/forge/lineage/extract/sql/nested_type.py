"""Nested types of column definitions: struct, array, map."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from forge.model.types import DataType, parse_type


@dataclass(frozen=True, slots=True)
class NestedType:
    """`kind`: struct, array, map, or the name of any other type; empty: unknown. `fields`: of a struct."""

    kind: str
    fields: tuple[tuple[str, str], ...] = ()
    element: str = ""  # of an array, and the values of a map


@lru_cache(maxsize=4096)
def nested_of(text: str) -> NestedType:
    found = parse_type(text)
    if found.name == "struct":
        return NestedType("struct", tuple((field.name, str(field.type)) for field in found.fields))
    return NestedType(found.name, element=str(found.fields[-1].type) if found.fields else "")


def parsed_type(schema: str) -> str:
    """What from_json makes by its second argument: a type, or the columns of a struct."""
    whole = re.match(r"\s*(?:struct|array|map)\s*<", schema, re.IGNORECASE)
    return schema.strip() if whole else f"struct<{schema.strip()}>"


def field_type(type_: str, path: str) -> str:
    """The type of a field, however deep; empty where that is not known."""
    for name in path.split("."):
        wanted = name.lower()
        type_ = next((inner for field, inner in nested_of(type_).fields if field.lower() == wanted), "")
    return type_


def plain(type_: str) -> str:
    """One spelling for the many names of a type."""
    return str(parse_type(type_)).lower()


_INTEGERS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}


def widest(types: list[str]) -> str | None:
    """The type that holds all of these, as Spark takes for a UNION; None: not known, or there is none."""
    found = plain(types[0])
    for other in types[1:]:
        wider = _wider(found, plain(other))
        if wider is None:
            return None
        found = wider
    return found


def _wider(one: str, other: str) -> str | None:
    if one == other:
        return one
    if not one or not other:
        return None
    if one in _INTEGERS and other in _INTEGERS:
        return one if _INTEGERS[one] >= _INTEGERS[other] else other
    numbers = {one, other}
    if numbers <= {*_INTEGERS, "float", "double"} and numbers & {"float", "double"}:
        return "double" if "double" in numbers or numbers & {"int", "bigint"} else "float"
    if numbers == {"date", "timestamp"}:
        return "timestamp"
    left, right = _digits(parse_type(one)), _digits(parse_type(other))
    if left is None or right is None:
        is_number = left is not None or right is not None
        return "double" if is_number and numbers & {"float", "double"} else None
    scale = max(left[1], right[1])
    whole = max(left[0] - left[1], right[0] - right[1])
    return f"decimal({whole + scale},{scale})" if whole + scale <= 38 else None


def _digits(of: DataType) -> tuple[int, int] | None:
    if of.name in _INTEGERS:
        return _INTEGERS[of.name], 0
    return (of.size[0], of.size[1]) if of.name == "decimal" else None

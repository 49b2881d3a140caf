"""Types as definitions write them, as far as lineage needs them: what is in a struct, an array, a map."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_OPEN, _CLOSE = "<(", ">)"
_HEAD = re.compile(r"\s*([A-Za-z_][\w ]*?)\s*([<(])")
_FIELD = re.compile(r"\s*(?:`([^`]*)`|\"([^\"]*)\"|([^\s:`\"<(]+))\s*:?\s*(.*)", re.DOTALL)
_REST = re.compile(r"\s+(not\s+null|null|comment|default|options)\b.*", re.IGNORECASE | re.DOTALL)
_SAME = {
    "integer": "int",
    "long": "bigint",
    "int4": "int",
    "int8": "bigint",
    "int64": "bigint",
    "short": "smallint",
    "byte": "tinyint",
    "real": "float",
    "float64": "double",
    "double precision": "double",
    "numeric": "decimal",
    "dec": "decimal",
    "text": "string",
    "bool": "boolean",
    "timestamp_ltz": "timestamp",
}


@dataclass(frozen=True, slots=True)
class Nested:
    """`kind`: struct, array, map, or anything else by its own name; empty: not known. `fields`: of a struct."""

    kind: str
    fields: tuple[tuple[str, str], ...] = ()
    element: str = ""  # of an array, and the values of a map


@lru_cache(maxsize=4096)
def nested_of(text: str) -> Nested:
    text = text.strip()
    if text.endswith("[]"):
        return Nested("array", element=text[:-2])
    head = _HEAD.match(text)
    if head is None:
        return Nested(text.lower())
    kind, inner = head[1].lower(), _inside(text, head.end())
    if kind in {"struct", "row", "record", "object"}:
        fields = (_FIELD.match(part) for part in _parts(inner))
        named = ((f[1] or f[2] or f[3], _bare(f[4])) for f in fields if f)
        return Nested("struct", tuple((name if name else "", type_) for name, type_ in named))
    if kind == "array":
        return Nested("array", element=_bare(inner))
    if kind == "map":
        parts = _parts(inner)
        return Nested("map", element=_bare(parts[-1]) if parts else "")
    return Nested(kind)


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


@lru_cache(maxsize=4096)
def plain(type_: str) -> str:
    """One spelling for the many names of a type."""
    text = re.sub(r"\s*([<>(),:])\s*", r"\1", type_.strip().lower())
    head, bracket, rest = text.partition("(")
    return _SAME.get(head, head) + bracket + rest


def _bare(text: str) -> str:
    """A type without what is said beside it: NOT NULL, COMMENT '…'. What is inside of its brackets stays."""
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign in _OPEN) - (sign in _CLOSE)
        if depth == 0 and sign.isspace() and _REST.match(text, place):
            return text[:place].strip()
    return text.strip()


def _inside(text: str, start: int) -> str:
    depth = 1
    for place in range(start, len(text)):
        if text[place] in _OPEN:
            depth += 1
        elif text[place] in _CLOSE:
            depth -= 1
            if depth == 0:
                return text[start:place]
    return text[start:]


def _parts(text: str) -> list[str]:
    """Split at commas that are in no brackets."""
    found, depth, start = [], 0, 0
    for place, sign in enumerate(text):
        if sign in _OPEN:
            depth += 1
        elif sign in _CLOSE:
            depth -= 1
        elif sign == "," and depth == 0:
            found.append(text[start:place])
            start = place + 1
    return [part for part in (*found, text[start:]) if part.strip()]


_INTEGERS = {"tinyint": 3, "smallint": 5, "int": 10, "bigint": 20}
_DECIMAL = re.compile(r"decimal(?:\((\d+)(?:,(\d+))?\))?")


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
    left, right = _digits(one), _digits(other)
    if left is None or right is None:
        is_number = left is not None or right is not None
        return "double" if is_number and numbers & {"float", "double"} else None
    scale = max(left[1], right[1])
    whole = max(left[0] - left[1], right[0] - right[1])
    return f"decimal({whole + scale},{scale})" if whole + scale <= 38 else None


def _digits(type_: str) -> tuple[int, int] | None:
    if type_ in _INTEGERS:
        return _INTEGERS[type_], 0
    found = _DECIMAL.fullmatch(type_)
    return (int(found[1] or 10), int(found[2] or 0)) if found else None

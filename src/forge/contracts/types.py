"""One grammar of types for contracts: which are the same, which are wider, and what the standard calls them."""

from __future__ import annotations

from collections.abc import Mapping

from forge.contracts.type_text import Field as Field
from forge.contracts.type_text import Type as Type
from forge.contracts.type_text import balanced as balanced
from forge.contracts.type_text import parse_type as parse_type

# Logical type → the Spark types that hold it.
SPARK_TYPES: Mapping[str, tuple[str, ...]] = {
    "integer": ("tinyint", "smallint", "int", "bigint"),
    "number": ("float", "double", "decimal"),
    "string": ("string", "varchar", "char", "uuid"),
    "boolean": ("boolean",),
    "date": ("date",),
    "timestamp": ("timestamp", "timestamp_ntz", "timestamp_ns", "timestamptz_ns"),
    "time": ("time",),
    "object": ("struct",),
    "array": ("array",),
    "map": ("map",),
    "vector": ("array",),
}

_ICEBERG: Mapping[str, str] = {
    "tinyint": "int",
    "smallint": "int",
    "bigint": "long",
    "timestamp": "timestamptz",
    "timestamp_ntz": "timestamp",
    "varchar": "string",
    "char": "string",
}
_INTEGERS = ("tinyint", "smallint", "int", "bigint")


def normal_type(text: str) -> str:
    """One spelling per type: `NUMERIC(12, 2)` and `decimal(12,2)` are the same."""
    return str(parse_type(text)).lower()


def same_type(old: str | Type, new: str | Type) -> bool:
    """The same but for spelling and the order of a struct's fields."""
    return _ordered(_as_type(old)) == _ordered(_as_type(new))


def holds(logical: str, actual: str | Type) -> bool:
    """Whether a column of that type is what a contract calls `logical`."""
    return _as_type(actual).name in SPARK_TYPES.get(logical, (logical,))


def logical_of(actual: str | Type) -> str | None:
    """What a contract calls such a column; None where the standard has no word for it."""
    name = _as_type(actual).name
    return next((logical for logical in ("map", *SPARK_TYPES) if name in SPARK_TYPES[logical]), None)


def iceberg_text(of: str | Type) -> str:
    """The type as Iceberg's own words say it: `long`, `timestamptz`, `list<int>`."""
    found = _as_type(of)
    if found.name == "struct":
        return f"struct<{', '.join(f'{f.name}: {iceberg_text(f.type)}' for f in found.fields)}>"
    if found.fields:
        inside = ", ".join(iceberg_text(f.type) for f in found.fields)
        return f"{'list' if found.name == 'array' else found.name}<{inside}>"
    if found.name == "decimal":
        return f"decimal({', '.join(str(n) for n in found.size)})"
    return _ICEBERG.get(found.name, str(found))


def is_promotion(old: str | Type, new: str | Type) -> bool:
    """Whether readers of `old` can go on with `new`: every value keeps its meaning and its exactness.

    Whole numbers may become longer, float may become double, a decimal may get more digits before the point (the
    scale stays), a text may become longer. Inside arrays, maps and structs the same holds, and a struct may get more
    fields. Equal types are no promotion. Integers do not become floats or decimals and dates do not become
    timestamps: sums, joins and casts of readers change with them. A char keeps its length, it is filled up with
    spaces."""
    before, after = _as_type(old), _as_type(new)
    return not same_type(before, after) and _widens(before, after)


def _as_type(of: str | Type) -> Type:
    return parse_type(of) if isinstance(of, str) else of


def _ordered(of: Type) -> Type:
    """The comparable form: names in small letters, a struct's fields by name, nothing on nulls."""
    fields = tuple(Field(f.name.lower(), _ordered(f.type)) for f in of.fields)
    return Type(of.name, of.size, tuple(sorted(fields, key=lambda f: f.name)) if of.name == "struct" else fields)


def _widens(old: Type, new: Type) -> bool:
    """Whether every value of `old` is one of `new`; equal types do."""
    if old.name == new.name and old.is_nested:
        pairs = [(field.type, new.get(field.name)) for field in old.fields]
        return all(after is not None and _widens(before, after.type) for before, after in pairs)
    if old.name in _INTEGERS and new.name in _INTEGERS:
        return _INTEGERS.index(new.name) >= _INTEGERS.index(old.name)
    if old.name == new.name == "decimal" and len(old.size) == len(new.size) == 2:
        return new.size[1] == old.size[1] and new.size[0] >= old.size[0]
    if old.name == "varchar":
        return new.name == "string" or (new.name == "varchar" and new.size >= old.size)
    if (old.name, new.name) == ("float", "double"):
        return True
    return old == new

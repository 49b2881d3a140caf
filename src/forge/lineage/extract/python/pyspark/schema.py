"""PySpark schemas: StructType and DDL strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from forge.lineage.extract.python.library import Call
from forge.lineage.extract.python.values import (
    AbstractValue,
    Const,
    DictOf,
    LibraryValue,
    ListOf,
    NativeFunction,
    Text,
    UnknownValue,
    known_text,
    number_in,
    text,
    texts,
)
from forge.lineage.extract.python.world import World
from forge.lineage.extract.sql.nested_type import nested_of

NUMBERS = re.compile(r"(?:tiny|small|big)?int|integer|long|short|byte|float|double|real|decimal|numeric", re.IGNORECASE)


@dataclass(frozen=True, slots=True, eq=False)
class SparkField(LibraryValue):
    kind: str
    name: str | None
    type: str = ""  # as SQL writes it; empty: not known


@dataclass(frozen=True, slots=True, eq=False)
class SparkSchema(LibraryValue):
    """`names` is None if incomplete; `types` are those of the names, empty if unknown."""

    kind: str
    names: tuple[str, ...] | None = ()
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class SparkType(LibraryValue):
    """`IntegerType()`: `name` is the SQL spelling."""

    kind: str
    name: str


TYPES = {
    "IntegerType": "int",
    "LongType": "bigint",
    "ShortType": "smallint",
    "ByteType": "tinyint",
    "StringType": "string",
    "DoubleType": "double",
    "FloatType": "float",
    "BooleanType": "boolean",
    "DateType": "date",
    "TimestampType": "timestamp",
    "TimestampNTZType": "timestamp_ntz",
    "BinaryType": "binary",
    "DecimalType": "decimal",
    "ArrayType": "array",
    "MapType": "map",
}


def data_type(call: Call, world: World) -> AbstractValue:
    name = TYPES[call.name.rpartition(".")[2]]
    if name == "decimal":
        precision = number_in(call.arg(0, "precision")) or 10
        name = f"decimal({precision},{number_in(call.arg(1, 'scale')) or 0})"
    elif name in {"array", "map"}:
        inner = [type_text(one) or "" for one in (*call.args, *call.named.values()) if isinstance(one, LibraryValue)]
        name = f"{name}<{','.join(inner)}>"
    return SparkType("pyspark.type", name)


def type_text(thing: AbstractValue | None) -> str | None:
    if isinstance(thing, SparkSchema) and thing.names is not None:
        fields = zip(thing.names, thing.types, strict=True)
        return f"struct<{','.join(f'`{name}`:{type_}' for name, type_ in fields)}>" if all(thing.types) else None
    return thing.name if isinstance(thing, SparkType) else known_text(thing)


def is_type(call: Call, world: World) -> AbstractValue:
    """`isinstance(field.dataType, StringType)`."""
    own = nested_of(call.receiver(SparkType).name).kind
    given = call.arg(0)
    classes = given.items if isinstance(given, ListOf) else [given]
    names = [one.path.rpartition(".")[2] for one in classes if isinstance(one, NativeFunction)]
    if any(own == TYPES.get(name, "struct" if name == "StructType" else None) for name in names):
        return Const(True)
    if any(name in {"NumericType", "FractionalType", "IntegralType"} and NUMBERS.match(own) for name in names):
        return Const(True) if "NumericType" in names else UnknownValue(call.written)
    return Const(False) if len(names) == len(classes) else UnknownValue(call.written)


def same_type(call: Call, world: World) -> AbstractValue:
    """`field.dataType == StringType()`."""
    names = [type_text(side) for side in (call.on, *call.args)]
    if call.name not in {"==", "!="} or None in names:
        return UnknownValue(call.written)
    return Const((names[0] == names[1]) is (call.name == "=="))


_TYPE_NAMES = {"int": "integer", "bigint": "long", "smallint": "short", "tinyint": "byte"}


def type_name(call: Call, world: World) -> AbstractValue:
    name = call.receiver(SparkType).name
    return text(name if call.name.endswith("simpleString") else _TYPE_NAMES.get(name, nested_of(name).kind))


def struct_type(call: Call, world: World) -> AbstractValue:
    given = call.arg(0, "fields")
    names = () if given is None else _names(given)
    fields = given.items if isinstance(given, ListOf) and names is not None else []
    return SparkSchema(
        "pyspark.schema", names, tuple(one.type if isinstance(one, SparkField) else "" for one in fields)
    )


def _names(given: AbstractValue) -> tuple[str, ...] | None:
    if not isinstance(given, ListOf) or given.open:
        return None
    names = [one.name if isinstance(one, SparkField) else None for one in given.items]
    return tuple(name for name in names if name is not None) if None not in names else None


def struct_field(call: Call, world: World) -> AbstractValue:
    return SparkField("pyspark.field", call.text(0, "name"), type_text(call.arg(1, "dataType")) or "")


def add_field(call: Call, world: World) -> AbstractValue:
    schema, first = call.receiver(SparkSchema), call.arg(0, "field")
    name = first.name if isinstance(first, SparkField) else known_text(first)
    if schema.names is None or name is None:
        return replace(schema, names=None, types=())
    type_ = first.type if isinstance(first, SparkField) else type_text(call.arg(1, "data_type")) or ""
    return replace(schema, names=(*schema.names, name), types=(*schema.types, type_))


def schema_attribute(call: Call, world: World) -> AbstractValue | None:
    schema = call.receiver(SparkSchema)
    if call.name in {"names", "fieldNames"} and schema.names is not None:
        return texts(schema.names)
    if call.name == "fields" and schema.names is not None:
        return ListOf(list(_fields(schema)))
    return None


def _fields(schema: SparkSchema) -> Iterator[SparkField]:
    for name, type_ in zip(schema.names or (), schema.types, strict=True):
        yield SparkField("pyspark.field", name, type_)


def each_field(call: Call, world: World) -> AbstractValue:
    schema = call.receiver(SparkSchema)
    return ListOf(list(_fields(schema)), "list", schema.names is None)


def field_attribute(call: Call, world: World) -> AbstractValue | None:
    field = call.receiver(SparkField)
    if call.name == "dataType" and field.type:
        return SparkType("pyspark.type", field.type)
    return text(field.name) if call.name == "name" and field.name is not None else UnknownValue(call.written)


def field_names(call: Call, world: World) -> AbstractValue:
    names = call.receiver(SparkSchema).names
    return ListOf([text(name) for name in names or ()], "list", names is None)


def schema_of(thing: AbstractValue | None) -> tuple[str, ...] | None:
    """Names of the columns; None: not known."""
    if isinstance(thing, SparkSchema):
        return thing.names
    if isinstance(thing, Text):
        return names_in_text(thing.known) if thing.known is not None else None
    if isinstance(thing, ListOf) and not thing.open:
        names = [one.name if isinstance(one, SparkField) else known_text(one) for one in thing.items]
        return tuple(name for name in names if name is not None) if None not in names else None
    if isinstance(thing, DictOf) and not thing.open:
        return tuple(str(key) for key in thing.items)
    return None


@lru_cache(maxsize=256)
def names_in_text(written: str) -> tuple[str, ...] | None:
    """`id INT, name STRING`, also `struct<id:int>`."""
    inner = written.strip()
    if inner.lower().startswith("struct<") and inner.endswith(">"):
        inner = inner[7:-1]
    for form in (f"CREATE TABLE t ({inner})", f"CREATE TABLE t ({_spaced(inner)})"):
        try:
            tree = sqlglot.parse_one(form, read="spark")
        except SqlglotError:
            continue
        columns = [one.name for one in tree.this.expressions if isinstance(one, exp.ColumnDef)]
        if columns and len(columns) == len(tree.this.expressions):
            return tuple(columns)
    return None


def _spaced(written: str) -> str:
    """`a:int, b:string` → `a int, b string`, at the outermost level."""
    found, depth = [], 0
    for character in written:
        depth += {"<": 1, "(": 1, ">": -1, ")": -1}.get(character, 0)
        found.append(" " if character == ":" and depth == 0 else character)
    return "".join(found)
